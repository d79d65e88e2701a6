import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { WorkerRegistry } from '../../workers/registry.js';

/** What operators watch of the calls; free places are what an orchestrator scales on. */
export class CallMetrics {
  readonly #ended: Counter<'status' | 'end_reason'>;
  readonly #dispatch: Histogram<'outcome'>;

  constructor(registry: Registry, workers: WorkerRegistry) {
    this.#ended = new Counter({
      name: 'calls_ended_total',
      help: 'Calls that reached a terminal status.',
      labelNames: ['status', 'end_reason'],
      registers: [registry],
    });
    this.#dispatch = new Histogram({
      name: 'call_dispatch_seconds',
      help: 'Time from the queueing of a call to the answer of the carrier that dials it.',
      labelNames: ['outcome'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60],
      registers: [registry],
    });
    new Gauge({
      name: 'worker_free_places',
      help: 'Places for calls at the media workers that report and do not drain.',
      registers: [registry],
      async collect() {
        const candidates = await workers.candidates();
        this.set(candidates.reduce((sum, { free }) => sum + free, 0));
      },
    });
  }

  ended(status: string, endReason: string): void {
    this.#ended.inc({ status, end_reason: endReason });
  }

  dispatched(outcome: 'dialed' | 'failed', seconds: number): void {
    this.#dispatch.observe({ outcome }, seconds);
  }
}
