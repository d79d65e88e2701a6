import { queryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from '../../api/client.js';
import type { ApiKey } from '../../api/types.js';

/** All keys of the mode, the newest first. */
export const keysQuery = ({ api, mode }: { readonly api: Api; readonly mode: Mode }) =>
  queryOptions({
    queryKey: [mode, 'keys'],
    queryFn: async ({ signal }): Promise<ApiKey[]> => {
      const keys: ApiKey[] = [];
      let cursor: string | null = null;
      do {
        const query: { limit: number; cursor?: string } = { limit: 100 };
        if (cursor !== null) query.cursor = cursor;
        const page = await dataOf(api.GET('/api/v1/keys', { params: { query }, signal }));
        keys.push(...page.keys);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return keys;
    },
  });
