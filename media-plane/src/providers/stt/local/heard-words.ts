import type { Caption } from '@voice/shared/contracts/captions';

/** How far from the detector's speech a word may lie and still be its word (soft beginnings and ends), in ms. */
const TOLERANCE_MS = 80;

interface Word {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

interface Speech {
  readonly startMs: number;
  endMs: number;
}

export interface Heard {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Computes what of a simulated person's script was heard: a word counts only when all its audio has arrived and the
 * voice-activity detector found speech in it. Pure bookkeeping; positions are ms of the audio written.
 */
export class HeardWords {
  readonly #utterances = new Map<number, Word[]>();
  /** Said or to be said, in order, neither heard nor missed so far. */
  #expected: (Word & { readonly utterance: number })[] = [];
  #speech: Speech[] = [];
  #segment: Word[] = [];

  /** Takes what the person says; repeats (after a reconnection) change nothing. */
  take(caption: Caption): void {
    if (caption.kind === 'cut') {
      this.#expected = this.#expected.filter(
        (word) => word.utterance !== caption.id || word.endMs <= caption.at_ms,
      );
      return;
    }
    if (this.#utterances.has(caption.id)) return;
    const words = caption.words.map((word) => ({
      text: word.text,
      startMs: word.start_ms,
      endMs: word.end_ms,
    }));
    this.#utterances.set(caption.id, words);
    this.#expected.push(...words.map((word) => ({ ...word, utterance: caption.id })));
    this.#expected.sort((a, b) => a.startMs - b.startMs);
  }

  speechStarted(atMs: number): void {
    if (this.#speech.at(-1)?.endMs !== Number.POSITIVE_INFINITY) {
      this.#speech.push({ startMs: atMs, endMs: Number.POSITIVE_INFINITY });
    }
  }

  speechStopped(atMs: number): void {
    const last = this.#speech.at(-1);
    if (last?.endMs === Number.POSITIVE_INFINITY) last.endMs = Math.max(last.startMs, atMs);
  }

  get speaking(): boolean {
    return this.#speech.at(-1)?.endMs === Number.POSITIVE_INFINITY;
  }

  /** Takes over the words heard by now; answers whether there were new ones. */
  listen(audioMs: number): boolean {
    const heard: Word[] = [];
    let missed = 0;
    for (const [index, word] of this.#expected.entries()) {
      if (word.endMs > audioMs) break;
      if (!this.#wasSpeech(word)) continue;
      heard.push(word);
      // Words before it that the detector did not find were not heard and will not be.
      missed = index + 1;
    }
    if (heard.length === 0) return false;
    this.#expected.splice(0, missed);
    this.#segment.push(...heard);
    this.#forgetSpeechBefore(this.#segment.at(-1)!.startMs);
    return true;
  }

  /** Returns what was heard since the last `finish`. */
  get segment(): Heard | undefined {
    const first = this.#segment[0];
    const last = this.#segment.at(-1);
    if (!first || !last) return undefined;
    return {
      text: this.#segment.map((word) => word.text).join(' '),
      startMs: first.startMs,
      endMs: last.endMs,
    };
  }

  /** Ends the segment and answers it. */
  finish(): Heard | undefined {
    const segment = this.segment;
    this.#segment = [];
    return segment;
  }

  #wasSpeech(word: Word): boolean {
    return this.#speech.some(
      (speech) => word.startMs < speech.endMs + TOLERANCE_MS && word.endMs > speech.startMs - TOLERANCE_MS,
    );
  }

  #forgetSpeechBefore(atMs: number): void {
    this.#speech = this.#speech.filter((speech) => speech.endMs + TOLERANCE_MS > atMs);
  }
}
