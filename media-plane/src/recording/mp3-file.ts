import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { StereoMp3Encoder } from '../audio/mp3-encoder.js';
import { MP3_FRAME_BYTES, mp3InfoFrame } from '../audio/mp3-format.js';

/** Encoders that finished their file, for the next one. */
const idle: StereoMp3Encoder[] = [];

/**
 * A recording's file, written as it is encoded, its length in front brought up to date each time, so that it
 * can be played up to its last block even if the process is killed. Synchronous: it belongs to a thread that
 * does nothing else.
 */
export class Mp3File {
  readonly #path: string;
  readonly #file: number;
  readonly #encoder: StereoMp3Encoder;
  #samples = 0;
  #bytes = 0;

  private constructor(path: string, encoder: StereoMp3Encoder) {
    this.#path = path;
    this.#encoder = encoder;
    this.#file = openSync(path, 'w', 0o600);
    this.#append(mp3InfoFrame({ frames: 0, samples: 0 }));
  }

  /** Creates the file, or empties it. */
  static async create(path: string): Promise<Mp3File> {
    const encoder = idle.pop() ?? (await StereoMp3Encoder.create());
    encoder.restart();
    return new Mp3File(path, encoder);
  }

  write(left: Int16Array, right: Int16Array): void {
    this.#append(this.#encoder.encode(left, right));
    this.#samples += left.length;
    this.#writeLength();
  }

  /** Writes the last frames and closes the file. */
  finish(): { samples: number; bytes: number } {
    this.#append(this.#encoder.finish());
    this.#writeLength();
    this.#release();
    return { samples: this.#samples, bytes: this.#bytes };
  }

  /** Removes the file. */
  abandon(): void {
    this.#encoder.finish();
    this.#release();
    rmSync(this.#path, { force: true });
  }

  /** After a failure: what is written stays. */
  close(): void {
    closeSync(this.#file);
  }

  #release(): void {
    closeSync(this.#file);
    idle.push(this.#encoder);
  }

  #writeLength(): void {
    const frames = this.#bytes / MP3_FRAME_BYTES - 1;
    writeSync(this.#file, mp3InfoFrame({ frames, samples: this.#samples }), 0, MP3_FRAME_BYTES, 0);
  }

  #append(bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length; ) {
      // Positions are given, because the length in front is written again and again.
      written += writeSync(this.#file, bytes, written, bytes.length - written, this.#bytes + written);
    }
    this.#bytes += bytes.length;
  }
}
