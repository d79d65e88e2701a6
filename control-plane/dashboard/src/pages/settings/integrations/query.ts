import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.js';
import { accountApi } from '../account-api.js';
import { INTEGRATIONS_KEY } from './connections.js';

/** What agents can act in: the integrations, whether they are connected, what they can do. */
export const integrationsQuery = queryOptions({
  queryKey: INTEGRATIONS_KEY,
  queryFn: ({ signal }) => dataOf(accountApi.GET('/api/v1/integrations', { signal })),
});
