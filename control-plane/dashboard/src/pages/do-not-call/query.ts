import { infiniteQueryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from '../../api/client.js';
import type { DncSearch } from './search.js';

const PAGE = 100;

/** The entries that fit the filters, the newest first, page by page. */
export const dncQuery = (
  { api, mode }: { readonly api: Api; readonly mode: Mode },
  { number, source }: DncSearch,
) =>
  infiniteQueryOptions({
    queryKey: [mode, 'dnc', { number, source }],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/v1/compliance/dnc', {
          params: {
            query: {
              limit: PAGE,
              ...(number && { phone_number: number }),
              ...(source && { source }),
              ...(pageParam !== null && { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
