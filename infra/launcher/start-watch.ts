import type { Clock, Timer } from '@voice/shared/clock/clock';

/** A start that does nothing for so long is given up, in ms. */
const STALLED_AFTER_MS = 30_000;
/** A start that takes so long is given up, whatever it does, in ms. */
export const START_LIMIT_MS = 15 * 60_000;
/** Less computing than this between two signs of life is what an idle process does anyway, in ms. */
const COMPUTING_MS = 200;
const LOOK_EVERY_MS = 1000;

export interface StartWatchOptions {
  readonly clock: Clock;
  /** CPU time that the process has used, in ms; undefined where the system does not say. */
  readonly cpuMs: () => number | undefined;
  /** Called at most once, with what is wrong. */
  readonly onGivenUp: (reason: string) => void;
}

/**
 * Watches a process start. Slow is not stuck: on a busy machine a start may take minutes, building indexes on a
 * large database longer still; so it is given up when it makes no progress, not after a fixed time. Progress is
 * what it reports, what it writes, and the CPU time that it uses.
 */
export class StartWatch {
  readonly #options: StartWatchOptions;
  readonly #startedAt: number;
  #progressAt: number;
  #countedCpuMs = 0;
  #timer: Timer;

  constructor(options: StartWatchOptions) {
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
    this.#progressAt = this.#startedAt;
    this.#timer = options.clock.schedule(LOOK_EVERY_MS, () => this.#look());
  }

  /** Notes a step of progress. */
  progress(): void {
    this.#progressAt = this.#options.clock.monotonic();
  }

  stop(): void {
    this.#timer.cancel();
  }

  #look(): void {
    const { clock, cpuMs, onGivenUp } = this.#options;
    const used = cpuMs() ?? 0;
    if (used - this.#countedCpuMs >= COMPUTING_MS) {
      this.#countedCpuMs = used;
      this.progress();
    }
    const now = clock.monotonic();
    if (now - this.#progressAt >= STALLED_AFTER_MS) {
      onGivenUp(`made no progress for ${STALLED_AFTER_MS / 1000} s`);
    } else if (now - this.#startedAt >= START_LIMIT_MS) {
      onGivenUp(`did not come up within ${START_LIMIT_MS / 60_000} minutes`);
    } else {
      this.#timer = clock.schedule(LOOK_EVERY_MS, () => this.#look());
    }
  }
}
