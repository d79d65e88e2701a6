import { type AudioFormat, bytesPerMs } from '@voice/shared/audio/format';
import type { Timer } from '@voice/shared/clock/clock';
import { ProviderError } from '../../../provider-error.js';
import type { SttOptions, SttSession } from '../../port.js';
import { unfinished, withoutOverlap } from './joined-text.js';
import type { RecognitionReply } from './messages.js';
import { RecogniserConnection } from './recogniser-connection.js';
import type { Recogniser } from './recogniser-process.js';
import { UtteranceAudio } from './utterance-audio.js';

const NAME = 'local';
/** The detector finds speech when it is under way: audio before it that is looked at, too, in ms. */
const PREROLL_MS = 240;
/** Audio behind the last speech that the model is given: it hears the end of a sentence in it. In ms. */
const TAIL_MS = 160;
/** An interim that reaches so far behind the end of speech says what the final would. In ms. */
const COVERS_MS = 60;
/** New audio before the next interim, and at most while the machine is busy, in ms. */
const INTERIM_MS = 300;
const SLOWEST_INTERIM_MS = 1500;
/** Audio before the first interim, in ms: from less the model cannot say what was said. */
const FIRST_INTERIM_MS = 500;
/** Speech without a pause is cut at a quiet moment from here on, and anywhere at the limit. In ms. */
const CUT_FROM_MS = 7000;
const CUT_AT_MS = 9500;
/** What counts as a quiet moment: this share of the mean loudness. */
const QUIET = 0.2;
/** Audio that is given twice when the cut went through a word, in ms. */
const OVERLAP_MS = 900;
/** Less speech than this holds no word: nothing is final in it yet. In ms. */
const SHORTEST_MS = 60;
const KEPT_MS = 14_000;
/** A final that does not come: the last interim stands in for it, in ms. */
const FINAL_WITHIN_MS = 4000;

/** A piece of speech: what the model is asked about at once. */
interface Piece {
  readonly fromMs: number;
  /** Where speech was found; from here on texts are placed. */
  readonly startMs: number;
  /** The piece before it whose last words may be repeated at its beginning. */
  readonly overlaps: Piece | undefined;
  interim: Heard | undefined;
  /** Up to where an interim was asked for last. */
  askedMs: number;
  shown: boolean;
  text: string;
}

interface Heard {
  readonly text: string;
  readonly confidence: number;
  /** Up to where the audio was heard. */
  readonly toMs: number;
}

/** A piece that has ended; its final text is reported after those of the pieces before it. */
interface Ended {
  readonly piece: Piece;
  readonly endMs: number;
  heard: Pick<Heard, 'text' | 'confidence'> | undefined;
  settled: boolean;
}

interface Question {
  readonly piece: Piece;
  readonly kind: 'interim' | 'final';
  readonly toMs: number;
  readonly askedAt: number;
  /** Only of a final, or an interim that will do as one. */
  ended: Ended | undefined;
  timeout?: Timer;
}

export interface RecogniserSessionOptions extends SttOptions {
  readonly recogniser: Recogniser;
  readonly audioFormat: AudioFormat;
}

/** Recognises one call with a model: the detector cuts utterances, the machine's recogniser transcribes them. */
export class RecogniserSession implements SttSession {
  readonly #options: RecogniserSessionOptions;
  readonly #audio: UtteranceAudio;
  readonly #connection: RecogniserConnection;
  readonly #questions = new Map<number, Question>();
  readonly #bytesPerMs: number;
  #bytes = 0;
  #piece: Piece | undefined;
  readonly #ended: Ended[] = [];
  /** Audio before this has its final text. */
  #settledMs = 0;
  #interimMs = INTERIM_MS;
  #closed = false;

