import type { RecurringJob } from '../../platform/jobs/jobs.js';
import type { PostCall } from './post-call.js';

/** Goes on with ended calls whose runner died, and with those that wait for something. */
export function postCallSweep(postCall: PostCall): RecurringJob {
  return { name: 'post-call', every: '2 seconds', run: () => postCall.sweep() };
}
