import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Integration } from '../../../api/types.js';
import { Badge } from '../../../ui/badge.js';
import { ErrorState } from '../../../ui/error-state.js';
import { SkeletonRows } from '../../../ui/skeleton.js';
import { ConnectOffer } from './connect.js';
import { Connected } from './connected.js';
import { integrationsQuery } from './query.js';

export const route = createLazyRoute('/settings/integrations')({ component: IntegrationsSection });

/** Services that agents' tools can act in: connect, see whether it works, disconnect. */
function IntegrationsSection(): ReactNode {
  const integrations = useQuery(integrationsQuery);
  return (
    <>
      <h2 className="text-base font-semibold">Integrations</h2>
      {integrations.isPending ? (
        <SkeletonRows />
      ) : integrations.isLoadingError ? (
        <ErrorState
          title="The integrations could not be loaded"
          error={integrations.error}
          onRetry={() => void integrations.refetch()}
        />
      ) : (
        <ul aria-label="Integrations" className="grid gap-3 xl:grid-cols-2">
          {integrations.data.map((integration) => (
            <Shown key={integration.slug} integration={integration} />
          ))}
        </ul>
      )}
    </>
  );
}

function Shown({ integration }: { readonly integration: Integration }): ReactNode {
  const { name, description, account, status } = integration;
  const [health, setHealth] = useState<string | null>(null);
  return (
    <li className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-semibold">{name}</h3>
        {status === 'connected' && <Badge tone="good">Connected</Badge>}
        {status === 'reconnect_needed' && <Badge tone="warn">Connect again</Badge>}
        {account !== null && <span className="truncate text-muted">{account}</span>}
      </div>
      <p className="text-muted">{description}</p>
      {health !== null && <p role="status">{health}</p>}
      <div className="mt-auto flex flex-wrap gap-2">
        {status !== 'connected' && <ConnectOffer integration={integration} />}
        {status !== 'not_connected' && <Connected integration={integration} onHealth={setHealth} />}
      </div>
    </li>
  );
}
