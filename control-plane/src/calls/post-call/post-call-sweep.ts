import type { RecurringJob } from '../../platform/jobs/rounds.js';
import type { PostCall } from './post-call.js';

/** Goes on with ended calls whose runner died, and with those that wait for something. */
export function postCallSweep(postCall: PostCall): RecurringJob {
  return { name: 'post-call', everyMs: 2000, run: () => postCall.sweep() };
}
