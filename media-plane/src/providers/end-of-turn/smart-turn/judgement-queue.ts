/** A question of one call that waits for the model. */
interface Waiting<Question> {
  readonly question: Question;
  /** When it was asked, ms on the queue's clock. */
  readonly askedAt: number;
}

export interface JudgementQueueOptions {
  /** Calls whose questions wait at most. */
  readonly capacity: number;
  /** What has waited longer is not worth a run any more, in ms. */
  readonly staleMs: number;
}

/** Queues questions to the model: one a call, the latest; the oldest goes where there is no room. */
export class JudgementQueue<Call, Question> {
  readonly #options: JudgementQueueOptions;
  readonly #waiting = new Map<Call, Waiting<Question>>();
  #dropped = 0;

  constructor(options: JudgementQueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Returns how many questions nobody will answer, because the model was behind. */
  get dropped(): number {
    return this.#dropped;
  }

  put(call: Call, question: Question, at: number): void {
    this.#waiting.delete(call);
    this.#waiting.set(call, { question, askedAt: at });
    if (this.#waiting.size <= this.#options.capacity) return;
    const [oldest] = this.#waiting.keys();
    this.#waiting.delete(oldest as Call);
    this.#dropped++;
  }

  /** Forgets the call's question. */
  withdraw(call: Call): void {
    this.#waiting.delete(call);
  }

  /** Takes the question that has waited longest and is still worth an answer. */
  take(at: number): { readonly call: Call; readonly question: Question } | undefined {
    for (const [call, { question, askedAt }] of this.#waiting) {
      this.#waiting.delete(call);
      if (at - askedAt <= this.#options.staleMs) return { call, question };
      this.#dropped++;
    }
    return undefined;
  }

  clear(): void {
    this.#waiting.clear();
  }
}
