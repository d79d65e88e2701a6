import { TIMER_NAMES, type TimerName } from './events.js';
import type { Draft, State } from './state.js';

/**
 * Timers follow from the state: after every decision each one that should be open is, and no other. A
 * deadline that has moved on is not set again; the timer fires, finds itself early, and is set then. So
 * a timer can be neither forgotten nor left behind.
 */

/** One rule's deadline. The rules state it; this file alone opens, moves and closes the timers. */
interface Deadline {
  /** When the timer should fire, ms since the media stream began; null when it has no purpose now. */
  readonly at: (state: State, now: number) => number | null;
  readonly onDue: (draft: Draft) => void;
}

export type Deadlines = Readonly<Record<TimerName, Deadline>>;

/** Machines' timers may fire a little early, in ms. */
const TOLERANCE_MS = 1;

/** Opens and closes timers so that they agree with the state. */
export function armTimers(draft: Draft, deadlines: Deadlines): void {
  const { state, effects, at } = draft;
  if (state.over) return;
  for (const name of TIMER_NAMES) {
    const open = state.timers[name];
    const wanted = deadlines[name].at(state, at);
    if (wanted === null) {
      if (open === undefined) continue;
      const { [name]: _, ...others } = state.timers;
      state.timers = others;
      effects.push({ type: 'cancel_timer', name });
    } else if (open === undefined || wanted < open) {
      state.timers = { ...state.timers, [name]: wanted };
      effects.push({ type: 'set_timer', name, at: wanted });
    }
  }
}

/** Applies the deadline of a timer that fired, if its time has really come. */
export function onTimer(draft: Draft, deadlines: Deadlines, name: TimerName): void {
  const { state, at } = draft;
  if (state.timers[name] === undefined) return;
  const { [name]: _, ...others } = state.timers;
  state.timers = others;
  const { at: deadlineAt, onDue } = deadlines[name];
  // A deadline that passes with its moment is still wanted at that moment.
  const wanted = deadlineAt(state, at - 2 * TOLERANCE_MS);
  if (wanted !== null && at + TOLERANCE_MS >= wanted) onDue(draft);
}

export function cancelAllTimers({ state, effects }: Draft): void {
  for (const name of TIMER_NAMES) {
    if (state.timers[name] !== undefined) effects.push({ type: 'cancel_timer', name });
  }
  state.timers = {};
}
