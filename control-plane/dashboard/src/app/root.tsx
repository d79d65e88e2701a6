import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { ApiError } from '../api/errors.js';
import { enterSession } from '../api/session.js';
import { renewSession, SESSION_KEY } from '../api/session-query.js';
import { ErrorState } from '../ui/error-state.js';
import { Shell } from './shell.js';
import { SignIn } from './sign-in.js';

/** Everything: the shell for who is signed in, else how to sign in. */
export function Root(): ReactNode {
  const client = useQueryClient();
  const session = useQuery({
    queryKey: SESSION_KEY,
    queryFn: enterSession,
    retry: false,
    staleTime: Infinity,
  });
  useEffect(() => {
    // A login link that is opened in a tab that shows the dashboard changes the fragment alone.
    const enter = () => {
      if (location.hash.includes('token=')) void renewSession(client);
    };
    addEventListener('hashchange', enter);
    return () => removeEventListener('hashchange', enter);
  }, [client]);
  if (session.isPending) return null;
  if (session.error instanceof ApiError && session.error.status === 401)
    return <SignIn code={session.error.code} />;
  if (session.error) {
    return (
      <main className="mx-auto max-w-xl p-6">
        <ErrorState
          error={session.error}
          title="The dashboard could not be opened"
          onRetry={() => void session.refetch()}
        />
      </main>
    );
  }
  return <Shell session={session.data} />;
}
