import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.js';
import { accountApi } from '../account-api.js';

export const vendorKeysQuery = queryOptions({
  queryKey: ['account', 'vendor-keys'],
  queryFn: ({ signal }) => dataOf(accountApi.GET('/api/v1/vendor-keys', { signal })),
});

/** Asks anew for what depends on the keys: themselves, which providers can run, warnings of agents, voices. */
export async function keysChanged(client: QueryClient): Promise<void> {
  const dependent = new Set<unknown>(['vendor-keys', 'providers', 'agents', 'voices']);
  await client.invalidateQueries({ predicate: ({ queryKey }) => dependent.has(queryKey[1]) });
}
