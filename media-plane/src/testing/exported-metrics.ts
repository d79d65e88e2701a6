import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { NO_TRACING } from '@voice/shared/tracing/tracer';
import type { Registry } from 'prom-client';
import { CallStatistics } from '../call/call-statistics.js';
import { workerMetrics } from '../http/worker-metrics.js';
import { CircuitBreakers } from '../providers/resilience/circuit-breakers.js';

/** Builds what `/metrics` of a worker shows: an idle one, or one that drains. */
export function exportedMetrics({ draining = false } = {}): Registry {
  return workerMetrics({
    registry: { live: 0, reserved: 0, capacity: 2, draining },
    spool: { pendingCount: 0, unwrittenCount: 0, droppedCount: 0 },
    storage: { full: false },
    breakers: new CircuitBreakers(new ScriptedClock()),
    load: { isOverloaded: false, lag: { p50Ms: 0, p99Ms: 0 } },
    statistics: new CallStatistics(),
    speechCache: { hits: 0, misses: 0, bytes: 0 },
    strayErrors: { count: 0 },
    tracer: NO_TRACING,
  }).metrics;
}
