import { AudioConverter } from '@voice/shared/audio/converter';
import { AsyncQueue } from '../../async-queue.js';
import type { ProviderError } from '../../provider-error.js';
import type { SpeechChunk, Voice } from '../port.js';
import { type ConnectionTarget, SpeechConnection } from './connection.js';
import type { ContextListener, SpeechContext } from './context.js';
import { ttsError } from './errors.js';
import type { ServerMessage } from './messages.js';
import { Timeline } from './timeline.js';

/** How a connection shows that it had died before it was used. */
const DIED_WAITING: ReadonlySet<string> = new Set(['tts_disconnected', 'tts_timed_out']);

/** A connection that was open for less is not replaced until it is needed, in ms. */
const SHORT_LIFE_MS = 5000;

const NO_AUDIO = new Uint8Array(0);

interface TakenContext {
  readonly context: SpeechContext;
  /** Whether its connection was open before. */
  readonly warm: boolean;
}

/** Speaks one call over one connection, which is open before the first turn. */
export class ElevenLabsVoice implements Voice {
  readonly #target: ConnectionTarget;
  readonly #turns = new Set<Turn>();
  /** All that are not over: the one for the next turn, and those over which earlier ones still speak. */
  readonly #connections = new Set<SpeechConnection>();
  #current: SpeechConnection | undefined;
  #characters = 0;
  #closed = false;

  constructor(target: ConnectionTarget) {
    this.#target = target;
    this.#connect();
  }

  get characters(): number {
    return this.#characters;
  }

  async *speak(sentences: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<SpeechChunk> {
    if (signal.aborted) return;
    if (this.#closed) throw ttsError('unavailable', 'the voice is closed', false);
    const { sends, format } = this.#target;
    const turn = new Turn(
      (listener) => this.#take(listener),
      new AudioConverter({ from: sends, to: format }),
    );
    this.#turns.add(turn);
    const onAbort = () => turn.cut();
    signal.addEventListener('abort', onAbort, { once: true });
    const iterator = sentences[Symbol.asyncIterator]();
    void this.#feed(turn, iterator);
    try {
      yield* turn.chunks;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#turns.delete(turn);
      turn.cut();
      iterator.return?.().catch(() => {});
    }
  }

  close(): void {
    this.#closed = true;
    for (const turn of this.#turns) turn.cut();
    for (const connection of this.#connections) connection.terminate();
    this.#connections.clear();
    this.#current = undefined;
  }

  async #feed(turn: Turn, sentences: AsyncIterator<string>): Promise<void> {
    try {
      for (let next = await sentences.next(); !next.done && !turn.over; next = await sentences.next()) {
        const sentence = next.value.trim();
        if (sentence === '') continue;
        this.#characters += sentence.length;
        turn.say(sentence);
      }
      turn.endOfText();
    } catch (error) {
      turn.fail(error);
    }
  }

  /** Gives a turn a context of the connection, or of a new one where that is gone or full. */
  #take(listener: ContextListener): TakenContext {
    const current = this.#current;
    const connection = current?.hasRoom ? current : this.#replace();
    return { warm: connection.openMs !== undefined, context: connection.take(listener) };
  }

  #connect(): SpeechConnection {
    const connection: SpeechConnection = new SpeechConnection(this.#target, {
      onEnd: (error) => this.#ended(connection, error),
      onSuspect: () => {
        if (connection === this.#current && !this.#closed) this.#replace();
      },
    });
    for (const before of this.#connections) if (before.over) this.#connections.delete(before);
    this.#connections.add(connection);
    this.#current = connection;
    return connection;
  }

  /** Opens another connection; the one before ends with the turns that speak over it. */
  #replace(): SpeechConnection {
    const before = this.#current;
    const connection = this.#connect();
    before?.retire();
    return connection;
  }

  /** Opens another connection at once, unless the one before shows that it would be lost as well. */
  #ended(connection: SpeechConnection, error: ProviderError): void {
    this.#connections.delete(connection);
    if (connection !== this.#current) return;
    this.#current = undefined;
    const { openMs = 0 } = connection;
    if (!this.#closed && error.retryable && openMs >= SHORT_LIFE_MS) this.#connect();
  }
}

/** Sends one turn's text up and its audio down. */
class Turn {
  readonly chunks = new AsyncQueue<SpeechChunk>();
  readonly #take: (listener: ContextListener) => TakenContext;
  readonly #converter: AudioConverter;
  readonly #said: string[] = [];
  #timeline = new Timeline();
  #context: SpeechContext | undefined;
  #textEnded = false;
  #audible = false;
  #replaced = false;
  #over = false;

  constructor(take: (listener: ContextListener) => TakenContext, converter: AudioConverter) {
    this.#take = take;
    this.#converter = converter;
  }

  get over(): boolean {
    return this.#over;
  }

  say(sentence: string): void {
    if (this.#over) return;
    this.#said.push(sentence);
    if (this.#context) this.#context.say(sentence);
    else this.#begin();
  }

  endOfText(): void {
    if (this.#over) return;
    this.#textEnded = true;
    if (this.#context) this.#context.endOfText();
    else this.#end();
  }

  fail(error: unknown): void {
    if (this.#over) return;
    this.chunks.fail(error);
    this.#end();
  }

  /** Drops what was not yet taken, and stops the vendor's work. */
  cut(): void {
    this.chunks.cut();
    this.#end();
  }

  #begin(): void {
    const { context, warm } = this.#take({
      onMessage: (message) => this.#received(message),
      onFinal: () => this.#final(),
      onError: (error) => this.#lost(error, warm),
    });
    this.#context = context;
    for (const sentence of this.#said) context.say(sentence);
    if (this.#textEnded) context.endOfText();
  }

  #received(message: ServerMessage): void {
    const sent = message.audio ? new Uint8Array(Buffer.from(message.audio, 'base64')) : NO_AUDIO;
    if (sent.length > 0) this.#audible = true;
    const audio = this.#converter.convert(sent);
    const alignment = message.alignment ? this.#timeline.place(message.alignment) : undefined;
    if (audio.length > 0 || alignment) this.chunks.push(alignment ? { audio, alignment } : { audio });
  }

  /** Ends the turn: the vendor has sent all, and what the converter held back is the end. */
  #final(): void {
    const audio = this.#converter.flush();
    if (audio.length > 0 && !this.#over) this.chunks.push({ audio });
    this.#end();
  }

  /**
   * Replaces a connection that may have died unseen while it waited: as long as nothing was heard, one other says it
   * all.
   */
  #lost(error: ProviderError, warm: boolean): void {
    if (warm && !this.#replaced && !this.#audible && DIED_WAITING.has(error.code)) {
      this.#replaced = true;
      this.#timeline = new Timeline();
      this.#begin();
      return;
    }
    this.fail(error);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.chunks.end();
    this.#context?.cancel();
  }
}
