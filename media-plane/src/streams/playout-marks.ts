/**
 * How long a mark may travel back and still count as on time, in ms: the way back cannot be distinguished from
 * a late play-out. It is how far a position may be ahead of what marks prove.
 */
export const MARK_RETURN_MS = 40;
/** A carrier is not believed to be later than this, in ms: its jitter buffer is not that long. */
export const LATEST_MS = 2000;
/** Marks that are remembered; with two a second far more than a carrier can owe. */
const REMEMBERED = 16;

interface OutstandingMark {
  readonly name: string;
  /** Bytes of the turn's audio before it. */
  readonly position: number;
  /** When it is due at a carrier that plays at once, monotonic ms. */
  expectedAt: number;
}

export interface PlayoutMarksOptions {
  /** How long after its time a mark may still come back, in ms; then it counts as lost. */
  readonly graceMs: number;
  readonly bytesPerMs: number;
}

/**
 * Computes what the marks within a turn prove about where the carrier is. Until the next mark is back the position does
 * not go beyond it; when it comes later than time says, everything behind it is heard later by as much.
 */
export class PlayoutMarks {
  readonly #options: PlayoutMarksOptions;
  readonly #outstanding: OutstandingMark[] = [];
  #lateMs = 0;
  /** False while the carrier owes a mark for too long: then time alone decides. */
  #trusted = true;

  constructor(options: PlayoutMarksOptions) {
    this.#options = options;
  }

  /** Returns how much later than time says the carrier plays, in ms. */
  get lateMs(): number {
    return this.#lateMs;
  }

  sent(name: string, position: number, expectedAt: number): void {
    if (this.#outstanding.length === REMEMBERED) this.#outstanding.shift();
    this.#outstanding.push({ name, position, expectedAt });
  }

  /** Takes a mark that came back: by how much lateness has changed, in ms; undefined for a mark that is not awaited. */
  returned(name: string, now: number): number | undefined {
    const index = this.#outstanding.findIndex((mark) => mark.name === name);
    if (index < 0) return undefined;
    const { expectedAt } = this.#outstanding[index]!;
    // They come back in order: what was before it was lost.
    this.#outstanding.splice(0, index + 1);
    this.#trusted = true;
    const before = this.#lateMs;
    this.#lateMs = Math.max(0, Math.min(LATEST_MS, now - MARK_RETURN_MS - expectedAt));
    return this.#lateMs - before;
  }

  /** Returns the position in bytes that cannot have been passed by now. */
  limit(now: number): number {
    const next = this.#outstanding[0];
    if (!next) return Number.POSITIVE_INFINITY;
    if (now >= next.expectedAt + this.#lateMs + this.#options.graceMs) this.#trusted = false;
    if (!this.#trusted) return Number.POSITIVE_INFINITY;
    return next.position + MARK_RETURN_MS * this.#options.bytesPerMs;
  }

  /** Delays audio from this position on: it leaves the process at `now` at the earliest. */
  delay(position: number, now: number): void {
    for (const mark of this.#outstanding) {
      if (mark.position <= position) continue;
      const earliest = now + (mark.position - position) / this.#options.bytesPerMs;
      if (mark.expectedAt < earliest) mark.expectedAt = earliest;
    }
  }

  /** Forgets what is outstanding: it was cleared, or its turn is over. */
  forget(): void {
    this.#outstanding.length = 0;
  }
}
