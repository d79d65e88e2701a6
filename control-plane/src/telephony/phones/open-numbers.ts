import type { RecurringJob } from '../../platform/jobs/rounds.js';
import type { NumberService } from './number-service.js';

/** Finds out what became of purchases, and goes on with releases, that were left open. */
export function openNumbers(numbers: NumberService): RecurringJob {
  return { name: 'open-numbers', everyMs: 20_000, run: () => numbers.resume() };
}
