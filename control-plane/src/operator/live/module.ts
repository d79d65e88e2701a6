import { type CallEvent, callEvent } from '@voice/shared/contracts/call-events';
import { WORKER_LOST_AFTER_MS } from '@voice/shared/contracts/worker';
import type { TenantId } from '@voice/shared/ids/ids';
import type { CallEventDocument } from '../../calls/record/call-event-model.js';
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
  readonly records: Pick<CallRecords, 'calls' | 'events'>;
  readonly workers: WorkerRegistry;
}

/** Live streams of calls: events and audio. */
export function createLiveModule({ platform, records, workers }: LiveModuleOptions): LiveModule {
  const { clock, config } = platform;
  const log = platform.log.child({ module: 'live' });
  const live = new LiveCalls({
    calls: records.calls,
    storedAfter: async (tenant: TenantId, callId: string, seq: number): Promise<CallEvent[]> => {
      const stored = await records.events
        .find({ call_id: callId, tenant_id: tenant, seq: { $gt: seq } }, { body: 1 })
        .sort({ seq: 1 })
        .lean<Pick<CallEventDocument, 'body'>[]>();
      return stored.map(({ body }) => callEvent.parse(JSON.parse(body)));
    },
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