  constructor(options: RecogniserSessionOptions) {
    this.#options = options;
    this.#bytesPerMs = bytesPerMs(options.audioFormat);
    this.#audio = new UtteranceAudio(options.audioFormat, KEPT_MS);
    this.#connection = new RecogniserConnection({
      recogniser: options.recogniser,
      format: options.audioFormat,
      clock: options.clock,
      onReply: (reply) => this.#answered(reply),
      onLost: (cause) => this.#fail(cause),
    });
  }

  get audioMs(): number {
    return this.#bytes / this.#bytesPerMs;
  }

  write(frame: Uint8Array): void {
    if (this.#closed) return;
    this.#bytes += frame.length;
    this.#audio.write(frame);
    const piece = this.#piece;
    if (!piece) return;
    const length = this.#audio.endMs - piece.fromMs;
    if (length >= CUT_FROM_MS) this.#cut(piece, length);
    else this.#askInterim(piece);
  }

  voiceActivity(speaking: boolean, atMs: number): void {
    if (this.#closed) return;
    if (speaking) this.#begin(atMs, Math.max(atMs - PREROLL_MS, this.#settledMs));
    else if (this.#piece) this.#end(this.#piece, atMs);
  }

  finalize(): void {
    const piece = this.#piece;
    if (this.#closed || !piece) return;
    const now = this.#audio.endMs;
    if (now - piece.startMs < SHORTEST_MS) return;
    this.#end(piece, now);
    // Our caller goes on speaking, as far as the detector knows.
    this.#begin(now, now);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { timeout } of this.#questions.values()) timeout?.cancel();
    this.#questions.clear();
    this.#connection.close();
  }

  #begin(startMs: number, fromMs: number, overlaps?: Piece): void {
    if (this.#piece) return;
    this.#piece = {
      fromMs: Math.max(fromMs, this.#audio.startMs),
      startMs,
      overlaps,
      interim: undefined,
      askedMs: fromMs,
      shown: false,
      text: '',
    };
  }

  #askInterim(piece: Piece): void {
    const now = this.#audio.endMs;
    if (now - piece.startMs < FIRST_INTERIM_MS || this.#questions.size > 0) return;
    if (now - piece.askedMs < this.#interimMs) return;
    piece.askedMs = now;
    this.#ask(piece, 'interim', now, undefined);
  }

  /** Cuts speech without end: the part up to a quiet moment is final, or up to the limit with an overlap. */
  #cut(piece: Piece, length: number): void {
    const now = this.#audio.endMs;
    const { atMs, relative } = this.#audio.quietest(piece.fromMs + CUT_FROM_MS / 2, now - TAIL_MS);
    if (relative > QUIET && length < CUT_AT_MS) {
      this.#askInterim(piece);
      return;
    }
    const pause = relative <= QUIET;
    const cutMs = pause ? atMs : now;
    this.#end(piece, cutMs);
    this.#begin(cutMs, pause ? cutMs : cutMs - OVERLAP_MS, pause ? undefined : piece);
  }

  #end(piece: Piece, endMs: number): void {
    this.#piece = undefined;
    this.#settledMs = endMs;
    const known = piece.interim;
    const asked = [...this.#questions.values()].find((question) => question.piece === piece);
    const ended: Ended = { piece, endMs, heard: undefined, settled: false };
    this.#ended.push(ended);
    if (known && known.toMs >= endMs + COVERS_MS) this.#settle(ended, known);
    else if (asked && asked.toMs >= endMs + COVERS_MS) this.#await(asked, ended);
    else this.#ask(piece, 'final', Math.min(this.#audio.endMs, endMs + TAIL_MS), ended);
  }

  #ask(piece: Piece, kind: 'interim' | 'final', toMs: number, ended: Ended | undefined): void {
    const id = this.#connection.ask(kind, this.#audio.slice(piece.fromMs, toMs));
    const question: Question = { piece, kind, toMs, ended, askedAt: this.#options.clock.monotonic() };
    this.#questions.set(id, question);
    if (ended) this.#await(question, ended);
  }

  /** Makes the answer to this question the piece's final text. */
  #await(question: Question, ended: Ended): void {
    question.ended = ended;
    question.timeout = this.#options.clock.schedule(FINAL_WITHIN_MS, () => {
      for (const [id, asked] of this.#questions) if (asked === question) this.#questions.delete(id);
      this.#options.log.warn({ provider: NAME }, 'the recogniser is too slow: an unfinished text must do');
      this.#settle(ended, question.piece.interim);
    });
  }

  #answered(reply: RecognitionReply): void {
    const question = this.#questions.get(reply.id);
    if (!question) return;
    this.#questions.delete(reply.id);
    question.timeout?.cancel();
    const { piece, ended, toMs } = question;
    this.#paceInterims(question, reply);
    if (reply.outcome === 'failed') {
      this.#options.log.warn({ provider: NAME, error: reply.message }, 'speech could not be recognised');
    }
    if (!ended) {
      if (reply.outcome === 'understood') this.#show(piece, { ...reply, toMs });
      return;
    }
    if (reply.outcome === 'shed' && question.kind === 'interim') this.#ask(piece, 'final', toMs, ended);
    else this.#settle(ended, reply.outcome === 'understood' ? reply : piece.interim);
  }

  /** Asks a busy machine less often, an idle one every 300 ms. */
  #paceInterims({ kind, askedAt }: Question, { outcome }: RecognitionReply): void {
    if (kind === 'final') return;
    const took = this.#options.clock.monotonic() - askedAt;
    const wanted = outcome === 'shed' ? this.#interimMs * 2 : Math.max(INTERIM_MS, took * 1.5);
    this.#interimMs = Math.min(SLOWEST_INTERIM_MS, wanted);
  }

  #show(piece: Piece, heard: Heard): void {
    const changed = heard.text !== piece.interim?.text;
    piece.interim = { text: heard.text, confidence: heard.confidence, toMs: heard.toMs };
    // Of a piece that waits for its final text, too, unless one before it does.
    const current = this.#ended.length > 0 ? this.#ended[0]!.piece : this.#piece;
    if (piece !== current || !changed) return;
    const text = unfinished(this.#newWords(piece, heard.text));
    if (text === '') return;
    piece.shown = true;
    this.#report(piece, text, false, heard.confidence, heard.toMs);
  }

  #settle(ended: Ended, heard: Ended['heard']): void {
    ended.heard = heard;
    ended.settled = true;
    while (this.#ended[0]?.settled) this.#finish(this.#ended.shift()!);
  }

  #finish({ piece, endMs, heard }: Ended): void {
    piece.text = this.#newWords(piece, heard?.text ?? '');
    // An empty final takes an interim back that was noise.
    if (piece.text === '' && !piece.shown) return;
    this.#report(piece, piece.text, true, heard?.confidence ?? 0, endMs);
  }

  #newWords(piece: Piece, text: string): string {
    return piece.overlaps ? withoutOverlap(piece.overlaps.text, text) : text;
  }

  #report(piece: Piece, text: string, final: boolean, confidence: number, toMs: number): void {
    if (this.#closed) return;
    const endMs = Math.max(piece.startMs + 1, toMs);
    this.#options.onEvent({ type: 'transcript', text, final, confidence, startMs: piece.startMs, endMs });
  }

  #fail(cause: unknown): void {
    if (this.#closed) return;
    this.close();
    const log = this.#options.recogniser.logPath;
    const error = new ProviderError({
      provider: NAME,
      kind: 'stt',
      code: 'unavailable',
      message: `the local recogniser cannot be reached${log ? ` (its messages: ${log})` : ''}`,
      retryable: true,
      cause,
    });
    this.#options.onEvent({ type: 'failed', error });
  }
}
