import type { CallsModule } from '../calls/module.js';
import type { Module } from '../platform/module.js';
import { type EraseStep, Erasure } from './erasure.js';
import { retentionRoutes } from './routes.js';

/** How often calls are looked for whose erasure was cut short, or waits for the end of the call, in ms. */
const SWEEP_EVERY_MS = 10_000;

export interface RetentionModuleOptions {
  readonly calls: Pick<CallsModule, 'erasedCalls' | 'audit'>;
  /** What other rooms erase of a call. */
  readonly eraseSteps: readonly EraseStep[];
}

/** Wires the end of what is kept of calls. */
export function createRetentionModule({ calls, eraseSteps }: RetentionModuleOptions): Module {
  const erasure = new Erasure({ calls: calls.erasedCalls, steps: eraseSteps });
  return {
    name: 'retention',
    routes: retentionRoutes({ erasure, audit: calls.audit }),
    jobs: [{ name: 'erasure', everyMs: SWEEP_EVERY_MS, run: () => erasure.sweep() }],
  };
}
