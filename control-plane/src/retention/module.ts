import type { CallsModule } from '../calls/module.js';
import type { TenantsService } from '../identity/tenants/service.js';
import type { Module, Platform } from '../platform/module.js';
import { ArchiveByAge } from './archive-by-age.js';
import { Erasure, type ErasureOptions } from './erasure.js';
import { Retention } from './retention.js';
import { RetentionProgress } from './retention-progress.js';
import { retentionRoutes } from './routes.js';
import { settingsRoutes } from './settings-routes.js';

/** How often calls are looked for whose erasure was cut short, or waits for the end of the call, in ms. */
const SWEEP_EVERY_MS = 10_000;
/** How often tenants are looked for whose calls are to be erased by their settings, in ms. */
const RETENTION_EVERY_MS = 60_000;
/** How often tenants are looked for whose calls are to be archived, in ms. */
const ARCHIVE_EVERY_MS = 60_000;

export interface RetentionModuleOptions extends Pick<ErasureOptions, 'eraseEvents'> {
  readonly platform: Pick<Platform, 'store' | 'clock' | 'config' | 'log'>;
  readonly tenants: TenantsService;
  readonly calls: Pick<CallsModule, 'erasedCalls' | 'archiving' | 'audit'>;
  /** What other rooms erase of a call. */
  readonly eraseSteps: ErasureOptions['steps'];
}

/** Wires the end of what is kept of calls. */
export function createRetentionModule(options: RetentionModuleOptions): Module {
  const { calls, eraseSteps, eraseEvents, tenants } = options;
  const { store, clock, config, log } = options.platform;
  const erasure = new Erasure({ calls: calls.erasedCalls, steps: eraseSteps, eraseEvents, clock, log });
  const progress = new RetentionProgress(store);
  const retention = new Retention({ tenants, calls: calls.erasedCalls, erasure, progress, clock, log });
  const { archiveCallsAfterDays: afterDays } = config;
  const archive =
    afterDays === undefined
      ? undefined
      : new ArchiveByAge({
          afterDays,
          tenants,
          calls: calls.erasedCalls,
          archiving: calls.archiving,
          progress,
          clock,
          log,
        });
  return {
    name: 'retention',
    routes: [...retentionRoutes({ erasure, audit: calls.audit }), ...settingsRoutes({ tenants, clock })],
    jobs: [
      { name: 'erasure', everyMs: SWEEP_EVERY_MS, run: () => erasure.sweep() },
      { name: 'retention', everyMs: RETENTION_EVERY_MS, run: () => retention.run() },
      ...(archive ? [{ name: 'archive', everyMs: ARCHIVE_EVERY_MS, run: () => archive.run() }] : []),
    ],
  };
}
