import { z } from 'zod';

/** What a listener answers: what its receiver answered, or why there was no answer. */
const resultMessage = z
  .object({
    type: z.literal('result'),
    id: z.string().max(100),
    status: z.number().int().min(100).max(599).optional(),
    error: z.string().max(500).optional(),
  })
  .refine(({ status, error }) => (status === undefined) !== (error === undefined), 'either status or error');
export type ResultMessage = z.infer<typeof resultMessage>;

/** The first message to a listener. */
export const readyMessage = z.strictObject({
  type: z.literal('ready'),
  listener_id: z.string(),
  /** What deliveries are signed with; the same when the listener comes back. */
  secret: z.string(),
  event_types: z.array(z.string()),
  sandbox: z.boolean(),
});
export type ReadyMessage = z.infer<typeof readyMessage>;

/** One delivery, as an HTTP receiver gets it. */
export const deliveryMessage = z.strictObject({
  type: z.literal('delivery'),
  id: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
export type DeliveryMessage = z.infer<typeof deliveryMessage>;

/** Why a listener's connection is closed. */
export const LISTENER_CLOSE = {
  /** The listener has ended it, with or without a code. */
  normal: 1000,
  none: 1005,
  /** The replica goes away; connect again. */
  goingAway: 1001,
  /** The listener sent what it does not send, is signed out, or another connection has taken its place. */
  refused: 1008,
  /** The connection could not be set up; connect again. */
  failed: 1011,
  /** The listener is slower than its events: what waited is dropped. */
  tooSlow: 1013,
} as const;

/** Parses a message of a listener; nothing for what listeners do not send. */
export function parseResult(text: string): ResultMessage | undefined {
  try {
    return resultMessage.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
