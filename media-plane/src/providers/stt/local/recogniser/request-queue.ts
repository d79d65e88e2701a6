/** Finals beyond this many are refused, and no interim waits behind so many. */
const MOST_FINALS = 200;
const MOST_INTERIMS = 50;
/** An interim that waited longer than this while others wait is shed: its text is out of date. In ms. */
const STALE_MS = 400;

export interface Queued {
  readonly kind: 'interim' | 'final';
  /** Monotonic, ms. */
  readonly arrivedAt: number;
  /** Answers that the request was not looked at. */
  shed(): void;
}

/** Queues what waits for the model: finals first, in order; interims after them, and the first to be shed. */
export class RequestQueue<Request extends Queued> {
  readonly #finals: Request[] = [];
  #interims: Request[] = [];

  get length(): number {
    return this.#finals.length + this.#interims.length;
  }

  push(request: Request): void {
    const waiting = request.kind === 'final' ? this.#finals : this.#interims;
    if (waiting.length >= (request.kind === 'final' ? MOST_FINALS : MOST_INTERIMS)) request.shed();
    else waiting.push(request);
  }

  /** Takes the next one to look at. */
  take(now: number): Request | undefined {
    const final = this.#finals.shift();
    if (final) return final;
    for (let next = this.#interims.shift(); next; next = this.#interims.shift()) {
      if (this.#interims.length === 0 || now - next.arrivedAt <= STALE_MS) return next;
      next.shed();
    }
    return undefined;
  }

  /** Forgets what a caller that has left had asked. */
  drop(which: (request: Request) => boolean): void {
    this.#interims = this.#interims.filter((request) => !which(request));
    for (let at = this.#finals.length - 1; at >= 0; at--) {
      if (which(this.#finals[at]!)) this.#finals.splice(at, 1);
    }
  }
}
