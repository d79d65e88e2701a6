import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/**
 * How often the delay of the event loop is sampled, in ms. The default of 10 ms wakes the process a hundred times a
 * second: a quarter of what an idle control plane took.
 */
const SAMPLE_MS = 100;
/** The defaults sample on their own and cannot be asked not to; in ms. */
const HARDLY_EVER_MS = 86_400_000;

/** Intervals between samples, in ns. */
type LoopSamples = Pick<IntervalHistogram, 'count' | 'min' | 'max' | 'mean' | 'stddev' | 'percentile'>;

/** Returns how late a sample was, in ns: the pause before it is counted in. */
const late = (intervalNs: number) => Math.max(0, intervalNs - SAMPLE_MS * 1e6);

/** What is shown of the samples, in ns. */
const FIGURES = {
  min: ({ min }: LoopSamples) => late(min),
  max: ({ max }: LoopSamples) => late(max),
  mean: ({ mean }: LoopSamples) => late(mean),
  stddev: ({ stddev }: LoopSamples) => stddev,
  p50: (samples: LoopSamples) => late(samples.percentile(50)),
  p90: (samples: LoopSamples) => late(samples.percentile(90)),
  p99: (samples: LoopSamples) => late(samples.percentile(99)),
};
type Figure = keyof typeof FIGURES;
const NAMES = Object.keys(FIGURES) as Figure[];

/** Returns a figure of the event loop's lag, in seconds; 0 before anything was sampled. Pure. */
export function loopLag(samples: LoopSamples, figure: Figure): number {
  return samples.count === 0 ? 0 : FIGURES[figure](samples) / 1e9;
}

/** Adds CPU, memory, garbage collection, and the lag of the event loop since the metrics were read last. */
export function addProcessMetrics(metrics: Registry): void {
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: HARDLY_EVER_MS });
  const samples = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  samples.enable();
  for (const figure of NAMES) {
    const name = `nodejs_eventloop_lag_${figure}_seconds`;
    metrics.removeSingleMetric(name);
    new Gauge({
      name,
      help: `How late the event loop was since the metrics were read last: ${figure}`,
      registers: [metrics],
      collect() {
        this.set(loopLag(samples, figure));
        // All are read in this order, in one turn.
        if (figure === NAMES.at(-1)) samples.reset();
      },
    });
  }
}
