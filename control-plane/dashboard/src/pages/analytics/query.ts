import { queryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from '../../api/client.js';
import type { Trends } from '../../api/types.js';
import type { Range } from './search.js';

interface Context {
  readonly api: Api;
  readonly mode: Mode;
}

/** How often the figures are read again, in ms. */
const REFRESH_MS = 60_000;

/** Calls, cost and latency of a range of days. */
export const trendsQuery = ({ api, mode }: Context, { from, to, bucket }: Range) =>
  queryOptions({
    queryKey: [mode, 'analytics', 'trends', from, to, bucket],
    refetchInterval: REFRESH_MS,
    // The figures of before stay until those of another range are there; never those of the other mode.
    placeholderData: (before: Trends | undefined, query) =>
      query?.queryKey[0] === mode ? before : undefined,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/analytics/trends', { params: { query: { start: from, end: to, bucket } }, signal }),
      ),
  });
