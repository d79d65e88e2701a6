import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import type { EventSender } from './event-sender.js';
import type { EventSpool } from './event-spool.js';
import type { Uploads } from './uploads.js';
import { whileProgress } from './while-progress.js';

/**
 * How long the end of the process waits for the MP3 that is being made to grow, or the control plane to take the next
 * events or file, in ms. The whole MP3 of the longest call may take more.
 */
const STALLED_MS = 15_000;

export interface FlushAllOptions {
  readonly sender: Pick<EventSender, 'flush'>;
  readonly spool: Pick<EventSpool, 'pendingCount'>;
  readonly uploads: Pick<Uploads, 'flush' | 'pendingCount' | 'encodedMs'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sends the last events and makes and uploads the last recordings, for as long as that gets further. */
export async function flushAll({ sender, spool, uploads, clock, log }: FlushAllOptions): Promise<void> {
  const left = () => spool.pendingCount + uploads.pendingCount;
  await whileProgress((signal) => Promise.all([sender.flush(signal), uploads.flush(signal)]), {
    clock,
    left,
    done: () => uploads.encodedMs,
    stalledMs: STALLED_MS,
  });
  if (left() > 0) log.warn({ left: left() }, 'events or recordings wait for the next start with this folder');
}
