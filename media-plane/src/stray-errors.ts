import type { Log } from '@voice/shared/log/log';

/** So many of them, and something goes round in circles: more would only fill the log. */
const MOST = 1000;

/** What errors that nothing caught come from: the process, or what stands for it in tests. */
interface Source {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown;
}

export interface StrayErrorsOptions {
  readonly log: Pick<Log, 'error'>;
  /** The worker takes no more calls, waits for those it has, and ends. */
  readonly drain: () => void;
  /** The worker ends at once. */
  readonly end: () => void;
}

/** Errors that nothing in the worker has caught. */
export class StrayErrors {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * From now on an error that nothing has caught ends no call: it is one call's or one request's, and a worker holds
   * many. After a rejection that nobody waited for, all goes on. After an exception, what was under way in that moment may
   * be half done, so the worker drains: another one takes its place when its calls have ended.
   */
  outlive(source: Source, { log, drain, end }: StrayErrorsOptions): void {
    const count = (error: unknown, what: string) => {
      log.error({ err: error }, what);
      this.#count += 1;
      if (this.#count >= MOST) end();
    };
    source.on('unhandledRejection', (error) => count(error, 'a rejection that nothing waited for'));
    source.on('uncaughtException', (error) => {
      count(error, 'an error that nothing caught: the worker drains, its calls go on');
      drain();
    });
  }
}
