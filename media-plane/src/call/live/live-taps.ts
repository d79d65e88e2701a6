import type { Clock, Timer } from '@voice/shared/clock/clock';
import { CallTap } from './call-tap.js';

/** How often taps of calls that never began are looked for, in ms. */
const SWEEP_MS = 1000;

export interface LiveTapsOptions {
  readonly clock: Clock;
  /** Whether the worker has a place for the call: reserved or live. */
  readonly holds: (callId: string) => boolean;
}

/**
 * Holds the taps of a worker's calls. A call can be followed from its reservation on, so that not even the first
 * words are missed; the first to ask, the call or a follower, creates its tap.
 */
export class LiveTaps {
  readonly #options: LiveTapsOptions;
  readonly #taps = new Map<string, CallTap>();
  #sweep: Timer | undefined;

  constructor(options: LiveTapsOptions) {
    this.#options = options;
  }

  /** Opens the call's own tap, or returns the one that a follower has opened before. */
  open(callId: string): CallTap {
    const tap = this.#taps.get(callId) ?? new CallTap();
    this.#taps.set(callId, tap);
    return tap;
  }

  /** Returns the tap of a call that this worker holds; undefined of all others. */
  find(callId: string): CallTap | undefined {
    const known = this.#taps.get(callId);
    if (known) return known;
    if (!this.#options.holds(callId)) return undefined;
    const tap = this.open(callId);
    this.#sweepSoon();
    return tap;
  }

  /** Closes the tap of a call that is over or whose reservation was given back. */
  close(callId: string): void {
    const tap = this.#taps.get(callId);
    this.#taps.delete(callId);
    tap?.close();
  }

  /** Closes all taps: the worker stops. */
  closeAll(): void {
    this.#sweep?.cancel();
    this.#sweep = undefined;
    for (const callId of [...this.#taps.keys()]) this.close(callId);
  }

  /** Reservations end in several ways; whichever it was, who waited for the call is let go. */
  #sweepSoon(): void {
    this.#sweep ??= this.#options.clock.schedule(SWEEP_MS, () => {
      this.#sweep = undefined;
      let waiting = false;
      for (const [callId, tap] of this.#taps) {
        if (tap.isStarted) continue;
        if (!this.#options.holds(callId)) this.close(callId);
        else waiting = true;
      }
      if (waiting) this.#sweepSoon();
    });
  }
}
