/** When a provider is left alone, and for how long. Times in ms. */
export interface BreakerLimits {
  /** Results older than that do not count, nor does one that came less than `TOGETHER_MS` after such a one. */
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

/** For how long results are counted together, in ms: a worker has hundreds of calls, and judges at each result. */
const TOGETHER_MS = 1000;

/** Results that came together. */
interface BreakerResults {
  /** When the first of them came. */
  readonly at: number;
  readonly count: number;
  readonly bad: number;
  /** Whose the bad ones were, where several tenants share the provider's account; of more than one it has two. */
  readonly badFrom: readonly (string | undefined)[];
}

/** What is known of one provider. Immutable; times are monotonic, in ms. */
export interface BreakerState {
  readonly phase: BreakerPhase;
  readonly results: readonly BreakerResults[];
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
    const results = withResult(state.results, isBad, result.from, now).filter(
      ({ at }) => at > now - limits.windowMs,
    );
    const count = results.reduce((sum, each) => sum + each.count, 0);
    const bad = results.reduce((sum, each) => sum + each.bad, 0);
    const isFew = count < limits.minimum || bad < count * limits.badShare;
    if (isFew || isOfOne(results)) return { ...state, results };
    return opened(limits.openMs, now);
  }
  // What was begun before says nothing of whether it works again.
  if (result.startedAt < state.openedAt + state.openForMs) return state;
  return isBad ? opened(Math.min(limits.maxOpenMs, state.openForMs * 2), now) : CLOSED;
}

function withResult(
  results: readonly BreakerResults[],
  isBad: boolean,
  from: string | undefined,
  now: number,
): readonly BreakerResults[] {
  const last = results.at(-1);
  const isTogether = last !== undefined && now < last.at + TOGETHER_MS;
  const { at, count, bad, badFrom } = isTogether ? last : { at: now, count: 0, bad: 0, badFrom: [] };
  const isNew = isBad && badFrom.length < 2 && !badFrom.includes(from);
  const grown = {
    at,
    count: count + 1,
    bad: isBad ? bad + 1 : bad,
    badFrom: isNew ? [...badFrom, from] : badFrom,
  };
  return [...(isTogether ? results.slice(0, -1) : results), grown];
}

/** Whether all that is bad is of one tenant. */
function isOfOne(results: readonly BreakerResults[]): boolean {
  const [first, ...others] = new Set(results.flatMap(({ badFrom }) => badFrom));
  return first !== undefined && others.length === 0;
}

function opened(openForMs: number, now: number): BreakerState {
  return { phase: 'open', results: [], openedAt: now, openForMs, probedAt: null };
}
