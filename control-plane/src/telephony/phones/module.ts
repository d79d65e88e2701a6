import type { AgentsService } from '../../agents/service.js';
import type { Module, Platform } from '../../platform/module.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { Carriers } from '../carriers/carriers.js';
import { Attestations } from './attestations.js';
import { CallerIds } from './caller-ids.js';
import { phoneInternalRoutes } from './internal-routes.js';
import { phoneNumberModel } from './model.js';
import { NumberService } from './number-service.js';
import { openNumbers } from './open-numbers.js';
import { phoneRoutes } from './routes.js';
import { PhonesService } from './service.js';

export interface PhonesModule extends Module {
  /** Finds the owner and the agent of a number, for calls in both directions. */
  readonly phones: PhonesService;
  readonly numbers: NumberService;
  readonly attestations: Attestations;
  readonly callerIds: CallerIds;
}

export interface PhonesModuleOptions {
  readonly platform: Platform;
  readonly carriers: Carriers;
  readonly agents: AgentsService;
  /** Throws 402 where the tenant may not spend (any more). */
  readonly admitSpending: (scope: TenantScope) => Promise<void>;
}

/** Wires phone numbers, bought or imported, and what is known of them. */
export function createPhonesModule({
  platform,
  carriers,
  agents,
  admitSpending,
}: PhonesModuleOptions): PhonesModule {
  const { store, clock } = platform;
  const log = platform.log.child({ module: 'phones' });
  const rows = phoneNumberModel(store);
  const attestations = new Attestations(rows, log);
  const numbers = new NumberService({
    numbers: rows,
    carriers,
    requireAgent: (tenant, agentId) => agents.get(tenant, agentId),
    admitSpending,
    publicUrl: () => platform.publicUrl(),
    clock,
    log,
  });
  return {
    name: 'phones',
    phones: new PhonesService(rows, clock),
    numbers,
    attestations,
    callerIds: new CallerIds(rows),
    internalRoutes: phoneInternalRoutes(attestations),
    routes: phoneRoutes(numbers),
    jobs: [openNumbers(numbers)],
  };
}
