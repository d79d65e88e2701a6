import type { Clock, Timer } from '@voice/shared/clock/clock';
import { untilNextStep } from '@voice/shared/clock/in-step';
import { PacedCallOutput } from './paced-output.js';
import type { PacedOutputEvents } from './pacer-port.js';
import type { PacedSink, PacingOptions } from './pacing-options.js';

/** How often outputs are served, in ms. Finer than a frame, so that calls need not begin in step. */
const TICK_MS = 10;

/** Something that wants to be served at every tick until it says that it is idle. */
export interface Paced {
  /** Serves what is due at `now` (monotonic ms). False: idle until it is activated again. */
  tick(now: number): boolean;
}

/**
 * Runs the one output timer of the process. Deadlines are absolute (a late tick does not delay the next one), and the
 * timer stands still while no call has anything to send.
 */
export class Pacer {
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #active = new Set<Paced>();
  #timer: Timer | undefined;
  #deadline = 0;

  /** @param onError called when a sink or a listener throws; the other calls are served all the same */
  constructor(clock: Clock, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Opens one call's output to its carrier connection. */
  open(sink: PacedSink, events: PacedOutputEvents, options: Partial<PacingOptions> = {}): PacedCallOutput {
    const output: PacedCallOutput = new PacedCallOutput({
      clock: this.#clock,
      sink,
      events,
      pacing: options,
      activate: () => this.#activate(output),
    });
    return output;
  }

  /** Returns how many calls have something to send or to wait for. */
  get activeCalls(): number {
    return this.#active.size;
  }

  #activate(output: Paced): void {
    this.#active.add(output);
    if (this.#timer) return;
    const now = this.#clock.monotonic();
    // In step with the runs of the voice-activity model: the process wakes once for both.
    this.#deadline = now + untilNextStep(now, TICK_MS);
    this.#schedule();
  }

  #schedule(): void {
    this.#timer = this.#clock.schedule(Math.max(0, this.#deadline - this.#clock.monotonic()), () =>
      this.#tick(),
    );
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    for (const output of this.#active) {
      try {
        if (!output.tick(now)) this.#active.delete(output);
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#timer = undefined;
    if (this.#active.size === 0) return;
    // Ticks that were missed in a stall are left out; the grid stays where it was.
    const missed = Math.max(0, Math.floor((this.#clock.monotonic() - this.#deadline) / TICK_MS));
    this.#deadline += (missed + 1) * TICK_MS;
    this.#schedule();
  }
}
