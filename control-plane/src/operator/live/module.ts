import { WORKER_LOST_AFTER_MS } from '@voice/shared/contracts/worker';
import type { CallRecords } from '../../calls/record/records.js';
import type { Module, Platform } from '../../platform/module.js';
import type { WorkerRegistry } from '../../workers/registry.js';
import { LiveCalls } from './live-calls.js';
import { LiveLinks } from './live-links.js';
import { liveRoutes } from './routes.js';

export interface LiveModule extends Module {
  /** For modules that follow calls besides the API. */
  readonly live: LiveCalls;
}

export interface LiveModuleOptions {
  readonly platform: Platform;
  readonly records: Pick<CallRecords, 'calls' | 'eventsAfter'>;
  readonly workers: WorkerRegistry;
}

/** Live streams of calls: events and audio. */
export function createLiveModule({ platform, records, workers }: LiveModuleOptions): LiveModule {
  const { clock, config } = platform;
  const log = platform.log.child({ module: 'live' });
  const live = new LiveCalls({
    calls: records.calls,
    storedAfter: (tenant, callId, seq) => records.eventsAfter(tenant, callId, seq),
    workerAddress: async (workerId) => {
      const worker = await workers.find(workerId);
      const lost = !worker || worker.last_seen_at.getTime() < clock.now() - WORKER_LOST_AFTER_MS;
      return lost ? undefined : worker.control_url;
    },
    secret: config.internalSecret,
    clock,
    log,
  });
  const links = new LiveLinks({ secretsKeys: config.secretsKeys, clock });
  return {
    name: 'live',
    live,
    routes: liveRoutes({ live, links, publicUrl: () => platform.publicUrl(), clock }),
    endStreams: () => live.close(),
  };
}
