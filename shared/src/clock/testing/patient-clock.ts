import { type Clock, sleepOn, systemClock } from '../clock.js';

/**
 * Creates a clock on which time passes `slower` times as slowly as on the machine's, but for timestamps: a deadline
 * that a test is not about does not pass because the machine is busy.
 */
export function patientClock(slower = 20): Clock {
  const clock: Clock = {
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic() / slower,
    schedule: (delayMs, task) => systemClock.schedule(delayMs * slower, task),
    sleep: (delayMs, signal) => sleepOn(clock, delayMs, signal),
  };
  return clock;
}
