import type { Generation } from './generations.js';
import { heardOnly, heardText, type Turn } from './notes.js';

/** Answers whose hearing may still be reported. */
const KEPT_RESPONSES = 8;
/** What may be missing at the end of an answer that was heard, in ms. */
const TOLERANCE_MS = 40;

/**
 * Collects what the model must read before it answers next: notes and facts, and what the caller heard of its last
 * answer, all of which it believes to have been said.
 */
export class ModelContext {
  readonly #responses = new Map<number, Generation>();
  #turns: Turn[] = [];
  #missed: { readonly generation: Generation; readonly heardMs: number } | undefined;

  /** Returns whether there are notes or facts that the model has not read. */
  get waiting(): boolean {
    return this.#turns.length > 0;
  }

  add(turn: Turn): void {
    this.#turns.push(turn);
  }

  /** Takes all of it, once. */
  take(): readonly Turn[] {
    const heard = this.takeHeard();
    const turns = heard ? [heard, ...this.#turns] : this.#turns;
    this.#turns = [];
    return turns;
  }

  began(response: number, generation: Generation): void {
    this.#responses.set(response, generation);
    const oldest = this.#responses.keys().next().value;
    if (this.#responses.size > KEPT_RESPONSES && oldest !== undefined) this.#responses.delete(oldest);
  }

  /** Marks an answer as unheard, unless `truncated` says otherwise. */
  unheard(generation: Generation): void {
    this.#missed = { generation, heardMs: 0 };
  }

  truncated(response: number, heardMs: number): void {
    const generation = this.#responses.get(response);
    if (!generation) return;
    const whole = generation.outcome?.outcome === 'completed' && !generation.interrupted;
    if (!whole || heardMs < generation.audioMs - TOLERANCE_MS) this.#missed = { generation, heardMs };
    else if (this.#missed?.generation === generation) this.#missed = undefined;
  }

  /** Takes what was heard of the last answer, once; undefined when the model knows. */
  takeHeard(): Turn | undefined {
    const missed = this.#missed;
    this.#missed = undefined;
    if (!missed?.generation.began) return undefined;
    const { text, audioMs } = missed.generation;
    return heardOnly(heardText(text, missed.heardMs, audioMs));
  }
}
