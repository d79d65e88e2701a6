import type { RecurringJob } from '../../platform/jobs/jobs.js';
import type { NumberService } from './number-service.js';

/** Finds out what became of purchases, and goes on with releases, that were left open. */
export function openNumbers(numbers: NumberService): RecurringJob {
  return { name: 'open-numbers', every: '20 seconds', run: () => numbers.resume() };
}
