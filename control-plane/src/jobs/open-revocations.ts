import type { Revocations } from '../integrations/revocations.js';
import type { RecurringJob } from './jobs.js';

/** Asks vendors again that could not be reached when their tokens were to be revoked. */
export function openRevocations(revocations: Revocations): RecurringJob {
  return { name: 'open-revocations', every: '5 seconds', run: () => revocations.sweep() };
}
