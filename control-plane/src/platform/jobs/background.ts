import type { Log } from '@voice/shared/log/log';

/** Work that goes on after an answer was given, and that a stop waits for. */
export class BackgroundWork {
  readonly #running = new Set<Promise<void>>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Runs the task; what it throws is logged under `name`, because nobody waits for it. */
  run(name: string, task: () => Promise<void>): void {
    const running = task()
      .catch((err: unknown) => this.#log.error({ task: name, err }, 'background work failed'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when nothing runs any more, whatever is started meanwhile included. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
