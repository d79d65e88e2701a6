import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../../api/client.js';
import type { Integration } from '../../../api/types.js';
import { Button } from '../../../ui/button.js';
import { Confirmation } from '../../../ui/confirmation.js';
import { accountApi } from '../account-api.js';
import { integrationsQuery } from './query.js';

interface ConnectedProps {
  readonly integration: Integration;
  /** How the connection is, in words. */
  readonly onHealth: (words: string) => void;
}

/** What can be done with an integration that is connected. */
export function Connected({ integration: { slug, name }, onHealth }: ConnectedProps): ReactNode {
  const [leaving, setLeaving] = useState(false);
  const params = { path: { slug } };
  const check = useMutation({
    mutationFn: () => dataOf(accountApi.GET('/api/v1/integrations/{slug}/status', { params })),
    onSuccess: ({ detail }) => onHealth(detail),
    onError: (error) => onHealth(error.message),
  });
  return (
    <>
      <Button
        needs="getIntegrationStatus"
        busy={check.isPending}
        aria-label={`Check ${name}`}
        onClick={() => check.mutate()}
      >
        Check
      </Button>
      <Button
        needs="disconnectIntegration"
        aria-label={`Disconnect ${name}`}
        onClick={() => setLeaving(true)}
      >
        Disconnect
      </Button>
      {leaving && <Disconnect slug={slug} name={name} onClose={() => setLeaving(false)} />}
    </>
  );
}

const REVOCATIONS = {
  revoked: 'its tokens are revoked',
  pending: 'the vendor could not be reached and is asked again',
  not_offered: 'revoke the key at the vendor as well',
} as const;

interface DisconnectProps {
  readonly slug: string;
  readonly name: string;
  readonly onClose: () => void;
}

function Disconnect({ slug, name, onClose }: DisconnectProps): ReactNode {
  const client = useQueryClient();
  const leave = useMutation({
    mutationFn: () =>
      dataOf(accountApi.DELETE('/api/v1/integrations/{slug}', { params: { path: { slug } } })),
    onSuccess: async ({ revocation }) => {
      await client.invalidateQueries({ queryKey: integrationsQuery.queryKey });
      toast.success(`${name} is disconnected; ${REVOCATIONS[revocation]}`);
      onClose();
    },
  });
  return (
    <Confirmation
      title={`Disconnect ${name}?`}
      description="Agents’ tools that use it fail from now on. Its settings are removed."
      yes="Disconnect"
      failure={`${name} could not be disconnected`}
      action={leave}
      onClose={onClose}
    />
  );
}
