import type { Clock } from '@voice/shared/clock/clock';
import type { LockedJob } from './job-rows.js';
import type { JobRun } from './keyed-job.js';

/** A job that this replica has locked, and its run. */
export class HeldJob implements JobRun {
  readonly locked: LockedJob;
  readonly #clock: Clock;
  readonly #ending = new AbortController();
  /** When it was wanted since the run saw it last, in epoch ms. */
  #wantedAt = Number.POSITIVE_INFINITY;
  #wake: (() => void) | undefined;

  constructor(locked: LockedJob, clock: Clock) {
    this.locked = locked;
    this.#clock = clock;
  }

  get dueAt(): number {
    return this.locked.dueAt;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Wants it to run at `at`, in epoch ms: a run that rests goes on then. */
  want(at: number): void {
    this.#wantedAt = Math.min(this.#wantedAt, at);
    this.#wake?.();
  }

  /** Asks the run to end. */
  end(reason: string): void {
    this.#ending.abort(new Error(reason));
    this.#wake?.();
  }

  async rest(ms: number): Promise<void> {
    const until = this.#clock.now() + ms;
    for (;;) {
      const now = this.#clock.now();
      if (this.signal.aborted || now >= until) return;
      if (this.#wantedAt <= now) {
        this.#wantedAt = Number.POSITIVE_INFINITY;
        return;
      }
      await this.#pause(Math.min(until, this.#wantedAt) - now);
    }
  }

  /** Returns when it is to run after this run, which wants it at `next`; null where nobody does. Epoch ms. */
  nextAt(next: number | null): number | null {
    const at = Math.min(next ?? Number.POSITIVE_INFINITY, this.#wantedAt);
    return Number.isFinite(at) ? at : null;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.schedule(ms, () => this.#wake?.());
      this.#wake = () => {
        timer.cancel();
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
