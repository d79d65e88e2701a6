import { queryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from '../../api/client.js';

interface Context {
  readonly api: Api;
  readonly mode: Mode;
}

/** How often the figures are read again, in ms. */
const REFRESH_MS = 60_000;

/** Calls, outcomes and latency of the last 30 days. */
export const overviewQuery = ({ api, mode }: Context) =>
  queryOptions({
    queryKey: [mode, 'analytics', 'overview'],
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/analytics/overview', { signal })),
  });

/** What was used and what it cost: this month, and by day. */
export const usageQuery = ({ api, mode }: Context) =>
  queryOptions({
    queryKey: [mode, 'billing', 'usage'],
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/billing/usage', { params: { query: { days: 30 } }, signal })),
  });
