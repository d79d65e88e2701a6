import { withJoinedSignal } from '@voice/shared/abort/with-joined-signal';
import type { Clock } from '@voice/shared/clock/clock';
import { apiError } from '../../platform/http/error-codes.js';

/** How long one try of a step may take, in ms. */
export const STEP_LIMIT_MS = 90_000;

/**
 * Runs one try of a step for at most `STEP_LIMIT_MS`. Its signal aborts at the limit and with `stopping`; a step
 * that does not listen is not waited for. Rejects with `post_call_step_timed_out` at the limit, with the reason
 * of `stopping` when that aborts first.
 */
export async function withinStepLimit<T>(
  clock: Clock,
  stopping: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = clock.schedule(STEP_LIMIT_MS, () =>
    limit.abort(apiError('post_call_step_timed_out', undefined, { retryable: true })),
  );
  const cut = (signal: AbortSignal) => {
    const cutOff = new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return Promise.race([run(signal), cutOff]);
  };
  try {
    return await withJoinedSignal({ signals: [stopping, limit.signal] }, cut);
  } finally {
    timer.cancel();
  }
}
