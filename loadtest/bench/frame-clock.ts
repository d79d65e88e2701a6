import { FRAME_MS } from '@voice/shared/audio/g711';

/** Carriers' frames do not come all at once: the calls are spread over so many parts of a frame's time. */
const SLOTS = 4;
const SLOT_MS = FRAME_MS / SLOTS;

export interface Ticking {
  tick(now: number): void;
}

/** Ticks each member every 20 ms on absolute deadlines, so that no delay adds up. */
export class FrameClock {
  readonly #slots: Ticking[][] = Array.from({ length: SLOTS }, () => []);
  #next = performance.now();
  #turn = 0;
  #timer: NodeJS.Timeout;
  #added = 0;
  /** The longest time by which a tick was late, in ms: large values mean that the bench itself was starved. */
  worstLateness = 0;

  constructor() {
    this.#timer = setTimeout(() => this.#run(), SLOT_MS);
  }

  add(member: Ticking): void {
    this.#slots[this.#added++ % SLOTS]!.push(member);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #run(): void {
    const now = performance.now();
    this.worstLateness = Math.max(this.worstLateness, now - this.#next);
    while (this.#next <= now) {
      for (const member of this.#slots[this.#turn % SLOTS]!) member.tick(performance.now());
      this.#turn += 1;
      this.#next += SLOT_MS;
    }
    this.#timer = setTimeout(() => this.#run(), Math.max(0, this.#next - performance.now()));
  }
}
