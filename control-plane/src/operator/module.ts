import type { AgentsService } from '../agents/service.js';
import type { CallsService } from '../calls/calls-service.js';
import type { HangUp } from '../calls/ending/hang-up.js';
import type { CallRecords } from '../calls/record/records.js';
import type { ApiKeysService } from '../identity/api-keys/service.js';
import type { TenantsService } from '../identity/tenants/service.js';
import type { Module, Platform } from '../platform/module.js';
import type { WorkerRegistry } from '../workers/registry.js';
import type { LiveCalls } from './live/live-calls.js';
import { operatorRoutes } from './routes.js';

export interface OperatorModuleOptions {
  readonly platform: Platform;
  readonly calls: CallsService;
  readonly records: Pick<CallRecords, 'countOf'>;
  readonly hangUp: HangUp;
  readonly live: LiveCalls;
  readonly tenants: TenantsService;
  readonly keys: Pick<ApiKeysService, 'count'>;
  readonly agents: Pick<AgentsService, 'count'>;
  readonly workers: WorkerRegistry;
}

/** Wires the operator's controls and live-call streams: internal routes alone. */
export function createOperatorModule(options: OperatorModuleOptions): Module {
  const { platform, records, keys, agents } = options;
  return {
    name: 'operator',
    internalRoutes: operatorRoutes({
      ...options,
      clock: platform.clock,
      counts: async (tenant) => {
        const [apiKeys, agentCount, calls] = await Promise.all([
          keys.count(tenant),
          agents.count(tenant),
          records.countOf(tenant),
        ]);
        return { api_keys: apiKeys, agents: agentCount, calls: calls.all, live_calls: calls.live };
      },
    }),
  };
}
