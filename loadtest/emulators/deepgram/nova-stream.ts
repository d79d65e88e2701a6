import type { PhraseRecogniser } from '../recognition/phrase-recogniser.js';
import type { RecognisedFrame, RecognisedWord } from '../recognition/recogniser.js';
import type { Delays } from './options.js';
import type { NovaQuery } from './query.js';
import { alternative } from './transcript.js';

/** A segment of running speech is finalised after this long even without a pause, in ms. */
const MAX_SEGMENT_MS = 5000;
/** Silence is finalised, as an empty result, in pieces of this length, in ms. */
const EMPTY_RESULT_MS = 3000;

/** Decides what `/v1/listen` says about the audio that it is given. */
export class NovaStream {
  readonly #query: NovaQuery;
  readonly #recogniser: PhraseRecogniser;
  readonly #delays: Delays;
  readonly #requestId: string;
  readonly #send: (message: unknown, delayMs: number) => void;
  /** Where the segment that is not final yet began, in ms. */
  #segmentStartMs = 0;
  #words: RecognisedWord[] = [];
  /** Words were recognised that no result had yet. */
  #owesInterim = false;
  /** When the last interim came, or the utterance began, in ms. */
  #interimAtMs = 0;
  #endpointed = true;
  /** End of the last word that no UtteranceEnd was sent for, in ms. */
  #lastWordEndMs: number | undefined;

  constructor(
    query: NovaQuery,
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

  audio(bytes: Uint8Array): void {
    for (const recognised of this.#recogniser.push(bytes)) this.#recognised(recognised);
  }

  finalize(): void {
    this.#results({ final: true, speechFinal: false, fromFinalize: true, endMs: this.#recogniser.atMs });
  }

  closeStream(): void {
    if (this.#words.length > 0) {
      this.#results({ final: true, speechFinal: true, fromFinalize: false, endMs: this.#recogniser.atMs });
    }
    this.#send(
      {
        type: 'Metadata',
        transaction_key: 'deprecated',
        request_id: this.#requestId,
        sha256: '0'.repeat(64),
        created: new Date().toISOString(),
        duration: this.#recogniser.atMs / 1000,
        channels: 1,
      },
      0,
    );
  }

  #recognised(recognised: RecognisedFrame): void {
    if (recognised.started) {
      this.#endpointed = false;
      if (this.#words.length === 0) this.#interimAtMs = recognised.atMs;
      if (this.#query.vad_events) {
        const timestamp = (recognised.atMs - 20) / 1000;
        this.#send({ type: 'SpeechStarted', channel: [0], timestamp }, this.#delays.speechStartedDelayMs);
      }
    }
    if (recognised.words.length > 0) {
      this.#words = [...this.#words, ...recognised.words];
      this.#lastWordEndMs = recognised.words.at(-1)!.endMs;
      this.#owesInterim = true;
      if (recognised.atMs - this.#segmentStartMs >= MAX_SEGMENT_MS) {
        this.#results({ final: true, speechFinal: false, fromFinalize: false, endMs: recognised.atMs });
      }
    }
    this.#interim(recognised.atMs);
    this.#endpoint(recognised);
    this.#utteranceEnd(recognised);
  }

  #interim(atMs: number): void {
    if (!this.#query.interim_results || !this.#owesInterim) return;
    if (atMs - this.#interimAtMs < this.#delays.interimEveryMs) return;
    this.#interimAtMs = atMs;
    this.#results({ final: false, speechFinal: false, fromFinalize: false, endMs: atMs });
  }

  #endpoint({ atMs, silenceMs, speaking }: RecognisedFrame): void {
    const { endpointing } = this.#query;
    if (!this.#endpointed && endpointing !== null && silenceMs >= endpointing) {
      this.#endpointed = true;
      this.#results({ final: true, speechFinal: true, fromFinalize: false, endMs: atMs });
      return;
    }
    if (!speaking && this.#words.length === 0 && atMs - this.#segmentStartMs >= EMPTY_RESULT_MS) {
      this.#results({ final: true, speechFinal: false, fromFinalize: false, endMs: atMs });
    }
  }

  #utteranceEnd({ atMs }: RecognisedFrame): void {
    const { utterance_end_ms: gapMs } = this.#query;
    if (gapMs === undefined || this.#lastWordEndMs === undefined) return;
    if (atMs - this.#lastWordEndMs < gapMs) return;
    const message = { type: 'UtteranceEnd', channel: [0, 1], last_word_end: this.#lastWordEndMs / 1000 };
    this.#lastWordEndMs = undefined;
    this.#send(message, this.#delays.finalDelayMs);
  }

  #results(options: { final: boolean; speechFinal: boolean; fromFinalize: boolean; endMs: number }): void {
    const { final, speechFinal, fromFinalize, endMs } = options;
    const punctuated = this.#query.punctuate || this.#query.smart_format;
    const message = {
      type: 'Results',
      channel_index: [0, 1],
      duration: (endMs - this.#segmentStartMs) / 1000,
      start: this.#segmentStartMs / 1000,
      is_final: final,
      speech_final: speechFinal,
      from_finalize: fromFinalize,
      channel: { alternatives: [alternative(this.#words, punctuated)] },
      metadata: {
        request_id: this.#requestId,
        model_info: {
          name: `general-${this.#query.model}`,
          version: '2025-01-01.0',
          arch: this.#query.model,
        },
        model_uuid: '00000000-0000-4000-8000-000000000000',
      },
    };
    this.#owesInterim = false;
    if (final) {
      this.#segmentStartMs = endMs;
      this.#words = [];
    }
    this.#send(message, final ? this.#delays.finalDelayMs : this.#delays.interimDelayMs);
  }
}
