import { infiniteQueryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from '../../api/client.js';
import type { EventType } from '../../api/types.js';

const PAGE = 100;
/** How often the log is read again, in ms. */
const REFRESH_MS = 10_000;

/** What happened, the newest first, page by page. */
export const eventsQuery = (
  { api, mode }: { readonly api: Api; readonly mode: Mode },
  type: string | undefined,
) =>
  infiniteQueryOptions({
    queryKey: [mode, 'events', { type }],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/v1/events', {
          params: {
            query: {
              limit: PAGE,
              ...(type && { event_type: type as EventType }),
              ...(pageParam !== null && { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // Of the first page alone: who has scrolled far down reads what was.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? REFRESH_MS : false),
  });
