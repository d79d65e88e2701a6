/** When a provider is left alone, and for how long. Times in ms. */
export interface BreakerLimits {
  /** Results older than that do not count. */
  readonly windowMs: number;
  /** Results before which nothing is judged. */
  readonly minimum: number;
  /** Share of failed and slow results from which on the provider is left alone, 0 to 1. */
  readonly badShare: number;
  /** The first time, and at most: it doubles with each probe that fails. */
  readonly openMs: number;
  readonly maxOpenMs: number;
  /** A probe that has no result by then is given up, and another is let through. */
  readonly probeMs: number;
}

export const BREAKER_LIMITS: BreakerLimits = {
  windowMs: 60_000,
  minimum: 5,
  badShare: 0.5,
  openMs: 10_000,
  maxOpenMs: 60_000,
  probeMs: 10_000,
};

/** `slow`: it answered, but later than a caller waits. */
export type BreakerOutcome = 'ok' | 'slow' | 'failed';

/** Open: left alone. Half open: one request tries whether it works again. */
export type BreakerPhase = 'closed' | 'open' | 'half_open';

/** What is known of one provider. Immutable; times are monotonic, in ms. */
export interface BreakerState {
  readonly phase: BreakerPhase;
  readonly results: readonly { readonly at: number; readonly isBad: boolean }[];
  readonly openedAt: number;
  readonly openForMs: number;
  /** When the probe was let through; null while there is none. */
  readonly probedAt: number | null;
}

export const CLOSED: BreakerState = {
  phase: 'closed',
  results: [],
  openedAt: 0,
  openForMs: 0,
  probedAt: null,
};

/** Decides whether a request that could go elsewhere may go to the provider. Pure. */
export function admit(
  state: BreakerState,
  limits: BreakerLimits,
  now: number,
): { readonly state: BreakerState; readonly isAdmitted: boolean } {
  if (state.phase === 'closed') return { state, isAdmitted: true };
  const isDue =
    state.phase === 'open'
      ? now >= state.openedAt + state.openForMs
      : state.probedAt === null || now >= state.probedAt + limits.probeMs;
  if (!isDue) return { state, isAdmitted: false };
  return { state: { ...state, phase: 'half_open', probedAt: now }, isAdmitted: true };
}

/** Takes the result of a request that was begun at `startedAt`. Pure. */
export function record(
  state: BreakerState,
  limits: BreakerLimits,
  result: { readonly outcome: BreakerOutcome; readonly startedAt: number },
  now: number,
): BreakerState {
  const isBad = result.outcome !== 'ok';
  if (state.phase === 'closed') {
    const since = now - limits.windowMs;
    const results = [...state.results.filter(({ at }) => at > since), { at: now, isBad }];
    const bad = results.filter((other) => other.isBad).length;
    if (results.length < limits.minimum || bad < results.length * limits.badShare)
      return { ...state, results };
    return opened(limits.openMs, now);
  }
  // What was begun before says nothing of whether it works again.
  if (result.startedAt < state.openedAt + state.openForMs) return state;
  return isBad ? opened(Math.min(limits.maxOpenMs, state.openForMs * 2), now) : CLOSED;
}

function opened(openForMs: number, now: number): BreakerState {
  return { phase: 'open', results: [], openedAt: now, openForMs, probedAt: null };
}
