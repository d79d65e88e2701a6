import type { Clock, Timer } from '@voice/shared/clock/clock';

/** Of a line's frame. */
export const FRAME_MS = 20;
/**
 * Lines are spread over the ticks of a frame's time: not all decode at the same moment, and each has its frame due soon
 * after its packets come.
 */
const TICK_MS = 5;
const SLOTS = FRAME_MS / TICK_MS;
/** What a stalled process makes up for, in ms; of a longer stall (a machine that slept) only the last part. */
const MAX_CATCH_UP_MS = 1000;

export interface Ticked {
  /** Called every 20 ms on average, exactly; several times in a row after a stall. `nowMs`: monotonic. */
  onTick(nowMs: number): void;
}

/**
 * Runs one timer for the frames of all lines of the process. Deadlines are absolute, so frames are exactly 50 a second
 * however late a timer is, and the timer stands still without lines.
 */
export class FrameTicker {
  readonly #clock: Clock;
  readonly #slots: readonly Set<Ticked>[] = Array.from({ length: SLOTS }, () => new Set<Ticked>());
  #timer: Timer | undefined;
  /** When the first tick was due, and how many have been served since. */
  #anchor = 0;
  #served = 0;
  /** The late tick has let the network in first, and is served now. */
  #hasYielded = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get lines(): number {
    return this.#slots.reduce((sum, slot) => sum + slot.size, 0);
  }

  /**
   * Adds a line, whose first tick comes within 20 ms.
   * @param dueAt when the line wants its ticks, monotonic ms, give or take whole frames: they come at most 5 ms later
   */
  add(line: Ticked, dueAt?: number): void {
    if (this.#slots.some((slot) => slot.has(line))) return;
    if (this.lines === 0) {
      const now = this.#clock.monotonic();
      this.#anchor = dueAt === undefined ? now + TICK_MS : now + modulo(dueAt - now, FRAME_MS);
      this.#served = 0;
      this.#slots[0]!.add(line);
      this.#timer?.cancel();
      this.#schedule();
      return;
    }
    const slot =
      dueAt === undefined
        ? this.#slots.reduce((least, slot) => (slot.size < least.size ? slot : least))
        : this.#slots[Math.ceil(modulo(dueAt - this.#anchor, FRAME_MS) / TICK_MS) % SLOTS]!;
    slot.add(line);
  }

  remove(line: Ticked): void {
    for (const slot of this.#slots) slot.delete(line);
    if (this.lines > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #schedule(): void {
    const due = this.#anchor + this.#served * TICK_MS;
    this.#timer = this.#clock.schedule(Math.max(0, due - this.#clock.monotonic()), () => this.#run());
  }

  #run(): void {
    const now = this.#clock.monotonic();
    // After a stall timers run before sockets are read: what came meanwhile would be taken for lost.
    if (!this.#hasYielded && now - (this.#anchor + this.#served * TICK_MS) > TICK_MS) {
      this.#hasYielded = true;
      this.#timer = this.#clock.schedule(0, () => this.#run());
      return;
    }
    this.#hasYielded = false;
    // A clock's timer may fire a fraction of a ms early.
    let due = Math.floor((now - this.#anchor) / TICK_MS + 1e-3) + 1 - this.#served;
    if (due > MAX_CATCH_UP_MS / TICK_MS) {
      const skipped = SLOTS * Math.ceil((due - MAX_CATCH_UP_MS / TICK_MS) / SLOTS);
      this.#served += skipped;
      due -= skipped;
    }
    const errors: unknown[] = [];
    for (; due > 0; due--) {
      const at = this.#anchor + this.#served * TICK_MS;
      for (const line of this.#slots[this.#served++ % SLOTS]!) {
        try {
          line.onTick(at);
        } catch (error) {
          errors.push(error);
        }
      }
    }
    this.#timer = undefined;
    if (this.lines > 0) this.#schedule();
    // The other lines and the timer come first; then it is the process's business, as for any timer.
    if (errors.length > 0) throw errors[0];
  }
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by;

const tickers = new WeakMap<Clock, FrameTicker>();

/** Returns the one ticker of a clock: of the process, where there is one clock. */
export function frameTickerOf(clock: Clock): FrameTicker {
  let ticker = tickers.get(clock);
  if (!ticker) {
    ticker = new FrameTicker(clock);
    tickers.set(clock, ticker);
  }
  return ticker;
}
