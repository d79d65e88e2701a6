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

/** One result. `from`: whose request it was, where several tenants share the provider's account. */
interface BreakerResult {
  readonly at: number;
  readonly isBad: boolean;
  readonly from: string | undefined;
}

/** What is known of one provider. Immutable; times are monotonic, in ms. */
export interface BreakerState {
  readonly phase: BreakerPhase;
  readonly results: readonly BreakerResult[];
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

/**
 * Takes the result of a request that was begun at `startedAt`. Where all that is bad came from one of several tenants, it
 * may be the model or the parameters that they chose: that is not the provider's. Pure.
 */
export function record(
  state: BreakerState,
  limits: BreakerLimits,
  result: {
    readonly outcome: BreakerOutcome;
    readonly startedAt: number;
    readonly from?: string | undefined;
  },
  now: number,
): BreakerState {
  const isBad = result.outcome !== 'ok';
  if (state.phase === 'closed') {
    const since = now - limits.windowMs;
    const results = [...state.results.filter(({ at }) => at > since), { at: now, isBad, from: result.from }];
    const bad = results.filter((other) => other.isBad);
    const isFew = results.length < limits.minimum || bad.length < results.length * limits.badShare;
    if (isFew || isOfOne(bad)) return { ...state, results };
    return opened(limits.openMs, now);
  }
  // What was begun before says nothing of whether it works again.
  if (result.startedAt < state.openedAt + state.openForMs) return state;
  return isBad ? opened(Math.min(limits.maxOpenMs, state.openForMs * 2), now) : CLOSED;
}

function isOfOne(bad: readonly BreakerResult[]): boolean {
  const [first] = bad;
  return first?.from !== undefined && bad.every(({ from }) => from === first.from);
}

function opened(openForMs: number, now: number): BreakerState {
  return { phase: 'open', results: [], openedAt: now, openForMs, probedAt: null };
}
