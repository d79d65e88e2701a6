import type { Clock, Timer } from '@voice/shared/clock/clock';

/** How long to wait for further changes: an editor, or a checkout, writes several files. In ms. */
export const SETTLE_MS = 100;

export interface BuildQueueOptions {
  readonly clock: Clock;
  /** Compiles; resolves with whether all is right. */
  readonly build: () => Promise<boolean>;
  /** Called after each build without errors. */
  readonly onBuilt: () => void;
}

/** Builds after changes, one build at a time; what changes during a build is built after it. */
export class BuildQueue {
  readonly #options: BuildQueueOptions;
  #timer: Timer | undefined;
  #isBuilding = false;
  #isStopped = false;

  constructor(options: BuildQueueOptions) {
    this.#options = options;
  }

  /** Something has changed. */
  request(): void {
    this.#timer?.cancel();
    if (this.#isStopped) return;
    this.#timer = this.#options.clock.schedule(SETTLE_MS, () => void this.#run());
  }

  /** Begins no further build. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async #run(): Promise<void> {
    if (this.#isBuilding) return this.request();
    this.#isBuilding = true;
    const isRight = await this.#options.build();
    this.#isBuilding = false;
    if (isRight && !this.#isStopped) this.#options.onBuilt();
  }
}
