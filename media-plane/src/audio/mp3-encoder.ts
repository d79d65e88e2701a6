import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createEncoder, type WasmMediaEncoder } from 'wasm-media-encoders';
import { type Mp3Format, PHONE_MP3 } from './mp3-format.js';

type Lame = Parameters<typeof createEncoder>[1];

/** LAME, compiled once a thread; an encoder is an instance of it (0.8 MB). */
let compiled: Lame | undefined;

async function createLame(): Promise<WasmMediaEncoder<'audio/mpeg'>> {
  if (compiled) return createEncoder('audio/mpeg', compiled);
  const bytes = await readFile(createRequire(import.meta.url).resolve('wasm-media-encoders/wasm/mp3'));
  return createEncoder('audio/mpeg', bytes, (module) => {
    compiled = module;
  });
}

/** Encodes stereo as MP3 frames (`mp3-format.ts`). Results are valid until the next call: copy or write them. */
export class StereoMp3Encoder {
  readonly #lame: WasmMediaEncoder<'audio/mpeg'>;
  #left = new Float32Array(0);
  #right = new Float32Array(0);

  private constructor(encoder: WasmMediaEncoder<'audio/mpeg'>) {
    this.#lame = encoder;
  }

  static async create(format: Mp3Format = PHONE_MP3): Promise<StereoMp3Encoder> {
    const encoder = new StereoMp3Encoder(await createLame());
    encoder.restart(format);
    return encoder;
  }

  /** Begins a new file. */
  restart({ sampleRate, bitrateKbps }: Mp3Format = PHONE_MP3): void {
    this.#lame.configure({ sampleRate, channels: 2, bitrate: bitrateKbps });
  }

  /** Encodes both channels, which have the same length. Returns nothing until a frame is complete. */
  encode(left: Int16Array, right: Int16Array): Uint8Array {
    if (left.length !== right.length)
      throw new RangeError('The channels of a recording have the same length');
    if (this.#left.length < left.length) {
      this.#left = new Float32Array(left.length);
      this.#right = new Float32Array(left.length);
    }
    for (let i = 0; i < left.length; i++) {
      this.#left[i] = left[i]! / 32_768;
      this.#right[i] = right[i]! / 32_768;
    }
    return this.#lame.encode([this.#left.subarray(0, left.length), this.#right.subarray(0, left.length)]);
  }

  /** Returns the last frames of the file. `restart` makes the encoder ready for another. */
  finish(): Uint8Array {
    return this.#lame.finalize();
  }
}
