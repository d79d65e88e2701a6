import type { RecurringJob } from '../../platform/jobs/rounds.js';
import type { EndPublisher } from './end-publisher.js';

/** Publishes ends that were held until now, and what a crash left unpublished. */
export function publishSweep(publisher: EndPublisher): RecurringJob {
  return { name: 'publish-ends', everyMs: 2000, run: () => publisher.sweep() };
}
