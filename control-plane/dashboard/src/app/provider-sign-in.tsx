import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { ApiError } from '../api/errors.js';
import { askSignInWays, enterByProvider } from '../api/session.js';
import { renewSession } from '../api/session-query.js';
import { Button } from '../ui/button.js';

/**
 * Signs in by the identity provider's session, where there is a provider: by the one that the browser holds, else at
 * the provider's own page. Only when it is pressed: who signed out here may still be signed in there.
 */
export function ProviderSignIn(): ReactNode {
  const client = useQueryClient();
  const ways = useQuery({ queryKey: ['sign-in-ways'], queryFn: askSignInWays, staleTime: Infinity });
  const provider = ways.data?.identity_provider ?? null;
  const enter = useMutation({
    mutationFn: enterByProvider,
    onSuccess: () => renewSession(client),
    onError: (error) => {
      const url = provider?.sign_in_url ?? null;
      const isNobody = error instanceof ApiError && error.status === 401;
      if (isNobody && url !== null) location.assign(url);
      else if (isNobody) toast.error('You are not signed in at the identity provider. Sign in there first.');
      else toast.error(error.message);
    },
  });
  if (provider === null) return null;
  return (
    <>
      <Button
        variant="primary"
        className="justify-center"
        busy={enter.isPending}
        onClick={() => enter.mutate()}
      >
        Continue with your identity provider
      </Button>
      <p className="text-muted">Or by a link:</p>
    </>
  );
}
