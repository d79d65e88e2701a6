import type { NumberService } from '../phones/number-service.js';
import type { RecurringJob } from './jobs.js';

/** Finds out what became of purchases, and goes on with releases, that were left open. */
export function openNumbers(numbers: NumberService): RecurringJob {
  return { name: 'open-numbers', every: '20 seconds', run: () => numbers.resume() };
}
