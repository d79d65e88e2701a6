/** What the wanted delay covers: this share of the packets of the window arrives in time. */
const PERCENTILE = 0.97;
/** Packets of the sliding window: 5 s of 20 ms each. */
const WINDOW = 250;
/** How many packets may pass before the window is sorted again. */
const REFRESH = 10;
/** Less than a frame: a calm network needs no more, and what comes late makes it grow at once. */
const MIN_DELAY_MS = 15;
export const MAX_DELAY_MS = 200;
/** For timers' grain and the tick's phase. */
const MARGIN_MS = 5;
/** A late packet is answered at once; without further ones, the answer wears off at this pace. */
const WEAR_OFF_MS_PER_S = 40;

/**
 * Estimates how long audio should be held back so that packets are there when they are due. Works on transit times:
 * arrival minus timestamp, both in ms, of an arbitrary common origin. What matters is how they differ.
 */
export class DelayEstimate {
  readonly #window = new Float64Array(WINDOW);
  readonly #sorted = new Float64Array(WINDOW);
  #count = 0;
  #sinceRefresh = 0;
  #base = 0;
  #percentile = 0;
  #lateTransit = Number.NEGATIVE_INFINITY;
  #lateAt = 0;
  #lastTransit = 0;
  #jitter = 0;

  /** Returns the least transit time of the window: that of an undisturbed packet. */
  get baseTransit(): number {
    return this.#base;
  }

  get isRunning(): boolean {
    return this.#count > 0;
  }

  get lastTransit(): number {
    return this.#lastTransit;
  }

  /** Returns the interarrival jitter by RFC 3550, section 6.4.1, ms. */
  get jitterMs(): number {
    return this.#jitter;
  }

  /** Adds a packet; `late`: it came after its time to be played. */
  add(transit: number, nowMs: number, late: boolean): void {
    if (this.#count > 0) this.#jitter += (Math.abs(transit - this.#lastTransit) - this.#jitter) / 16;
    this.#lastTransit = transit;
    this.#window[this.#count++ % WINDOW] = transit;
    if (this.#count === 1 || transit < this.#base) this.#base = transit;
    if (late && transit > this.#worn(nowMs)) {
      this.#lateTransit = Math.min(transit, this.#base + MAX_DELAY_MS);
      this.#lateAt = nowMs;
    }
    if (++this.#sinceRefresh >= REFRESH || this.#count < REFRESH) this.#refresh();
  }

  /** Returns the wanted delay above the base transit, ms. */
  targetMs(nowMs: number): number {
    const transit = Math.max(this.#percentile, this.#worn(nowMs));
    return Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, transit - this.#base + MARGIN_MS));
  }

  /** Begins anew with a stream of other timestamps. */
  reset(): void {
    this.#count = 0;
    this.#sinceRefresh = 0;
    this.#lateTransit = Number.NEGATIVE_INFINITY;
  }

  #worn(nowMs: number): number {
    return this.#lateTransit - ((nowMs - this.#lateAt) / 1000) * WEAR_OFF_MS_PER_S;
  }

  #refresh(): void {
    this.#sinceRefresh = 0;
    const filled = Math.min(this.#count, WINDOW);
    const sorted = this.#sorted.subarray(0, filled);
    sorted.set(this.#window.subarray(0, filled));
    sorted.sort();
    this.#base = sorted[0]!;
    this.#percentile = sorted[Math.min(filled - 1, Math.floor(filled * PERCENTILE))]!;
  }
}
