import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { LiveEvent } from '@voice/shared/contracts/live-events';
import type { Response } from 'express';
import { watchAdmission } from '../../platform/http/admission-watch.js';
import { EventStream } from '../../platform/http/server-sent-events.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { LiveCalls } from './live-calls.js';

/** How often a silent stream says that it lives, in ms, so that no proxy closes it. */
const HEARTBEAT_MS = 15_000;
/** When a client that lost its stream comes again, in ms. */
const RETRY_MS = 1000;
/** What may wait for a slow client, in bytes; it comes back with `Last-Event-ID` and misses nothing durable. */
const MAX_WAITING_BYTES = 1024 * 1024;

export interface CallStreamOptions {
  readonly live: LiveCalls;
  readonly scope: TenantScope;
  readonly callId: string;
  /** The number of the last event that the client has; undefined for one that comes for the first time. */
  readonly afterSeq: number | undefined;
  readonly clock: Clock;
  readonly isStillAdmitted: () => Promise<boolean>;
}

/** Writes a call's live events as server-sent events until the call is over or the client is gone. */
export function streamCall(response: Response, options: CallStreamOptions): Promise<void> {
  const { live, scope, callId, afterSeq, clock, isStillAdmitted } = options;
  return new Promise((resolve) => {
    const stream = new EventStream(response);
    stream.write(`retry: ${RETRY_MS}\n\n`);
    let heartbeat: Timer | undefined;
    const beat = () => {
      heartbeat = clock.schedule(HEARTBEAT_MS, () => {
        stream.write(': heartbeat\n\n');
        beat();
      });
    };
    beat();
    const unwatch = watchAdmission({ clock, isStillAdmitted, onOver: () => stream.end() });
    const leave = live.follow(
      scope,
      callId,
      {
        send: (event: LiveEvent) => {
          stream.send(event.type, event, 'seq' in event ? event.seq : undefined);
          if (stream.waitingBytes > MAX_WAITING_BYTES) stream.destroy();
        },
        end: () => stream.end(),
      },
      afterSeq,
    );
    response.once('close', () => {
      heartbeat?.cancel();
      unwatch();
      leave();
      resolve();
    });
  });
}
