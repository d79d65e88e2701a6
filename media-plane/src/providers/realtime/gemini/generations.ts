import type { Clock } from '@voice/shared/clock/clock';
import type { ProviderError } from '../../provider-error.js';
import type { RealtimeEvent } from '../port.js';
import type { OutboxMessage } from './outbox.js';

/** For how long after an interruption the answer that it interrupted may still be on its way, in ms. */
const IN_FLIGHT_MS = 700;
/** What is kept of an answer that was not requested yet, in events: more than a minute in pieces of 40 ms. */
const KEPT_EVENTS = 4000;

export type Origin = 'turn' | 'tool' | 'request' | 'unasked';

type Piece =
  | { readonly type: 'audio'; readonly audio: Uint8Array }
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'tool_call'; readonly call: { id: string; name: string; arguments: string } };
type Outcome = { outcome: 'completed' | 'cancelled' | 'failed'; error?: ProviderError };

/** One answer of the model, as far as it is known. */
export interface Generation {
  readonly origin: Origin;
  /** What was sent to get it, until it begins: sent again where the connection is lost before that. */
  request: readonly OutboxMessage[];
  response?: number;
  unasked: boolean;
  announced: boolean;
  /** Dropped: its further output is ignored. */
  dropped: boolean;
  /** When something was sent that interrupts it. */
  supersededAt?: number;
  /** Interrupted before anything of it came: what comes may be its rest, or the next answer already. */
  ghost: boolean;
  began: boolean;
  /** The model has said all of it, or waits for the result of a tool. */
  outcome?: Outcome;
  finished: boolean;
  interrupted: boolean;
  kept: Piece[];
  text: string;
  audioMs: number;
}

export interface GenerationsOptions {
  readonly clock: Clock;
  /** Of the audio that comes out. */
  readonly bytesPerMs: number;
  publish(event: RealtimeEvent): void;
}

/**
 * Tracks the model's answers in the order in which the server gives them. Its messages do not say which answer they
 * belong to: each answer ends with one `turnComplete`, also one that was interrupted, and the next follows.
 */
export class Generations {
  readonly #options: GenerationsOptions;
  #queue: Generation[] = [];
  /** An answer whose turn is over and that was not requested yet. */
  #parked: Generation | undefined;
  /** Ends of turns without content that may come of calls that were answered or cancelled. */
  #emptyEnds = 0;

  constructor(options: GenerationsOptions) {
    this.#options = options;
  }

  /** Returns whether the server is generating, or counts the answer as still playing. */
  get busy(): boolean {
    return this.#queue.length > 0;
  }

  /** Returns whether the agent has the floor: an answer that was requested and not given up is under way. */
  get wanted(): boolean {
    return this.#queue.some((each) => each.response !== undefined && !each.dropped);
  }

  /** Returns whether anything is under way that was not given up. */
  get live(): boolean {
    return this.#queue.some((each) => !each.dropped);
  }

  /** Returns the answer that was not requested yet. */
  get unclaimed(): Generation | undefined {
    return this.#parked ?? this.#queue.find((each) => each.response === undefined && !each.dropped);
  }

  /** Expects an answer of the server. */
  expect(origin: Origin, request: readonly OutboxMessage[], response?: number): Generation {
    const generation: Generation = {
      origin,
      request,
      unasked: false,
      announced: false,
      dropped: false,
      ghost: false,
      began: false,
      finished: false,
      interrupted: false,
      kept: [],
      text: '',
      audioMs: 0,
      ...(response === undefined ? {} : { response }),
    };
    this.#queue.push(generation);
    return generation;
  }

  /** Gives the number to the answer that nobody asked for yet; undefined when there is none. */
  claim(response: number): Generation | undefined {
    const generation = this.unclaimed;
    this.#parked = undefined;
    if (generation) generation.response = response;
    return generation;
  }

  find(response: number): Generation | undefined {
    return this.#queue.find((each) => each.response === response);
  }

  /** Publishes what came before the answer was asked for. */
  flush(generation: Generation): void {
    if (generation.dropped || generation.finished || generation.response === undefined) return;
    if (!generation.began && !generation.outcome) return;
    this.#announce(generation);
    const kept = generation.kept;
    generation.kept = [];
    for (const piece of kept) this.#publish(generation, piece);
    if (generation.outcome) this.#finish(generation, generation.outcome);
  }

