import type { Clock } from '@voice/shared/clock/clock';
import type { LockedJob } from './job-rows.js';
import type { JobRun } from './keyed-job.js';

/**
 * A job that was handed to Agenda and has not begun after so long, in ms, never will: Agenda drops a job whose lock has
 * grown older than it lives, and one whose start could not be saved.
 */
export const NEVER_BEGINS_MS = 9000;

/** A job that this replica has locked, and its run. */
export class HeldJob implements JobRun {
  readonly locked: LockedJob;
  readonly #clock: Clock;
  readonly #ending = new AbortController();
  /** When it was wanted since the run saw it last, in epoch ms. */
  #wantedAt = Number.POSITIVE_INFINITY;
  #wake: (() => void) | undefined;
  /** When Agenda got it, by the monotonic clock in ms. */
  #handedOutAt = Number.POSITIVE_INFINITY;
  #hasBegun = false;

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

  /** Notes that Agenda has it, and is going to begin its run. */
  handOut(): void {
    this.#handedOutAt = this.#clock.monotonic();
  }

  /** Begins its run; false where that has begun already. */
  begin(): boolean {
    if (this.#hasBegun) return false;
    this.#hasBegun = true;
    return true;
  }

  /** Whether its run was to begin and never will. */
  get wasDropped(): boolean {
    return !this.#hasBegun && this.#clock.monotonic() - this.#handedOutAt > NEVER_BEGINS_MS;
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
