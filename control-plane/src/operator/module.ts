import type { CallsService } from '../calls/calls-service.js';
import type { HangUp } from '../calls/ending/hang-up.js';
import { LIVE_STATUSES } from '../calls/record/call-state.js';
import type { TenantsService } from '../identity/tenants/service.js';
import type { Module, Platform } from '../platform/module.js';
import type { WorkerRegistry } from '../workers/registry.js';
import type { LiveCalls } from './live/live-calls.js';
import { operatorRoutes } from './routes.js';

/** The operator's controls and live-call streams: internal routes alone. */
export function createOperatorModule(deps: {
  readonly platform: Platform;
  readonly calls: CallsService;
  readonly hangUp: HangUp;
  readonly live: LiveCalls;
  readonly tenants: TenantsService;
  readonly workers: WorkerRegistry;
}): Module {
  const { store, clock } = deps.platform;
  const count = (model: string, filter: Record<string, unknown>) =>
    store.model(model).countDocuments(filter).exec();
  return {
    name: 'operator',
    internalRoutes: operatorRoutes({
      ...deps,
      clock,
      counts: async (tenant) => {
        const own = { tenant_id: tenant };
        const [apiKeys, agents, calls, live] = await Promise.all([
          count('ApiKey', own),
          count('Agent', own),
          count('Call', own),
          count('Call', { ...own, status: { $in: LIVE_STATUSES } }),
        ]);
        return { api_keys: apiKeys, agents, calls, live_calls: live };
      },
    }),
  };
}
