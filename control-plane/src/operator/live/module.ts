import { type CallEvent, callEvent } from '@voice/shared/contracts/call-events';
import { WORKER_LOST_AFTER_MS } from '@voice/shared/contracts/worker';
import type { TenantId } from '@voice/shared/ids/ids';
import { type CallEventDocument, callEventModel } from '../../calls/record/call-event-model.js';
import { callModel } from '../../calls/record/model.js';
import type { Module, Platform } from '../../platform/module.js';
import { workerModel } from '../../workers/model.js';
import { WorkerRegistry } from '../../workers/registry.js';
import { LiveCalls } from './live-calls.js';
import { LiveLinks } from './live-links.js';
import { liveRoutes } from './routes.js';

export interface LiveModule extends Module {
  /** For whoever follows calls besides the API. */
  readonly live: LiveCalls;
}

/** Live streams of calls: events and audio. */
export function createLiveModule(platform: Platform): LiveModule {
  const { store, clock, config } = platform;
  const log = platform.log.child({ module: 'live' });
  const events = callEventModel(store);
  const workers = new WorkerRegistry(workerModel(store), clock);
  const live = new LiveCalls({
    calls: callModel(store),
    storedAfter: async (tenant: TenantId, callId: string, seq: number): Promise<CallEvent[]> => {
      const stored = await events
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
