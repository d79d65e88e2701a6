import type { RecurringJob } from '../platform/jobs/rounds.js';
import type { Revocations } from './revocations.js';

/** Asks vendors again that could not be reached when their tokens were to be revoked. */
export function openRevocations(revocations: Revocations): RecurringJob {
  return { name: 'open-revocations', everyMs: 10_000, run: () => revocations.sweep() };
}
