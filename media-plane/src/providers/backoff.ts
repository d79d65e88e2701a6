export interface Backoff {
  /** Wait before the first reconnection, in ms; doubles with each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Failures in a row after which the session gives up. */
  readonly maxFailures: number;
}

export const DEFAULT_BACKOFF: Backoff = { firstMs: 100, maxMs: 2000, maxFailures: 5 };

/**
 * Returns the wait in ms after the n-th failure in a row (from 1). `spread` (0..1) takes off up to a quarter, so that a
 * thousand calls do not reconnect in the same instant.
 */
export function backoffMs(backoff: Backoff, failures: number, spread: number): number {
  const full = Math.min(backoff.maxMs, backoff.firstMs * 2 ** (failures - 1));
  return full * (1 - spread / 4);
}
