import { queryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from '../../api/client.js';
import type { Webhook } from '../../api/types.js';
import { pollMs } from './deliveries.js';

interface Context {
  readonly api: Api;
  readonly mode: Mode;
}

/** The most attempts that the API lists. */
const MOST_ATTEMPTS = 500;

/** All subscriptions of the mode, the newest first. */
export const webhooksQuery = ({ api, mode }: Context) =>
  queryOptions({
    queryKey: [mode, 'webhooks'],
    queryFn: ({ signal }): Promise<Webhook[]> => dataOf(api.GET('/api/v1/webhooks', { signal })),
  });

export const webhookQuery = ({ api, mode }: Context, webhookId: string) =>
  queryOptions({
    queryKey: [mode, 'webhooks', webhookId],
    queryFn: ({ signal }): Promise<Webhook> =>
      dataOf(
        api.GET('/api/v1/webhooks/{webhook_id}', { params: { path: { webhook_id: webhookId } }, signal }),
      ),
  });

/** Every event that can be subscribed to, with an example of its body; the same for everybody. */
export const eventTypesQuery = ({ api, mode }: Context) =>
  queryOptions({
    queryKey: [mode, 'event-types'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/api/v1/webhooks/event-types', { signal }))).event_types,
  });

/** The latest attempts at a subscription, the newest first; read again sooner while one is under way. */
export const deliveriesQuery = ({ api, mode }: Context, webhookId: string) =>
  queryOptions({
    queryKey: [mode, 'webhooks', webhookId, 'deliveries'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/webhooks/{webhook_id}/deliveries', {
          params: { path: { webhook_id: webhookId }, query: { limit: MOST_ATTEMPTS } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => pollMs(state.data ?? [], Date.now()),
  });

/** A delivery with its body, which never changes. */
export const deliveryBodyQuery = ({ api, mode }: Context, deliveryId: string) =>
  queryOptions({
    queryKey: [mode, 'webhooks', 'delivery', deliveryId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/webhooks/deliveries/{delivery_id}/detail', {
          params: { path: { delivery_id: deliveryId } },
          signal,
        }),
      ),
  });
