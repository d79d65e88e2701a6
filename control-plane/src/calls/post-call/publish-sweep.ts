import type { RecurringJob } from '../../platform/jobs/jobs.js';
import type { EndPublisher } from './end-publisher.js';

/** Publishes ends that were held until now, and what a crash left unpublished. */
export function publishSweep(publisher: EndPublisher): RecurringJob {
  return { name: 'publish-ends', every: '1 seconds', run: () => publisher.sweep() };
}
