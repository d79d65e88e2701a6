import { END_REASONS } from '@voice/shared/contracts/primitives';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { WorkerRegistry } from '../../workers/registry.js';
import { statusOfEnd } from './call-state.js';
import type { MeasuredTurn } from './measured-turns.js';

/** In seconds: a gap in a conversation, from what nobody notices to what ends it. */
const LATENCY_BUCKETS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1, 1.25, 1.5, 2, 3, 5, 10];

/** What operators watch of the calls; free places are what an orchestrator scales on. */
export class CallMetrics {
  readonly #ended: Counter<'status' | 'end_reason'>;
  readonly #dispatch: Histogram<'outcome'>;
  readonly #response: Histogram<'by'>;
  readonly #bargeIn: Histogram<'by'>;

  constructor(registry: Registry, workers: WorkerRegistry) {
    this.#ended = new Counter({
      name: 'calls_ended_total',
      help: 'Calls that reached a terminal status.',
      labelNames: ['status', 'end_reason'],
      registers: [registry],
    });
    // There before the first: Prometheus sees no increase in a series that begins with its value.
    for (const reason of END_REASONS) {
      this.#ended.inc({ status: statusOfEnd(reason, 'IN_PROGRESS'), end_reason: reason }, 0);
      this.#ended.inc({ status: statusOfEnd(reason, 'QUEUED'), end_reason: reason }, 0);
    }
    this.#dispatch = new Histogram({
      name: 'call_dispatch_seconds',
      help: 'Time from the queueing of a call to the answer of the carrier that dials it.',
      labelNames: ['outcome'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60],
      registers: [registry],
    });
    const latency = (name: string, help: string) =>
      new Histogram({ name, help, labelNames: ['by'], buckets: LATENCY_BUCKETS, registers: [registry] });
    this.#response = latency(
      'call_response_latency_seconds',
      "From the end of the caller's speech to the agent, by the worker and by the recording of the same turns.",
    );
    this.#bargeIn = latency(
      'call_barge_in_latency_seconds',
      "From the caller's interruption to silence, by the worker and by the recording of the same turns.",
    );
    new Gauge({
      name: 'worker_free_places',
      help: 'Places for calls at the media workers that report and do not drain.',
      registers: [registry],
      async collect() {
        // Without the store it is not known; all other metrics are.
        const candidates = await workers.candidates().catch(() => null);
        this.set(candidates?.reduce((sum, { free }) => sum + free, 0) ?? Number.NaN);
      },
    });
  }

  ended(status: string, endReason: string): void {
    this.#ended.inc({ status, end_reason: endReason });
  }

  /** Observes the turns of a recorded call that both have measured. */
  measured(turns: readonly MeasuredTurn[]): void {
    for (const turn of turns) {
      observeBoth(this.#response, turn.response_latency_ms, turn.waveform_response_latency_ms);
      observeBoth(this.#bargeIn, turn.barge_in_latency_ms, turn.waveform_barge_in_latency_ms);
    }
  }

  dispatched(outcome: 'dialed' | 'failed', seconds: number): void {
    this.#dispatch.observe({ outcome }, seconds);
  }
}

function observeBoth(histogram: Histogram<'by'>, workerMs: number | null, waveformMs: number | null): void {
  if (workerMs === null || waveformMs === null) return;
  histogram.observe({ by: 'worker' }, workerMs / 1000);
  histogram.observe({ by: 'recording' }, waveformMs / 1000);
}
