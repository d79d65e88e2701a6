import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

/** Under what the integrations are kept once they were asked for. */
export const INTEGRATIONS_KEY = ['account', 'integrations'];

const CHANNEL = 'integrations';

/** Returns whether the address is the one to which a vendor that was connected sends people back. */
export const isBackFromVendor = (search: string): boolean => new URLSearchParams(search).has('integration');

/** Lets the dashboard's other tabs know that an integration was connected in this one. */
export function announceConnection(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('connected');
  channel.close();
}

/**
 * Asks anew for the integrations once one was connected in another tab, and calls `onConnected`.
 *
 * @returns ends it
 */
export function followConnections(client: QueryClient, onConnected: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = () => {
    void client.invalidateQueries({ queryKey: INTEGRATIONS_KEY });
    onConnected();
  };
  return () => channel.close();
}

/** Follows the connections that are made in other tabs for as long as the component is shown. */
export function useConnections(onConnected: () => void): void {
  const client = useQueryClient();
  useEffect(() => followConnections(client, onConnected), [client, onConnected]);
}
