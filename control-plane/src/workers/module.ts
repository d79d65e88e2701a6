import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { Module, Platform } from '../platform/module.js';
import { WorkerCommands } from './commands.js';
import { WorkerHolds } from './holds.js';
import { workerModel } from './model.js';
import { Placement } from './placement.js';
import { WorkerRegistry } from './registry.js';
import { type SweepModel, sweepModel } from './sweep-model.js';
import { WorkerClient } from './worker-client.js';

export interface WorkersModule extends Module {
  readonly registry: WorkerRegistry;
  readonly client: WorkerClient;
  readonly commands: WorkerCommands;
  readonly placement: Placement;
  readonly sweeps: SweepModel;
}

export interface WorkersModuleOptions {
  readonly platform: Platform;
  /** Final transform before a plan is sent to a worker. */
  readonly preparePlan?: (plan: CallPlan) => CallPlan;
  /** Returns the label of where the tenant's calls are placed first. */
  readonly regionOf?: (tenantId: string) => Promise<string | null>;
}

/** Wires the media workers: registry, placement, commands. */
export function createWorkersModule({
  platform,
  preparePlan,
  regionOf,
}: WorkersModuleOptions): WorkersModule {
  const { store, clock, config, tracer } = platform;
  const log = platform.log.child({ module: 'workers' });
  const registry = new WorkerRegistry(workerModel(store), new WorkerHolds(store, clock), clock);
  const client = new WorkerClient({ secret: config.internalSecret, clock });
  return {
    name: 'workers',
    registry,
    client,
    commands: new WorkerCommands({ registry, client, log }),
    placement: new Placement({
      registry,
      client,
      log,
      prepare: preparePlan,
      regionOf,
      tracing: { tracer, clock },
    }),
    sweeps: sweepModel(store),
  };
}
