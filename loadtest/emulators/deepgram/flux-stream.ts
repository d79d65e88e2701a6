import type { Hearing } from './hearing.js';
import type { Delays } from './options.js';
import type { FluxQuery } from './query.js';
import type { Heard, HeardWord } from './recogniser.js';
import { fluxWords, transcriptOf } from './transcript.js';

/** The emulated model's certainty that a turn is over grows with silence: none at 0 ms, full at 600 ms. */
const CERTAIN_AFTER_MS = 600;

type TurnEvent = 'StartOfTurn' | 'Update' | 'EagerEndOfTurn' | 'TurnResumed' | 'EndOfTurn';

/** Decides what `/v2/listen` says about the audio that it is given. */
export class FluxStream {
  readonly #query: FluxQuery;
  readonly #recogniser: Hearing;
  readonly #delays: Delays;
  readonly #requestId: string;
  readonly #send: (message: unknown, delayMs: number) => void;
  #sequence = 0;
  #turn = 0;
  #turnStartMs = 0;
  #words: HeardWord[] = [];
  #eager = false;

  constructor(
    query: FluxQuery,
    recogniser: Hearing,
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
    for (const heard of this.#recogniser.push(bytes)) this.#heard(heard);
  }

  /** A fatal error; the connection is closed after it. */
  fail(code: string, description: string): void {
    this.#message({ type: 'Error', code, description }, 0);
  }

  #heard(heard: Heard): void {
    const speechAgain = heard.silenceMs === 0 && heard.speaking;
    if (this.#eager && speechAgain) {
      this.#eager = false;
      this.#turnInfo('TurnResumed', heard, this.#delays.interimDelayMs);
    }
    if (heard.words.length > 0) {
      const first = this.#words.length === 0;
      this.#words = [...this.#words, ...heard.words];
      this.#turnInfo(first ? 'StartOfTurn' : 'Update', heard, this.#delays.interimDelayMs);
    }
    if (this.#words.length > 0 && !speechAgain) this.#weigh(heard);
  }

  #weigh(heard: Heard): void {
    const confidence = certainty(heard.silenceMs);
    const { eot_threshold, eager_eot_threshold, eot_timeout_ms } = this.#query;
    const byModel = eot_threshold < 1 && confidence >= eot_threshold;
    if (!this.#eager && eager_eot_threshold !== undefined && confidence >= eager_eot_threshold) {
      this.#eager = true;
      this.#turnInfo('EagerEndOfTurn', heard, this.#delays.finalDelayMs);
    }
    if (!byModel && heard.silenceMs < eot_timeout_ms) return;
    this.#turnInfo('EndOfTurn', heard, this.#delays.finalDelayMs, byModel ? 'model' : 'timeout');
    this.#turn += 1;
    this.#turnStartMs = heard.atMs;
    this.#words = [];
    this.#eager = false;
  }

  #turnInfo(event: TurnEvent, heard: Heard, delayMs: number, trigger?: string): void {
    this.#message(
      {
        type: 'TurnInfo',
        event,
        turn_index: this.#turn,
        audio_window_start: this.#turnStartMs / 1000,
        audio_window_end: heard.atMs / 1000,
        transcript: transcriptOf(this.#words, true),
        words: fluxWords(this.#words),
        end_of_turn_confidence: certainty(heard.silenceMs),
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
