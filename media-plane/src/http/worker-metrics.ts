import type { Tracer } from '@voice/shared/tracing/tracer';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { CallStatistics } from '../call/call-statistics.js';
import type { CallRegistry } from '../call/registry.js';
import type { EventSpool } from '../control-link/event-spool.js';
import type { SpoolStorage } from '../control-link/spool-storage.js';
import type { SpeechCache } from '../conversation/speech-cache.js';
import type { WorkerLoad } from '../load/watch-load.js';
import type { CircuitBreakers } from '../providers/resilience/circuit-breakers.js';
import type { StrayErrors } from '../stray-errors.js';
import { addCallMetrics } from './call-metrics.js';
import { addProviderMetrics } from './provider-metrics.js';
import { addTracingMetrics } from './tracing-metrics.js';

export interface WorkerMetricsOptions {
  readonly registry: Pick<CallRegistry, 'live' | 'reserved' | 'capacity' | 'draining'>;
  readonly spool: Pick<EventSpool, 'pendingCount' | 'unwrittenCount' | 'droppedCount'>;
  readonly storage: Pick<SpoolStorage, 'full'>;
  readonly breakers: Pick<CircuitBreakers, 'list'>;
  readonly load: Pick<WorkerLoad, 'isOverloaded' | 'lag'>;
  readonly statistics: CallStatistics;
  readonly speechCache: Pick<SpeechCache, 'hits' | 'misses' | 'bytes'>;
  readonly strayErrors: Pick<StrayErrors, 'count'>;
  readonly tracer: Pick<Tracer, 'counts'>;
}

export interface WorkerMetrics {
  readonly metrics: Registry;
  readonly internalErrors: Counter;
}

/**
 * What the defaults measure of the event loop wakes the process a hundred times a second, and counts its own pause in;
 * our own figures take its place.
 */
const LOOP_PRECISION_MS = 1000;
const LOOP_METRICS = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (share) => `nodejs_eventloop_lag_${share}_seconds`,
);

/** Builds what `/metrics` shows of a worker; the process's CPU and memory are in it. */
export function workerMetrics({
  registry,
  spool,
  storage,
  breakers,
  load,
  statistics,
  speechCache,
  strayErrors,
  tracer,
}: WorkerMetricsOptions): WorkerMetrics {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: LOOP_PRECISION_MS });
  for (const name of LOOP_METRICS) metrics.removeSingleMetric(name);
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [metrics],
      collect() {
        this.set(read());
      },
    });
  gauge('worker_calls_live', 'Calls with an open media stream', () => registry.live);
  gauge('worker_calls_reserved', 'Places taken whose media stream has not come yet', () => registry.reserved);
  gauge('worker_places', 'Calls that can be held at once; 0 while draining', () =>
    registry.draining ? 0 : registry.capacity,
  );
  gauge('worker_places_free', 'Calls that can still be taken', () =>
    registry.draining || storage.full || load.isOverloaded
      ? 0
      : registry.capacity - registry.live - registry.reserved,
  );
  gauge(
    'worker_event_loop_lag_p50_seconds',
    'How late timers run, median of 5 seconds',
    () => load.lag.p50Ms / 1000,
  );
  gauge(
    'worker_event_loop_lag_p99_seconds',
    'How late timers run, 99th percentile of 5 seconds',
    () => load.lag.p99Ms / 1000,
  );
  gauge('worker_overloaded', '1 while the event loop is too late for more calls', () =>
    load.isOverloaded ? 1 : 0,
  );
  gauge('worker_events_spooled', 'Events not yet accepted by the control plane', () => spool.pendingCount);
  gauge('worker_storage_full', '1 while the disk takes no more and no new calls are taken', () =>
    storage.full ? 1 : 0,
  );
  gauge(
    'worker_events_unwritten',
    'Events that are in memory alone because the disk is full',
    () => spool.unwrittenCount,
  );
  gauge(
    'worker_events_dropped',
    'Events dropped because too many were in memory alone',
    () => spool.droppedCount,
  );
  addProviderMetrics(metrics, breakers);
  addCallMetrics(metrics, statistics, speechCache);
  addTracingMetrics(metrics, tracer);
  const internalErrors = new Counter({
    name: 'worker_internal_errors_total',
    help: 'Requests that failed inside the worker',
    registers: [metrics],
  });
  new Counter({
    name: 'worker_stray_errors_total',
    help: 'Errors that nothing in the worker caught',
    registers: [metrics],
    collect() {
      this.reset();
      this.inc(strayErrors.count);
    },
  });
  return { metrics, internalErrors };
}
