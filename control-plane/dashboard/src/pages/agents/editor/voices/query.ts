import { infiniteQueryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from '../../../../api/client.js';

export interface VoiceSearch {
  readonly provider: string;
  readonly language: string;
  readonly q: string;
}

/** The voices of a provider, page by page. */
export const voicesQuery = ({ api, mode }: { readonly api: Api; readonly mode: Mode }, search: VoiceSearch) =>
  infiniteQueryOptions({
    queryKey: [mode, 'voices', search],
    staleTime: 60_000,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const { provider, language, q } = search;
      const query = {
        provider,
        limit: 100,
        ...(language !== '' && { language }),
        ...(q !== '' && { q }),
        ...(pageParam !== null && { cursor: pageParam }),
      };
      return dataOf(api.GET('/api/v1/voices', { params: { query: query as never }, signal }));
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
