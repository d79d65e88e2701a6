import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';

/** So many within a minute, and it is no longer one call's part that breaks off: the worker is not well. */
const MANY = 100;
const WINDOW_MS = 60_000;

/** What errors that nothing caught come from: the process, or what stands for it in tests. */
interface Source {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown;
}

export interface StrayErrorsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Pick<Log, 'error'>;
  /** The worker takes no more calls, waits for those it has, and ends. */
  readonly drain: () => void;
}

/** Errors that nothing in the worker has caught. */
export class StrayErrors {
  #count = 0;

  /** Since the worker began. */
  get count(): number {
    return this.#count;
  }

  /**
   * From now on an error that nothing has caught ends no call: it is one call's or one request's, and a worker holds
   * many. A hundred within a minute let the worker drain: another one takes its place when its calls have ended.
   */
  outlive(source: Source, { clock, log, drain }: StrayErrorsOptions): void {
    let since = clock.monotonic();
    let within = 0;
    const count = (error: unknown) => {
      this.#count += 1;
      const now = clock.monotonic();
      if (now - since >= WINDOW_MS) [since, within] = [now, 0];
      within += 1;
      if (within > MANY) return; // A log of the same is of no more use.
      log.error({ err: error }, 'an error that nothing caught');
      if (within === MANY) drain();
    };
    source.on('unhandledRejection', count);
    source.on('uncaughtException', count);
  }
}
