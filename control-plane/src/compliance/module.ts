import type { Module, Platform } from '../platform/module.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import { CapacityClaims, type CapacityClaimsOptions, capacityClaimModel } from './capacity-claims.js';
import { operatorDncRoutes } from './dnc/internal-routes.js';
import { dncEntryModel, operatorDncModel } from './dnc/model.js';
import { OptOuts } from './dnc/opt-outs.js';
import { DncRegistry } from './dnc/registry.js';
import { dncRoutes } from './dnc/routes.js';
import { ComplianceGate } from './gate.js';
import { complianceCheckModel } from './model.js';
import { NumberRegions } from './number-region.js';
import { type AgentOf, complianceRoutes } from './routes.js';
import { StoredChecks } from './stored-checks.js';

export interface ComplianceModule extends Module {
  readonly gate: ComplianceGate;
  readonly optOuts: OptOuts;
}

/** Wires the gate before every outbound call, and the do-not-call registry that it asks. */
export function createComplianceModule(options: {
  readonly platform: Platform;
  readonly agentOf: AgentOf;
  readonly maxConcurrentCalls: number;
  /** Counts the tenant's live calls of the mode, at most up to `limit`. */
  readonly countLiveCalls: (scope: TenantScope, limit: number) => Promise<number>;
  /** Which of the checks have a call by now, of those that were stored since `since`. */
  readonly checksWithCall: CapacityClaimsOptions['checksWithCall'];
}): ComplianceModule {
  const { platform, agentOf, checksWithCall, ...limits } = options;
  const { store, clock, cursors } = platform;
  const registry = new DncRegistry({
    entries: dncEntryModel(store),
    operator: operatorDncModel(store),
    clock,
    cursors,
  });
  const checks = complianceCheckModel(store);
  const gate = new ComplianceGate({
    checks,
    registry,
    regions: new NumberRegions(),
    clock,
    claims: new CapacityClaims({
      claims: capacityClaimModel(store),
      countLiveCalls: limits.countLiveCalls,
      checksWithCall,
      clock,
    }),
    ...limits,
  });
  return {
    name: 'compliance',
    routes: [
      ...complianceRoutes({ gate, checks: new StoredChecks({ checks, cursors }), agentOf }),
      ...dncRoutes(registry),
    ],
    internalRoutes: operatorDncRoutes(registry),
    gate,
    optOuts: new OptOuts(registry, platform.log),
  };
}
