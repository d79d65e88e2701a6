import { reply, route } from '../platform/http/route.js';
import type { Module, Platform } from '../platform/module.js';
import { Overview, type OverviewOptions } from './overview.js';
import { overviewResponse } from './schemas.js';

export interface AnalyticsModuleOptions
  extends Pick<OverviewOptions, 'calls' | 'campaignsOf' | 'responseLatencies'> {
  readonly platform: Platform;
}

/** Wires the overview: what calls amount to, over all of them. */
export function createAnalyticsModule({ platform, ...options }: AnalyticsModuleOptions): Module {
  const overview = new Overview({ ...options, clock: platform.clock });
  return {
    name: 'analytics',
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
    ],
  };
}
