import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Toaster } from 'sonner';
import { ApiError } from './api/errors.js';
import './app.css';
import { renewSession, SESSION_KEY } from './api/session-query.js';
import { router } from './app/router.js';
import { applyTheme } from './app/theme.js';

applyTheme();

const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      // The session ended meanwhile: back to the sign-in.
      const isOver =
        error instanceof ApiError && error.status === 401 && query.queryKey[0] !== SESSION_KEY[0];
      // Several queries find that out; one asks.
      if (isOver && queries.isFetching({ queryKey: SESSION_KEY }) === 0) void renewSession(queries);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
});

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Toaster position="bottom-right" />
    </QueryClientProvider>
  </StrictMode>,
);
