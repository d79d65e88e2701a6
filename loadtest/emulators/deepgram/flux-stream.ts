import type { PhraseRecogniser } from '../recognition/phrase-recogniser.js';
import type { RecognisedFrame, RecognisedWord } from '../recognition/recogniser.js';
import type { Delays } from './options.js';
import type { FluxQuery } from './query.js';
import { fluxWords, transcriptOf } from './transcript.js';

/** The emulated model's certainty that a turn is over grows with silence: none at 0 ms, full at 600 ms. */
const CERTAIN_AFTER_MS = 600;

type TurnEvent = 'StartOfTurn' | 'Update' | 'EagerEndOfTurn' | 'TurnResumed' | 'EndOfTurn';

/** Decides what `/v2/listen` says about the audio that it is given. */
export class FluxStream {
  readonly #query: FluxQuery;
  readonly #recogniser: PhraseRecogniser;
  readonly #delays: Delays;
  readonly #requestId: string;
  readonly #send: (message: unknown, delayMs: number) => void;
  #sequence = 0;
  #turn = 0;
  #turnStartMs = 0;
  #words: RecognisedWord[] = [];
  #eager = false;

  constructor(
    query: FluxQuery,
    recogniser: PhraseRecogniser,
    options: {
      delays: Delays;
      requestId: string;
      send: (message: unknown, delayMs: number) => void;
    },
  ) {
    this.#query = query;
    this.#recogniser = recogniser;
    this.#delays = options.delays;
    this.#requestId = options.requestId;
    this.#send = options.send;
  }

  connected(): void {
    this.#message({ type: 'Connected' }, 0);
  }

  audio(bytes: Uint8Array): void {
    for (const recognised of this.#recogniser.push(bytes)) this.#recognised(recognised);
  }

  /** Sends a fatal error, then closes the connection. */
  fail(code: string, description: string): void {
    this.#message({ type: 'Error', code, description }, 0);
  }

  #recognised(recognised: RecognisedFrame): void {
    const speechAgain = recognised.silenceMs === 0 && recognised.speaking;
    if (this.#eager && speechAgain) {
      this.#eager = false;
      this.#turnInfo('TurnResumed', recognised, this.#delays.interimDelayMs);
    }
    if (recognised.words.length > 0) {
      const first = this.#words.length === 0;
      this.#words = [...this.#words, ...recognised.words];
      this.#turnInfo(first ? 'StartOfTurn' : 'Update', recognised, this.#delays.interimDelayMs);
    }
    if (this.#words.length > 0 && !speechAgain) this.#weigh(recognised);
  }

  #weigh(recognised: RecognisedFrame): void {
    const confidence = certainty(recognised.silenceMs);
    const { eot_threshold, eager_eot_threshold, eot_timeout_ms } = this.#query;
    const byModel = eot_threshold < 1 && confidence >= eot_threshold;
    if (!this.#eager && eager_eot_threshold !== undefined && confidence >= eager_eot_threshold) {
      this.#eager = true;
      this.#turnInfo('EagerEndOfTurn', recognised, this.#delays.finalDelayMs);
    }
    if (!byModel && recognised.silenceMs < eot_timeout_ms) return;
    this.#turnInfo('EndOfTurn', recognised, this.#delays.finalDelayMs, byModel ? 'model' : 'timeout');
    this.#turn += 1;
    this.#turnStartMs = recognised.atMs;
    this.#words = [];
    this.#eager = false;
  }

  #turnInfo(event: TurnEvent, recognised: RecognisedFrame, delayMs: number, trigger?: string): void {
    this.#message(
      {
        type: 'TurnInfo',
        event,
        turn_index: this.#turn,
        audio_window_start: this.#turnStartMs / 1000,
        audio_window_end: recognised.atMs / 1000,
        transcript: transcriptOf(this.#words, true),
        words: fluxWords(this.#words),
        end_of_turn_confidence: certainty(recognised.silenceMs),
        ...(trigger === undefined ? {} : { trigger }),
      },
      delayMs,
    );
  }

  #message(fields: Readonly<Record<string, unknown>>, delayMs: number): void {
    this.#send({ ...fields, request_id: this.#requestId, sequence_id: this.#sequence++ }, delayMs);
  }
}

function certainty(silenceMs: number): number {
  return Math.min(0.99, silenceMs / CERTAIN_AFTER_MS);
}
