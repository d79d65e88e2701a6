/** Attempts of one delivery (specification, section 6). */
export const MAX_ATTEMPTS = 10;
/** From the first attempt to the last, in ms. */
export const RETRY_WINDOW_MS = 24 * 60 * 60 * 1000;

const FIRST_DELAY_MS = 10_000;

/**
 * Returns by how much each delay is longer than the one before, so that `attempts` of them, the first two of which
 * are `firstDelayMs` apart, fill `windowMs`. Two attempts have one delay and nothing that grows: 1.
 */
export function growthFor(attempts: number, windowMs: number, firstDelayMs = FIRST_DELAY_MS): number {
  if (attempts < 3) return 1;
  const sumOf = (growth: number) => {
    let sum = 0;
    for (let i = 0; i < attempts - 1; i++) sum += firstDelayMs * growth ** i;
    return sum;
  };
  // The sum of a geometric series has no root in closed form. It grows with its ratio, so halving finds it.
  let [low, high] = [0, windowMs / firstDelayMs];
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (sumOf(middle) > windowMs) high = middle;
    else low = middle;
  }
  return low;
}

/** About 2.95: 10 s, 29 s, 87 s, … 16 hours. */
const GROWTH = growthFor(MAX_ATTEMPTS, RETRY_WINDOW_MS);
/** Up to this share of a delay is taken off by chance, so that what failed together does not return together. */
const JITTER = 0.2;

/**
 * Returns the delay after the `attempt`-th attempt before chance, in whole ms: rounded down, so that the sum keeps to
 * the window.
 */
export function nominalDelayMs(attempt: number): number {
  return Math.floor(FIRST_DELAY_MS * GROWTH ** (attempt - 1));
}

interface FailedAttempt {
  /** From 1. */
  readonly attempt: number;
  /** When the first attempt was due, epoch ms. */
  readonly firstDueAt: number;
  /** Epoch ms. */
  readonly now: number;
  /** What the receiver asked for, in ms from now. */
  readonly retryAfterMs?: number;
  /** 0 to 1. */
  readonly random: number;
}

/**
 * Returns when to try again, epoch ms; null after the last attempt. `Retry-After` is honoured up to the end of the 24
 * hours; it can only make an attempt later.
 */
export function nextAttemptAt({
  attempt,
  firstDueAt,
  now,
  retryAfterMs = 0,
  random,
}: FailedAttempt): number | null {
  if (attempt >= MAX_ATTEMPTS) return null;
  const backoff = now + nominalDelayMs(attempt) * (1 - JITTER * random);
  const asked = Math.min(now + retryAfterMs, firstDueAt + RETRY_WINDOW_MS);
  return Math.round(Math.max(backoff, asked));
}

/** Reads a `Retry-After` header (RFC 9110, section 10.2.3: seconds, or an HTTP date) in ms from `now`. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
