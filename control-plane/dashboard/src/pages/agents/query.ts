import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import type { Agent } from '../../api/types.js';

type EstimateRequest = components['schemas']['AgentEstimateRequest'];
export type ExpectedLatency = components['schemas']['ExpectedLatency'];

/** Entries of a page; the most that the API gives. */
const PAGE = 100;
const VERSIONS_PAGE = 20;
/** Agents that are asked for; the list says where there may be more. */
export const MOST_AGENTS = 2000;

/** The agents of the tenant, the newest first; switched-off ones included. */
export const agentsQuery = ({ api, mode }: { readonly api: Api; readonly mode: Mode }) =>
  queryOptions({
    queryKey: [mode, 'agents'],
    staleTime: 30_000,
    queryFn: async ({ signal }): Promise<Agent[]> => {
      const agents: Agent[] = [];
      let cursor: string | null = null;
      do {
        const query: { limit: number; active_only: boolean; cursor?: string } = {
          limit: PAGE,
          active_only: false,
        };
        if (cursor !== null) query.cursor = cursor;
        const page = await dataOf(api.GET('/api/v1/agents', { params: { query }, signal }));
        agents.push(...page.agents);
        cursor = page.next_cursor;
      } while (cursor !== null && agents.length < MOST_AGENTS);
      return agents;
    },
  });

/** One agent as it is stored. */
export const agentQuery = ({ api, mode }: { readonly api: Api; readonly mode: Mode }, agentId: string) =>
  queryOptions({
    queryKey: [mode, 'agents', agentId],
    queryFn: ({ signal }): Promise<Agent> =>
      dataOf(api.GET('/api/v1/agents/{agent_id}', { params: { path: { agent_id: agentId } }, signal })),
  });

/** The versions of an agent, the newest first, page by page; asked for anew once there is another in force. */
export const versionsQuery = (
  { api, mode }: { readonly api: Api; readonly mode: Mode },
  agentId: string,
  current: number,
) =>
  infiniteQueryOptions({
    queryKey: [mode, 'agents', agentId, 'versions', current],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/v1/agents/{agent_id}/versions', {
          params: {
            path: { agent_id: agentId },
            query: { limit: VERSIONS_PAGE, ...(pageParam !== null && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** The fields in which two versions differ. */
export const versionDiffQuery = (
  { api, mode }: { readonly api: Api; readonly mode: Mode },
  agentId: string,
  version: number,
  other: number,
) =>
  queryOptions({
    queryKey: [mode, 'agents', agentId, 'versions', 'diff', version, other],
    // Versions do not change.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/agents/{agent_id}/versions/{version}/diff', {
          params: { path: { agent_id: agentId, version }, query: { to: other } },
          signal,
        }),
      ),
  });

/** What the agent costs a minute and how soon it answers; asked for anew once it has changed. */
export const estimateQuery = (
  { api, mode }: { readonly api: Api; readonly mode: Mode },
  agentId: string,
  version: number,
) =>
  queryOptions({
    queryKey: [mode, 'agents', agentId, 'estimate', version],
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/agents/{agent_id}/estimate', { params: { path: { agent_id: agentId } }, signal }),
      ),
  });

/** The same of the agent with other voices, models or turn-taking, as JSON, that are not saved. */
export const changedEstimateQuery = (
  { api, mode }: { readonly api: Api; readonly mode: Mode },
  agentId: string,
  version: number,
  change: string,
) =>
  queryOptions({
    queryKey: [mode, 'agents', agentId, 'estimate', version, change],
    staleTime: 60_000,
    // Until its own is there, and for a moment alone.
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(
        api.POST('/api/v1/agents/{agent_id}/estimate', {
          params: { path: { agent_id: agentId } },
          body: JSON.parse(change) as EstimateRequest,
          signal,
        }),
      ),
  });

/** What this installation can hear, think and speak with. */
export const providersQuery = ({ api, mode }: { readonly api: Api; readonly mode: Mode }) =>
  queryOptions({
    queryKey: [mode, 'providers'],
    staleTime: 60_000,
    queryFn: async ({ signal }) => (await dataOf(api.GET('/api/v1/providers', { signal }))).providers,
  });
