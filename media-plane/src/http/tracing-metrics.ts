import type { Tracer } from '@voice/shared/tracing/tracer';
import { Counter, type Registry } from 'prom-client';

/** Adds what became of spans. */
export function addTracingMetrics(registry: Registry, tracer: Pick<Tracer, 'counts'>): void {
  new Counter({
    name: 'worker_trace_spans_total',
    help: 'Spans that were sent to the collector, and that were dropped: queue full, or refused',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ outcome: 'exported' }, tracer.counts.exported);
      this.inc({ outcome: 'dropped' }, tracer.counts.dropped);
    },
  });
}
