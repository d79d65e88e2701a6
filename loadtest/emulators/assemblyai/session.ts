import { randomUUID } from 'node:crypto';
import { type AudioFormat, bytesPerMs } from '@voice/shared/audio/format';
import { z } from 'zod';
import type { RecognisedFrame, RecognisedWord, Recogniser } from '../recognition/recogniser.js';
import type { RecogniserConnection, RecogniserProtocol } from '../serving/recogniser-server.js';
import { formatOf, type StreamingQuery } from './query.js';

/** Audio of one message, in ms. */
const LEAST_MS = 50;
const MOST_MS = 1000;
/** How sure the emulated model is of an end that it has seen, and of one that only silence speaks for. */
const SURE = 0.92;
const UNSURE = 0.12;

const control = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ForceEndpoint') }),
  z.strictObject({ type: z.literal('KeepAlive') }),
  z.looseObject({ type: z.literal('UpdateConfiguration') }),
  z.strictObject({ type: z.literal('Terminate') }),
]);

/** Serves one session: a turn grows word by word, and is over when the model or a long silence says so. */
export class StreamingSession implements RecogniserProtocol {
  readonly #query: StreamingQuery;
  readonly #connection: RecogniserConnection;
  readonly #format: AudioFormat;
  readonly #recogniser: Recogniser;
  #order = 0;
  #words: RecognisedWord[] = [];

  constructor(query: StreamingQuery, connection: RecogniserConnection) {
    this.#query = query;
    this.#connection = connection;
    this.#format = formatOf(query);
    this.#recogniser = connection.createRecogniser(this.#format);
    connection.send({
      type: 'Begin',
      id: randomUUID(),
      expires_at: Math.floor(connection.clock.now() / 1000) + 10_800,
    });
  }

  onEnd(): void {}

  onText(text: string): void {
    const parsed = control.safeParse(json(text));
    if (!parsed.success) {
      this.#fail(3006, 'Invalid Message Type');
      return;
    }
    if (parsed.data.type === 'ForceEndpoint') {
      this.#connection.counters.finalizes += 1;
      if (this.#words.length > 0) this.#end(UNSURE);
    } else if (parsed.data.type === 'Terminate') {
      this.#connection.counters.closed += 1;
      if (this.#words.length > 0) this.#end(UNSURE);
      const seconds = this.#recogniser.atMs / 1000;
      this.#connection.send({
        type: 'Termination',
        audio_duration_seconds: seconds,
        session_duration_seconds: seconds,
      });
      this.#connection.close(1000);
    }
  }

  onBinary(bytes: Buffer): void {
    const ms = bytes.length / bytesPerMs(this.#format);
    if (ms < LEAST_MS || ms > MOST_MS) {
      this.#fail(3007, `Input Duration Violation: ${ms} ms. Expected between ${LEAST_MS} and ${MOST_MS} ms`);
      return;
    }
    const state = this.#connection.countAudio(bytes.length, this.#format);
    if (state === 'is torn') return;
    if (state === 'fails') {
      this.#fail(3005, 'Server error: failed on purpose');
      return;
    }
    for (const frame of this.#recogniser.push(bytes)) this.#recognised(frame);
  }

  #recognised({ words, silenceMs }: RecognisedFrame): void {
    for (const one of words) {
      this.#words.push(one);
      this.#turn({ isOver: false, isFormatted: false, confidence: 0.01 }, this.#connection.interimDelayMs);
    }
    if (this.#words.length === 0) return;
    const isWhole = /[.?!]$/.test(this.#words.at(-1)!.text);
    if (isWhole && silenceMs >= this.#query.min_turn_silence) this.#end(SURE);
    else if (silenceMs >= this.#query.max_turn_silence) this.#end(UNSURE);
  }

  #end(confidence: number): void {
    const { finalDelayMs } = this.#connection;
    this.#turn({ isOver: true, isFormatted: false, confidence }, finalDelayMs);
    if (this.#query.format_turns) this.#turn({ isOver: true, isFormatted: true, confidence }, finalDelayMs);
    this.#words = [];
    this.#order += 1;
  }

  #turn(
    state: { readonly isOver: boolean; readonly isFormatted: boolean; readonly confidence: number },
    delayMs: number,
  ): void {
    const { isOver, isFormatted, confidence } = state;
    const words = this.#words.map(({ text, startMs, endMs }, index) => ({
      text: isFormatted ? text : plain(text),
      start: Math.round(startMs),
      end: Math.round(endMs),
      confidence: 0.95,
      // The newest may still change.
      word_is_final: isOver || index < this.#words.length - 1,
    }));
    const transcript = words.filter((one) => one.word_is_final).map((one) => one.text);
    this.#connection.send(
      {
        type: 'Turn',
        turn_order: this.#order,
        turn_is_formatted: isFormatted,
        end_of_turn: isOver,
        transcript: transcript.join(' '),
        end_of_turn_confidence: confidence,
        words,
        utterance: isOver ? transcript.join(' ') : '',
      },
      delayMs,
    );
  }

  #fail(code: number, reason: string): void {
    this.#connection.send({ type: 'Error', error_code: code, error: reason });
    this.#connection.close(code, reason);
  }
}

/** Writes a word as it is before formatting. */
const plain = (text: string) => text.toLowerCase().replace(/[.,?!]/g, '');

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
