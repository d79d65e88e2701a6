import type { RecurringJob } from '../platform/jobs/jobs.js';
import type { Revocations } from './revocations.js';

/** Asks vendors again that could not be reached when their tokens were to be revoked. */
export function openRevocations(revocations: Revocations): RecurringJob {
  return { name: 'open-revocations', every: '5 seconds', run: () => revocations.sweep() };
}
