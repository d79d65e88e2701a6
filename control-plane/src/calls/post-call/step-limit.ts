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
  const signal = AbortSignal.any([stopping, limit.signal]);
  let onAbort: () => void = () => {};
  try {
    const cutOff = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
    return await Promise.race([run(signal), cutOff]);
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}
