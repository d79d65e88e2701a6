import type { EndPublisher } from '../post-call/end-publisher.js';
import type { RecurringJob } from './jobs.js';

/** Publishes ends that were held until now, and what a crash left unpublished. */
export function publishSweep(publisher: EndPublisher): RecurringJob {
  return { name: 'publish-ends', every: '1 seconds', run: () => publisher.sweep() };
}
