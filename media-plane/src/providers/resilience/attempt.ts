import { exhausted, ProviderError } from '../provider-error.js';
import { followTurn } from '../turn-signal.js';

/**
 * Runs one try of a streaming provider, with an abort of its own that follows the turn's, so that a try can be given up
 * while the turn goes on.
 */
export class Attempt {
  readonly #controller = new AbortController();
  readonly #turn: AbortSignal;
  readonly #follow = () => this.#controller.abort(this.#turn.reason);

  constructor(turn: AbortSignal) {
    this.#turn = turn;
    followTurn(this.signal, turn);
    if (turn.aborted) this.#follow();
    else turn.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Stops the provider's work. Idempotent; after a normal end it changes nothing. */
  end(reason: unknown = new Error('the attempt is over')): void {
    this.#turn.removeEventListener('abort', this.#follow);
    this.#controller.abort(reason);
  }
}

export interface Alternative<T> {
  /** Asks the provider; only called when its turn comes. */
  start(signal: AbortSignal): AsyncIterable<T>;
  /** Returns whether it may be tried after this failure of the one before, and publishes a notice of that. */
  accepts(error: ProviderError): boolean;
}

/**
 * Streams the first alternative that says anything. One that fails before it said anything is followed
 * by the next; one that fails later fails the whole, as half an answer cannot be retracted. When the last has failed, the
 * error says that to ask them all again is of no use.
 */
export async function* firstThatSpeaks<T>(
  alternatives: readonly Alternative<T>[],
  turn: AbortSignal,
): AsyncGenerator<T> {
  for (const [index, alternative] of alternatives.entries()) {
    const attempt = new Attempt(turn);
    let spoke = false;
    try {
      for await (const output of alternative.start(attempt.signal)) {
        spoke = true;
        yield output;
      }
      return;
    } catch (error) {
      const next = alternatives[index + 1];
      if (turn.aborted || spoke || !(error instanceof ProviderError)) throw error;
      if (!next) throw exhausted(error);
      if (!next.accepts(error)) throw error;
    } finally {
      attempt.end();
    }
  }
}
