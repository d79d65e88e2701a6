import { AudioConverter } from '@voice/shared/audio/converter';
import { AsyncQueue } from '../../async-queue.js';
import type { ProviderError } from '../../provider-error.js';
import type { SpeechChunk, Voice } from '../port.js';
import { type ConnectionTarget, SpeechConnection } from './connection.js';
import { ttsError } from './errors.js';
import type { ServerMessage } from './messages.js';
import { Timeline } from './timeline.js';

/** How a connection shows that it had died before it was used. */
const DIED_WAITING: ReadonlySet<string> = new Set(['tts_disconnected', 'tts_timed_out']);

const NO_AUDIO = new Uint8Array(0);

/** Speaks one call: every turn has a socket of its own, and the next turn's is opened ahead. */
export class ElevenLabsVoice implements Voice {
  readonly #target: ConnectionTarget;
  readonly #turns = new Set<Turn>();
  #spare: SpeechConnection | undefined;
  #characters = 0;
  #closed = false;

  constructor(target: ConnectionTarget) {
    this.#target = target;
    this.#warm();
  }

  get characters(): number {
    return this.#characters;
  }

  async *speak(sentences: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<SpeechChunk> {
    if (signal.aborted) return;
    if (this.#closed) throw ttsError('unavailable', 'the voice is closed', false);
    const { sends, format } = this.#target;
    const turn = new Turn(() => this.#take(), new AudioConverter({ from: sends, to: format }));
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
    this.#spare?.terminate();
    this.#spare = undefined;
    for (const turn of this.#turns) turn.cut();
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

  /** Takes the connection that waits, or a new one; the turn after this one gets its own at once. */
  #take(): { connection: SpeechConnection; warm: boolean } {
    const spare = this.#spare;
    const warm = spare !== undefined && !spare.over;
    const connection = warm ? spare : new SpeechConnection(this.#target);
    this.#spare = undefined;
    this.#warm();
    return { connection, warm };
  }

  #warm(): void {
    if (!this.#closed) this.#spare = new SpeechConnection(this.#target);
  }
}

/** Sends one turn's text up and its audio down. */
class Turn {
  readonly chunks = new AsyncQueue<SpeechChunk>();
  readonly #take: () => { connection: SpeechConnection; warm: boolean };
  readonly #converter: AudioConverter;
  readonly #said: string[] = [];
  #timeline = new Timeline();
  #connection: SpeechConnection | undefined;
  #textEnded = false;
  #audible = false;
  #replaced = false;
  #over = false;

  constructor(take: () => { connection: SpeechConnection; warm: boolean }, converter: AudioConverter) {
    this.#take = take;
    this.#converter = converter;
  }

  get over(): boolean {
    return this.#over;
  }

  say(sentence: string): void {
    if (this.#over) return;
    this.#said.push(sentence);
    if (this.#connection) this.#connection.say(sentence);
    else this.#connect();
  }

  endOfText(): void {
    if (this.#over) return;
    this.#textEnded = true;
    if (this.#connection) this.#connection.endOfText();
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

  #connect(): void {
    const { connection, warm } = this.#take();
    this.#connection = connection;
    connection.listen({
      onMessage: (message) => this.#received(message),
      onFinal: () => this.#final(),
      onError: (error) => this.#lost(error, warm),
    });
    for (const sentence of this.#said) connection.say(sentence);
    if (this.#textEnded) connection.endOfText();
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
      this.#connect();
      return;
    }
    this.fail(error);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.chunks.end();
    this.#connection?.terminate();
  }
}
