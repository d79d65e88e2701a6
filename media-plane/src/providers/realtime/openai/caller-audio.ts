import { type AudioFormat, bytesPerMs, silenceByte } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import { Resampler } from '@voice/shared/audio/resample';

/** Frames are sent together, to save messages; at most this much later, in ms. */
const CHUNK_MS = 80;
/** What is kept of the time before speech, in ms: the detector notices speech only after its beginning. */
const PRE_ROLL_MS = 1000;
const MODEL_RATE = 24_000;

export interface CallerAudioOptions {
  readonly format: AudioFormat;
  /** Whether silence between turns is held back: without turn detection of its own, the model would read it all. */
  readonly holdsSilence: boolean;
  /** Takes base64 audio in the session's input format. */
  readonly send: (base64: string, ms: number) => void;
}

/** Sends the caller's audio to the model: gathered, and converted where the line's format is not the model's. */
export class CallerAudio {
  readonly #options: CallerAudioOptions;
  readonly #frameBytes: number;
  readonly #resampler: Resampler | undefined;
  /** Frames that wait: a ring of the pre-roll while silence is held, a chunk while speech is sent. */
  readonly #waiting: Buffer;
  #waitingBytes = 0;
  #holding = false;
  #marked = false;
  #speaking = false;
  #sentMs = 0;

  constructor(options: CallerAudioOptions) {
    this.#options = options;
    const { encoding, sampleRate } = options.format;
    this.#frameBytes = bytesPerMs(options.format) * FRAME_MS;
    this.#waiting = Buffer.alloc(bytesPerMs(options.format) * PRE_ROLL_MS);
    this.#resampler =
      encoding === 'l16' && sampleRate !== MODEL_RATE ? new Resampler(sampleRate, MODEL_RATE) : undefined;
  }

  /** Returns how much audio since the last commit the model has, or is about to get, in ms. */
  get turnMs(): number {
    return this.#sentMs + this.#waitingMs;
  }

  get #waitingMs(): number {
    return this.#waitingBytes / bytesPerMs(this.#options.format);
  }

  /** Takes a frame; its bytes are copied. */
  write(frame: Uint8Array): void {
    if (this.#waitingBytes + frame.length > this.#waiting.length) this.#dropOldest(frame.length);
    this.#waiting.set(frame, this.#waitingBytes);
    this.#waitingBytes += frame.length;
    if (!this.#holding && this.#waitingMs >= CHUNK_MS) this.flush();
  }

  /** Takes the detector's marks: from the first on, silence is distinguished from speech. */
  voiceActivity(speaking: boolean): void {
    this.#marked = true;
    this.#speaking = speaking;
    if (speaking) this.#holding = false;
  }

  /** Fills the turn up with silence, so that it is not too short to be taken. */
  padTo(ms: number): void {
    const silence = Buffer.alloc(this.#frameBytes, silenceByte(this.#options.format));
    while (this.turnMs < ms) this.write(silence);
  }

  /** Sends what waits. */
  flush(): void {
    if (this.#waitingBytes === 0) return;
    const ms = this.#waitingMs;
    const bytes = this.#waiting.subarray(0, this.#waitingBytes);
    const converted = this.#resampler ? this.#resample(bytes, this.#resampler) : bytes;
    this.#waitingBytes = 0;
    this.#sentMs += ms;
    this.#options.send(converted.toString('base64'), ms);
  }

  /**
   * Ends a turn, or discards one that was none: what comes next is silence until somebody speaks, or goes on speaking.
   */
  turnOver(): void {
    this.#waitingBytes = 0;
    this.#sentMs = 0;
    this.#holding = this.#options.holdsSilence && this.#marked && !this.#speaking;
  }

  #resample(bytes: Buffer, resampler: Resampler): Buffer {
    // The ring begins where its memory begins, so its samples are aligned.
    const samples = resampler.process(new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1));
    return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  }

  #dropOldest(room: number): void {
    const drop = Math.ceil(room / this.#frameBytes) * this.#frameBytes;
    this.#waiting.copyWithin(0, drop, this.#waitingBytes);
    this.#waitingBytes = Math.max(0, this.#waitingBytes - drop);
  }
}
