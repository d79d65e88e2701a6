import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import { EventLoopLag, type Lag } from './event-loop-lag.js';
import { Overload } from './overload.js';

/** What the rest of the worker sees of its load. */
export interface WorkerLoad {
  readonly isOverloaded: boolean;
  readonly lag: Lag;
  stop(): void;
}

export interface WatchLoadOptions {
  /** Of `OverloadOptions`. */
  readonly limitMs: number;
  /** Whether the worker holds no calls. */
  readonly isIdle: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Measures and judges the event loop's lag from now on. */
export function watchLoad({ limitMs, isIdle, clock, log }: WatchLoadOptions): WorkerLoad {
  const lag = new EventLoopLag(clock, isIdle);
  const overload = new Overload({
    clock,
    lag: () => lag.read(),
    limitMs,
    onChange(isOverloaded, { p99Ms }) {
      const fields = { lag_p99_ms: Math.round(p99Ms), limit_ms: limitMs };
      if (isOverloaded)
        log.warn(fields, 'the event loop is late: no more calls are taken beside those there are');
      else log.info(fields, 'the event loop is in time again: calls are taken');
    },
  });
  lag.start();
  overload.start();
  return {
    get isOverloaded() {
      return overload.isOverloaded;
    },
    get lag() {
      return overload.lag;
    },
    stop() {
      lag.stop();
      overload.stop();
    },
  };
}
