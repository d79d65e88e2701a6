import { InferenceSession, Tensor } from '../../inference/onnx-runtime.js';

/**
 * How much chance is in the sound and in the rhythm. None: the same text always sounds the same, so that its
 * audio can be cached; the difference is hardly heard on a phone line.
 */
const NOISE = 0;
const RHYTHM_NOISE = 0;

/** Runs a Piper voice (VITS) in ONNX Runtime. */
export class Piper {
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  /** @param threads of one synthesis */
  static async load(model: string, threads: number): Promise<Piper> {
    return new Piper(
      await InferenceSession.create(model, { intraOpNumThreads: threads, interOpNumThreads: 1 }),
    );
  }

  /** Synthesizes samples at the voice's own rate, -1..1. */
  async speak(phonemes: readonly number[], lengthScale: number): Promise<Float32Array> {
    const result = await this.#session.run({
      input: new Tensor('int64', BigInt64Array.from(phonemes, BigInt), [1, phonemes.length]),
      input_lengths: new Tensor('int64', BigInt64Array.of(BigInt(phonemes.length)), [1]),
      scales: new Tensor('float32', Float32Array.of(NOISE, lengthScale, RHYTHM_NOISE), [3]),
      // A voice of several speakers: the first.
      ...(this.#session.inputNames.includes('sid')
        ? { sid: new Tensor('int64', BigInt64Array.of(0n), [1]) }
        : {}),
    });
    return result[this.#session.outputNames[0]!]!.data as Float32Array;
  }
}
