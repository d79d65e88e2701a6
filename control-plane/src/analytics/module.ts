import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import type { CallRollups } from '../calls/rollups/call-rollups.js';
import { reply, route } from '../platform/http/route.js';
import type { Module, Platform } from '../platform/module.js';
import { ROLLUP_EVERY_MS } from '../platform/rollups/rollups.js';
import { AgentEstimates, type AgentEstimatesOptions } from './agent-estimates.js';
import { Overview, type OverviewOptions } from './overview.js';
import type { RollupCheck } from './rollup-check.js';
import {
  agentEstimateQuery,
  agentEstimateRequest,
  agentEstimateResponse,
  overviewResponse,
  rollupCheckRequest,
  rollupCheckResponse,
  trendsQuery,
  trendsResponse,
} from './schemas.js';
import { Trends, type TrendsOptions } from './trends.js';

export interface AnalyticsModuleOptions
  extends Pick<OverviewOptions, 'campaignsOf' | 'responseLatencies'>,
    Pick<TrendsOptions, 'latencyGroups' | 'agentNames'>,
    AgentEstimatesOptions {
  readonly platform: Platform;
  readonly callRollups: CallRollups;
  readonly rollupCheck: RollupCheck;
}

/** Wires the overview: what calls amount to, over all of them. */
export function createAnalyticsModule({
  platform,
  callRollups,
  rollupCheck,
  ...options
}: AnalyticsModuleOptions): Module {
  const estimates = new AgentEstimates(options);
  const overview = new Overview({ ...options, rollups: callRollups, clock: platform.clock });
  const trends = new Trends({ ...options, rollups: callRollups, clock: platform.clock });
  return {
    name: 'analytics',
    jobs: [
      {
        name: 'call-rollups',
        everyMs: ROLLUP_EVERY_MS,
        run: async () => void (await callRollups.rollups.sweep()),
      },
    ],
    internalRoutes: [
      route({
        method: 'post',
        path: '/internal/rollups/check',
        operationId: 'operatorCheckRollups',
        tag: 'Operator',
        summary: 'Hold the sums of one owner against a full count of its calls or usage',
        description: 'Of the owner after `after`; with `repair` what differs is put right.',
        auth: 'inter_plane',
        body: rollupCheckRequest,
        responses: {
          200: { description: 'What differs; null after the last owner.', schema: rollupCheckResponse },
        },
        handler: async ({ body }) => reply(200, { checked: await rollupCheck.next(body.after, body.repair) }),
      }),
    ],
    routes: [
      route({
        method: 'get',
        path: '/api/v1/analytics/overview',
        operationId: 'getAnalyticsOverview',
        tag: 'Analytics',
        summary: 'Calls, outcomes and latencies of the last 30 days',
        description:
          'A production key sees production calls, a sandbox key those of the sandbox. The primary outcome of a ' +
          'campaign is the first entry of its `outcome_labels`; a campaign without labels counts under `Completed`.',
        auth: 'tenant_in_mode',
        responses: { 200: { description: 'The overview.', schema: overviewResponse } },
        handler: async ({ scope }) => reply(200, await overview.of(scope)),
      }),
      route({
        method: 'get',
        path: '/api/v1/analytics/trends',
        operationId: 'getAnalyticsTrends',
        tag: 'Analytics',
        summary: 'Calls, cost and latency over any range, by day, week or month, and by agent',
        description:
          'A production key sees production calls, a sandbox key those of the sandbox. Test sessions are no calls: ' +
          'what they cost is in `GET /billing/usage`.',
        auth: 'tenant_in_mode',
        query: trendsQuery,
        responses: { 200: { description: 'The figures.', schema: trendsResponse } },
        handler: async ({ scope, query }) => reply(200, await trends.of(scope, query)),
      }),
      route({
        method: 'get',
        path: '/api/v1/agents/{agent_id}/estimate',
        operationId: 'estimateAgent',
        tag: 'Agents',
        summary: 'Estimate what an agent costs a minute, and how soon it answers',
        description:
          'The cost is that of a typical minute by the price lists of its providers: all of it heard, 75 words of it ' +
          "said, ten turns thought over; what runs on the tenant's own account at a vendor costs nothing here. " +
          '`expected_latency` follows its turn-taking, and says of each part where its figure comes from. ' +
          '`measured` is what its last 50 completed calls came to, in the mode of the key.',
        auth: 'tenant_in_mode',
        params: z.object({ agent_id: uuid }),
        query: agentEstimateQuery,
        responses: { 200: { description: 'The estimate.', schema: agentEstimateResponse } },
        errors: ['agent_not_found'],
        handler: async ({ scope, params, query }) =>
          reply(200, await estimates.of(scope, params.agent_id, query)),
      }),
      route({
        method: 'post',
        path: '/api/v1/agents/{agent_id}/estimate',
        operationId: 'estimateAgentChange',
        tag: 'Agents',
        summary: 'Estimate an agent with other voices, models or turn-taking, before it is saved',
        description:
          'Changes nothing. The cost is as that of the agent; secrets of the agent that are left out are its own. ' +
          '`measured` is what those of its last calls came to that were held with the same providers and models.',
        auth: 'tenant_in_mode',
        params: z.object({ agent_id: uuid }),
        body: agentEstimateRequest,
        responses: { 200: { description: 'The estimate.', schema: agentEstimateResponse } },
        errors: ['agent_not_found'],
        handler: async ({ scope, params, body }) =>
          reply(200, await estimates.ofChange(scope, params.agent_id, body)),
      }),
    ],
  };
}
