import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { dataOf } from '../../../api/client.js';
import { accountApi } from '../account-api.js';

/** What agents can act in: the integrations, whether they are connected, what they can do. */
export const integrationsQuery = queryOptions({
  queryKey: ['account', 'integrations'],
  queryFn: ({ signal }) => dataOf(accountApi.GET('/api/v1/integrations', { signal })),
});

const CHANNEL = 'integrations';

/** Lets the dashboard's other tabs know that an integration was connected in this one. */
export function announceConnection(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('connected');
  channel.close();
}

/** Asks anew for the integrations once one was connected in another tab, and calls `onConnected`. */
export function useConnections(onConnected: () => void): void {
  const client = useQueryClient();
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = () => {
      void client.invalidateQueries({ queryKey: integrationsQuery.queryKey });
      onConnected();
    };
    return () => channel.close();
  }, [client, onConnected]);
}
