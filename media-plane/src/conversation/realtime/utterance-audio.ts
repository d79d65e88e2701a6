import { FRAME_MS } from '@voice/shared/audio/g711';
import type { SpokenFrame } from '../port.js';

/** Audio before the beginning that the detector found that still belongs to the speech, in ms. */
const PRE_ROLL_MS = 400;
/** How much audio may come before the detector's word, on a busy machine or line, without the beginning being lost, in ms. */
const LATEST_MS = 3000;
/** How long after the last speech audio still goes to the model, in ms: the end of a word, a breath. */
const TAIL_MS = 600;
/** What is kept of a turn that was not answered yet, in ms. */
const KEPT_MS = 20_000;

/**
 * Sends the caller's audio to the model. Silence is not sent (it is billed like speech); what was said and not answered
 * is kept, for a session that takes over.
 */
export class UtteranceAudio {
  readonly #send: (frame: Uint8Array) => void;
  readonly #isContinuous: boolean;
  #preRoll: SpokenFrame[] = [];
  #unanswered: SpokenFrame[] = [];
  #speaking = false;
  /** Frames of silence that still go out. */
  #tail = 0;
  #uncommitted = false;
  /** What is uncommitted was committed before, to a session that is gone. */
  #isSentAgain = false;

  /** @param isContinuous everything is sent, for providers that find the ends of turns themselves */
  constructor(send: (frame: Uint8Array) => void, isContinuous: boolean) {
    this.#send = send;
    this.#isContinuous = isContinuous;
  }

  /** Returns whether speech was sent since the last `commit`. */
  get hasUncommitted(): boolean {
    return this.#uncommitted;
  }

  /** Returns whether what is to be committed is a turn that was committed before. */
  get isSentAgain(): boolean {
    return this.#isSentAgain;
  }

  /** Returns whether a session that takes over now hears a turn again that was committed before. */
  get isHeardAgain(): boolean {
    return !this.#uncommitted && this.#unanswered.length > 0;
  }

  /** Notes that what was not answered has gone to a new session, which does not know that its turn is over. */
  sentAgain(): void {
    if (!this.isHeardAgain) return;
    this.#uncommitted = true;
    this.#isSentAgain = true;
  }

  /** @param spokenAtMs when its beginning was spoken, ms since the media stream began */
  write(frame: Uint8Array, spokenAtMs: number): void {
    if (this.#isContinuous) this.#send(frame);
    if (this.#speaking || this.#tail > 0) {
      if (!this.#speaking) this.#tail--;
      this.#keep({ frame: frame.slice(), spokenAtMs });
      if (!this.#isContinuous) this.#send(frame);
      return;
    }
    this.#preRoll.push({ frame: frame.slice(), spokenAtMs });
    if (this.#preRoll.length > (PRE_ROLL_MS + LATEST_MS) / FRAME_MS) this.#preRoll.shift();
  }

  /** @param agoMs how much audio has come since the speech began */
  speechStarted(agoMs: number): void {
    this.#speaking = true;
    this.#uncommitted = true;
    this.#isSentAgain = false;
    const frames = Math.ceil((PRE_ROLL_MS + Math.max(0, agoMs)) / FRAME_MS);
    for (const kept of this.#preRoll.splice(0).slice(-frames)) {
      this.#keep(kept);
      if (!this.#isContinuous) this.#send(kept.frame);
    }
  }

  speechStopped(): void {
    this.#speaking = false;
    this.#tail = TAIL_MS / FRAME_MS;
  }

  commit(): void {
    // Speech that goes on is for the next commit; a provider that finds the ends of turns itself takes all there is.
    this.#uncommitted = this.#speaking && !this.#isContinuous;
    this.#isSentAgain = false;
    this.#tail = 0;
  }

  /** Forgets the audio that the agent's answer has answered. */
  answered(): void {
    if (!this.#uncommitted) this.#unanswered = [];
  }

  /** Returns what was said and not answered, oldest first. */
  unanswered(): readonly SpokenFrame[] {
    return this.#unanswered;
  }

  #keep(frame: SpokenFrame): void {
    this.#unanswered.push(frame);
    if (this.#unanswered.length > KEPT_MS / FRAME_MS) this.#unanswered.shift();
  }
}
