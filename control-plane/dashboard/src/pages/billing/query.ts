import { queryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from '../../api/client.js';
import type { UsageSummary } from '../../api/types.js';

const DAYS = 30;

/** Usage of this month, and by day of the last 30. */
export const usageQuery = ({ api, mode }: { readonly api: Api; readonly mode: Mode }) =>
  queryOptions({
    queryKey: [mode, 'usage'],
    queryFn: ({ signal }): Promise<UsageSummary> =>
      dataOf(api.GET('/api/v1/billing/usage', { params: { query: { days: DAYS } }, signal })),
  });
