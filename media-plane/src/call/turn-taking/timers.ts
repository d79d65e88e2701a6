import { bargeInDeadline, falseInterruptionDeadline } from './barge-in.js';
import { closingDeadline, maxDurationDeadline } from './closing.js';
import { endpointingDeadline, maxEndpointingDeadline } from './endpointing.js';
import type { TimerName } from './events.js';
import { stableInterimDeadline } from './preemption.js';
import { fillerDeadline, silenceDeadline } from './silence.js';
import type { Draft, State } from './state.js';
import { greetingDeadline } from './voicemail.js';

/**
 * Timers follow from the state: after every decision each one that should be open is, and no other. A
 * deadline that has moved on is not set again; the timer fires, finds itself early, and is set then. So
 * a timer can be neither forgotten nor left behind.
 */

const NAMES: readonly TimerName[] = [
  'endpointing',
  'max_endpointing',
  'stable_interim',
  'barge_in',
  'false_interruption',
  'filler',
  'silence',
  'max_duration',
  'closing',
];

/** Machines' timers may fire a little early, in ms. */
const TOLERANCE_MS = 1;

/** When the timer should fire, ms since the media stream began; null when it has no purpose now. */
export function deadline(state: State, name: TimerName, at: number): number | null {
  if (state.over) return null;
  switch (name) {
    case 'endpointing':
      return endpointingDeadline(state);
    case 'max_endpointing':
      return maxEndpointingDeadline(state);
    case 'stable_interim':
      return stableInterimDeadline(state);
    case 'barge_in':
      return bargeInDeadline(state, at);
    case 'false_interruption':
      return falseInterruptionDeadline(state);
    case 'filler':
      return fillerDeadline(state);
    case 'silence':
      return silenceDeadline(state);
    case 'max_duration':
      return maxDurationDeadline(state);
    case 'closing':
      return closingDeadline(state) ?? greetingDeadline(state);
  }
}

export function armTimers(draft: Draft): void {
  const { state, effects, at } = draft;
  if (state.over) return;
  for (const name of NAMES) {
    const open = state.timers[name];
    const wanted = deadline(state, name, at);
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

/** A timer fired. True when its time has really come. */
export function timerIsDue({ state, at }: Draft, name: TimerName): boolean {
  if (state.timers[name] === undefined) return false;
  const { [name]: _, ...others } = state.timers;
  state.timers = others;
  // A deadline that passes with its moment is still wanted at that moment.
  const wanted = deadline(state, name, at - 2 * TOLERANCE_MS);
  return wanted !== null && at + TOLERANCE_MS >= wanted;
}

export function cancelAllTimers({ state, effects }: Draft): void {
  for (const name of NAMES) {
    if (state.timers[name] !== undefined) effects.push({ type: 'cancel_timer', name });
  }
  state.timers = {};
}
