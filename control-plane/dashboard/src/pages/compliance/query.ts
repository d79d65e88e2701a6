import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from '../../api/client.js';
import type { ComplianceSearch } from './search.js';

interface Context {
  readonly api: Api;
  readonly mode: Mode;
}

const PAGE = 100;

/** The checks that fit the filters, the newest first, page by page. */
export const checksQuery = (
  { api, mode }: Context,
  { number, decision, reason }: Omit<ComplianceSearch, 'check'>,
) =>
  infiniteQueryOptions({
    queryKey: [mode, 'compliance-checks', 'list', { number, decision, reason }],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/v1/compliance/checks', {
          params: {
            query: {
              limit: PAGE,
              ...(number && { to_number: number }),
              ...(decision && { decision }),
              ...(reason && { reason }),
              ...(pageParam !== null && { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** One check with what it was decided from; it never changes. */
export const checkQuery = ({ api, mode }: Context, checkId: string) =>
  queryOptions({
    queryKey: [mode, 'compliance-checks', checkId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/compliance/checks/{check_id}', { params: { path: { check_id: checkId } }, signal }),
      ),
  });
