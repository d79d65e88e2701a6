import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './errors.js';
import { renewSession, SESSION_KEY } from './session-query.js';

/** Makes what asks the API and keeps its answers. `onSessionOver` comes before the pages of the session go. */
export function createQueryClient(onSessionOver: () => void): QueryClient {
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        // The session ended meanwhile: back to the sign-in.
        const isOver =
          error instanceof ApiError && error.status === 401 && query.queryKey[0] !== SESSION_KEY[0];
        // Several queries find that out; one asks.
        if (!isOver || queries.isFetching({ queryKey: SESSION_KEY }) > 0) return;
        onSessionOver();
        void renewSession(queries);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // What a browser calls offline says nothing of a service on this machine; what it asks in vain, it says at once.
        networkMode: 'always',
        refetchOnReconnect: true,
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
      },
      mutations: { networkMode: 'always' },
    },
  });
  return queries;
}