  /** Drops the answers that were not requested, and returns what there is of them. */
  dropUnclaimed(): readonly Generation[] {
    const unclaimed = this.#queue.filter((each) => each.response === undefined && !each.dropped);
    if (this.#parked) unclaimed.unshift(this.#parked);
    this.#parked = undefined;
    for (const each of unclaimed) this.#drop(each);
    return unclaimed;
  }

  /** Gives an answer up; false when it is over or was never asked for. */
  cancel(generation: Generation): boolean {
    const over = generation.finished || generation.dropped;
    this.#drop(generation);
    if (over) return false;
    generation.finished = true;
    const { response } = generation;
    // Reported like all that the provider reports: not within the call that asked for it.
    queueMicrotask(() => {
      this.#options.publish({ type: 'response_finished', response: response!, outcome: 'cancelled' });
    });
    return true;
  }

  /** Marks what is under way as interrupted by something that was sent. */
  supersede(): void {
    const now = this.#options.clock.monotonic();
    this.#parked = undefined;
    for (const each of this.#queue) {
      if (each.supersededAt !== undefined) continue;
      each.supersededAt = now;
      each.ghost = !each.began;
      if (each.response === undefined) this.#drop(each);
      else this.cancel(each);
    }
  }

  /** Settles the calls of the answer at the head: the server goes on with another one. */
  endOfCalls(): void {
    if (this.#queue[0]?.outcome === undefined) return;
    this.#queue.shift();
    this.#emptyEnds += 1;
  }

  content(piece: Piece): Generation {
    const generation = this.#current();
    this.#emptyEnds = 0;
    generation.began = true;
    generation.request = [];
    if (piece.type === 'audio') generation.audioMs += piece.audio.length / this.#options.bytesPerMs;
    if (piece.type === 'text') generation.text += piece.delta;
    if (generation.dropped) {
      if (generation.ghost) this.#keep(generation, piece);
    } else if (generation.response === undefined) this.#keep(generation, piece);
    else if (generation.kept.length > 0 || !generation.announced) {
      this.#keep(generation, piece);
      this.flush(generation);
    } else this.#publish(generation, piece);
    return generation;
  }

  /** Completes the answer at the head: all was generated, or a tool's result is waited for. */
  complete(): Generation | undefined {
    if (this.#queue.length === 0) return undefined;
    const generation = this.#current();
    generation.outcome ??= { outcome: 'completed' };
    this.flush(generation);
    return generation;
  }

  interrupted(): void {
    const generation = this.#queue[0];
    if (!generation) return;
    generation.interrupted = true;
    generation.kept = [];
    if (generation.response !== undefined && !generation.outcome) this.cancel(generation);
    this.#drop(generation);
  }

  /** Ends the server's turn and returns the answer that ended with it. */
  turnComplete(error?: ProviderError): Generation | undefined {
    const generation = this.#queue[0];
    if (!generation) return undefined;
    const empty = !generation.began && !generation.outcome && !generation.interrupted;
    if (empty && this.#emptyEnds > 0) {
      this.#emptyEnds -= 1;
      return undefined;
    }
    if (error) generation.outcome ??= { outcome: 'failed', error };
    generation.outcome ??= { outcome: 'completed' };
    this.flush(generation);
    this.#queue.shift();
    // An answer that was not requested yet is kept until it is requested or dropped.
    if (generation.response === undefined && !generation.dropped) this.#parked = generation;
    return generation;
  }

  /** Fails what had begun when the connection was lost, and returns what has not and can be requested again. */
  disconnected(error: ProviderError): readonly Generation[] {
    const queue = this.#queue;
    this.#queue = queue.filter((each) => !each.began && !each.dropped && each.origin !== 'tool');
    for (const each of queue) {
      if (this.#queue.includes(each) || each.dropped || each.finished) continue;
      if (each.response !== undefined) this.#finish(each, each.outcome ?? { outcome: 'failed', error });
    }
    this.#emptyEnds = 0;
    return this.#queue;
  }

  /** Returns the answer that a message belongs to. */
  #current(): Generation {
    const now = this.#options.clock.monotonic();
    for (;;) {
      const head = this.#queue[0];
      if (!head) return this.expect('unasked', []);
      const next = this.#queue[1];
      const inFlight = now - (head.supersededAt ?? now) < IN_FLIGHT_MS;
      if (!head.ghost || head.interrupted || inFlight || !next) return head;
      // The server left the ghost out without a word: all that came is the next one's.
      this.#queue.shift();
      next.kept.unshift(...head.kept);
      next.began ||= head.began;
      next.text = head.text + next.text;
      next.audioMs += head.audioMs;
    }
  }

  #keep(generation: Generation, piece: Piece): void {
    if (generation.kept.length < KEPT_EVENTS) generation.kept.push(piece);
  }

  #drop(generation: Generation): void {
    generation.dropped = true;
    if (!generation.ghost) generation.kept = [];
  }

  #announce(generation: Generation): void {
    if (generation.announced) return;
    generation.announced = true;
    const { response, unasked } = generation;
    this.#options.publish({ type: 'response_started', response: response!, unasked });
  }

  #publish(generation: Generation, piece: Piece): void {
    if (!generation.dropped) this.#options.publish({ ...piece, response: generation.response! });
  }

  #finish(generation: Generation, outcome: Outcome): void {
    if (generation.finished) return;
    generation.finished = true;
    this.#options.publish({ type: 'response_finished', response: generation.response!, ...outcome });
  }
}
