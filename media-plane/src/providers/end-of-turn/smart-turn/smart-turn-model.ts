import { InferenceSession, Tensor } from '@voice/shared/inference/onnx-runtime';
import { FEATURE_FRAMES, FEATURE_SAMPLES, LogMel, MELS } from './log-mel.js';

const INPUT = 'input_features';
const OUTPUT = 'logits';
const FULL_SCALE = 32_768;

/** Runs Smart Turn version 3 (BSD-2-Clause). A run holds its thread for 20 to 60 ms. */
export class SmartTurnModel {
  readonly #session: InferenceSession;
  readonly #logMel = new LogMel();

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  /** @param path of the model's file @throws Error where it is no Smart Turn model */
  static async load(path: string): Promise<SmartTurnModel> {
    const session = await InferenceSession.create(path, {
      // Calls share the cores.
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      logSeverityLevel: 3,
    });
    if (!session.inputNames.includes(INPUT) || !session.outputNames.includes(OUTPUT)) {
      throw new Error(`${path} is no Smart Turn model of version 3`);
    }
    return new SmartTurnModel(session);
  }

  /**
   * Computes the probability that the speaker has finished.
   * @param samples at 16,000 Hz; only the last 8 s count, and silence stands before what is shorter
   */
  async probability(samples: Int16Array): Promise<number> {
    const features = this.#logMel.compute(lastSeconds(samples));
    const result = await this.#session.run({
      [INPUT]: new Tensor('float32', features, [1, MELS, FEATURE_FRAMES]),
    });
    const probability = result[OUTPUT]?.data[0];
    if (typeof probability !== 'number') throw new Error(`Smart Turn gave no ${OUTPUT}`);
    return probability;
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}

function lastSeconds(samples: Int16Array): Float32Array {
  const last = samples.subarray(-FEATURE_SAMPLES);
  const whole = new Float32Array(FEATURE_SAMPLES);
  const silent = FEATURE_SAMPLES - last.length;
  for (let n = 0; n < last.length; n++) whole[silent + n] = last[n]! / FULL_SCALE;
  return whole;
}
