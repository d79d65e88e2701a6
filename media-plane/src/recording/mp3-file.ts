import { closeSync, openSync, writeSync } from 'node:fs';
import { StereoMp3Encoder } from '../audio/mp3-encoder.js';
import { type Mp3Format, mp3Format, mp3InfoFrame } from '../audio/mp3-format.js';

/** Encoders that finished their file, for the next one. */
const idle: StereoMp3Encoder[] = [];

/** Writes a recording's file, its length in front. Synchronous: it belongs to a thread that does nothing else. */
export class Mp3File {
  readonly #file: number;
  readonly #encoder: StereoMp3Encoder;
  readonly #format: Mp3Format;
  #samples = 0;
  #bytes = 0;

  private constructor(path: string, encoder: StereoMp3Encoder, format: Mp3Format) {
    this.#encoder = encoder;
    this.#format = format;
    this.#file = openSync(path, 'w', 0o600);
    this.#append(mp3InfoFrame({ frames: 0, samples: 0 }, format));
  }

  /** Creates the file, or empties it. */
  static async create(path: string, sampleRate: Mp3Format['sampleRate']): Promise<Mp3File> {
    const format = mp3Format(sampleRate);
    const encoder = idle.pop() ?? (await StereoMp3Encoder.create(format));
    encoder.restart(format);
    return new Mp3File(path, encoder, format);
  }

  write(left: Int16Array, right: Int16Array): void {
    this.#append(this.#encoder.encode(left, right));
    this.#samples += left.length;
  }

  /** Writes the last frames and closes the file. */
  finish(): { samples: number; bytes: number } {
    this.#append(this.#encoder.finish());
    this.#writeLength();
    this.#release();
    return { samples: this.#samples, bytes: this.#bytes };
  }

  /** Closes the file after a failure: what is written stays. */
  close(): void {
    closeSync(this.#file);
  }

  #release(): void {
    closeSync(this.#file);
    idle.push(this.#encoder);
  }

  #writeLength(): void {
    const { frameBytes } = this.#format;
    const frames = this.#bytes / frameBytes - 1;
    writeSync(this.#file, mp3InfoFrame({ frames, samples: this.#samples }, this.#format), 0, frameBytes, 0);
  }

  #append(bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length; ) {
      // A position is given, because the length in front is written last.
      written += writeSync(this.#file, bytes, written, bytes.length - written, this.#bytes + written);
    }
    this.#bytes += bytes.length;
  }
}
