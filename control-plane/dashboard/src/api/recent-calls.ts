import { queryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from './client.js';
import type { Call } from './types.js';

interface Context {
  readonly api: Api;
  readonly mode: Mode;
}

/** Of all agents, how many are asked for. */
export const RECENT = 500;

/** The latest calls of one agent, the newest first. */
export const latestCallsQuery = ({ api, mode }: Context, agentId: string, limit: number) =>
  queryOptions({
    queryKey: [mode, 'calls', 'latest', agentId, limit],
    staleTime: 30_000,
    queryFn: async ({ signal }): Promise<Call[]> =>
      (await dataOf(api.GET('/api/v1/calls', { params: { query: { agent_id: agentId, limit } }, signal })))
        .calls,
  });

/** The latest calls of all agents, at most `RECENT`: what the agents' list sums up. */
export const recentCallsQuery = ({ api, mode }: Context) =>
  queryOptions({
    queryKey: [mode, 'calls', 'recent'],
    queryFn: async ({ signal }): Promise<Call[]> =>
      (await dataOf(api.GET('/api/v1/calls', { params: { query: { limit: RECENT } }, signal }))).calls,
  });
