import { z } from 'zod';
import type { EventType, Webhook } from '../../api/types.js';

/** What a person fills in of a subscription. */
export const webhookForm = z
  .object({
    url: z
      .url({ protocol: /^https?$/, error: 'Give an address that begins with https:// or http://.' })
      .max(2048, 'At most 2,048 characters.'),
    description: z.string().trim().max(255, 'At most 255 characters.'),
    all: z.boolean(),
    event_types: z.array(z.string()),
  })
  .refine(({ all, event_types }) => all || event_types.length > 0, {
    path: ['event_types'],
    error: 'Choose at least one event, or all of them.',
  });
export type WebhookForm = z.infer<typeof webhookForm>;

/** The form of a subscription; of a new one without one. */
export function formOf(webhook?: Webhook): WebhookForm {
  const types = webhook?.event_types ?? ['*'];
  return {
    url: webhook?.url ?? '',
    description: webhook?.description ?? '',
    all: types.includes('*'),
    event_types: types.filter((type) => type !== '*'),
  };
}

/** What of a form is sent. The choices come from the catalog, so their names are the API's. */
export function bodyOf({ url, description, all, event_types }: WebhookForm): {
  readonly url: string;
  readonly description: string;
  readonly event_types: ('*' | EventType)[];
} {
  return { url, description, event_types: all ? ['*'] : (event_types as EventType[]) };
}

/** What a subscription receives, in a few words. */
export function eventsText(eventTypes: readonly string[]): string {
  if (eventTypes.includes('*')) return 'All events';
  const [first = '', ...others] = eventTypes;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
