import { convertAudio } from '@voice/shared/audio/converter';
import { type AudioFormat, PCMU_8K } from '@voice/shared/audio/format';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { fallSilent, type Pace, pacedAudio } from '../serving/paced-audio.js';
import { type SpeechFault, type SpeechFaults, takeSpeechFault } from '../serving/speech-faults.js';
import type { SpeechSource } from '../synthesis/speech.js';

interface ContextOptions {
  readonly id: string;
  readonly settings: string;
  readonly format: AudioFormat;
  readonly hasTimestamps: boolean;
  readonly source: SpeechSource;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly faults: SpeechFaults;
  /** How long a context waits for more text once all was spoken, in ms. */
  readonly lifeMs: number;
  send(message: object): void;
  /** Carries out a fault of the whole connection. */
  breakOff(fault: SpeechFault): void;
  onEnd(reason: 'done' | 'expired'): void;
}

/** Speaks one context: inputs follow one another on one clock. */
export class SpeechContext {
  readonly #options: ContextOptions;
  readonly #gone = new AbortController();
  #work: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isEnded = false;
  #audioMs = 0;
  #fault: SpeechFault | undefined;
  #expiry: Timer | undefined;

  constructor(options: ContextOptions) {
    this.#options = options;
  }

  get settings(): string {
    return this.#options.settings;
  }

  /** Returns whether its last input has come. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  take(transcript: string, continues: boolean): void {
    this.#expiry?.cancel();
    this.#isEnded = !continues;
    this.#waiting += 1;
    this.#work = this.#work
      .then(() => (transcript.trim() === '' ? undefined : this.#speak(transcript)))
      .then(() => this.#spoken())
      .catch(() => {});
  }

  /** Stops it; nothing of it follows. */
  stop(): void {
    this.#expiry?.cancel();
    this.#gone.abort(new Error('cancelled'));
  }

  async #speak(text: string): Promise<void> {
    const { id, source, pace, clock, faults, format, hasTimestamps, send } = this.#options;
    const gone = this.#gone.signal;
    gone.throwIfAborted();
    this.#fault ??= takeSpeechFault(faults);
    if (this.#fault === 'stall') await fallSilent(clock, gone);
    const { audio, chars } = await source.render(text, gone);
    const spoken = convertAudio(audio, { from: PCMU_8K, to: format });
    const beganMs = this.#audioMs;
    let areTimesSent = !hasTimestamps;
    for await (const piece of pacedAudio(spoken, format, pace, clock, gone)) {
      if (this.#fault !== undefined && this.#audioMs >= faults.afterAudioMs) {
        this.#options.breakOff(this.#fault);
        await fallSilent(clock, gone);
      }
      send({ type: 'chunk', data: Buffer.from(piece.audio).toString('base64'), context_id: id, done: false });
      this.#audioMs += piece.audioMs;
      if (areTimesSent) continue;
      areTimesSent = true;
      const words = wordsOf(text, chars, beganMs);
      send({ type: 'timestamps', context_id: id, done: false, status_code: 206, word_timestamps: words });
    }
  }

  #spoken(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0 || this.#gone.signal.aborted) return;
    const { clock, lifeMs, onEnd } = this.#options;
    if (this.#isEnded) onEnd('done');
    else this.#expiry = clock.schedule(lifeMs, () => onEnd('expired'));
  }
}

/** Returns the words' times in seconds on the context's clock. */
function wordsOf(
  text: string,
  chars: readonly { readonly startMs: number; readonly endMs: number }[],
  beganMs: number,
) {
  const words = [...text.matchAll(/\S+/g)];
  const at = (index: number) => [...text.slice(0, index)].length;
  const seconds = (ms: number) => (beganMs + ms) / 1000;
  return {
    words: words.map(([word]) => word),
    start: words.map(({ index }) => seconds(chars[at(index)]!.startMs)),
    end: words.map(({ 0: word, index }) => seconds(chars[at(index + word.length) - 1]!.endMs)),
  };
}
