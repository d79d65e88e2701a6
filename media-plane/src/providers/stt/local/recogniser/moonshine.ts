import { readFileSync } from 'node:fs';
import { InferenceSession, Tensor } from '@voice/shared/inference/onnx-runtime';
import { longestOutput, loopStart } from './decoding-limits.js';
import { readTokenizerBin, readTokensTxt, textOf, type Vocabulary } from './vocabulary.js';

/** Samples a second that Moonshine hears. */
export const SAMPLE_RATE = 16_000;
const START_TOKEN = 1;
const END_TOKEN = 2;
/** The encoder's convolutions need so many samples at least. */
const SHORTEST = SAMPLE_RATE * 0.4;

export interface MoonshineOptions {
  readonly encoder: string;
  readonly decoder: string;
  readonly tokens: string;
  /** Threads of one inference. */
  readonly threads: number;
}

/** What was understood, before anything is made of it. */
export interface Transcription {
  readonly text: string;
  readonly tokens: number;
  /** Geometric mean of the tokens' probabilities, 0..1; 0 without tokens. */
  readonly confidence: number;
}

interface Decoder {
  readonly session: InferenceSession;
  readonly layers: number;
  readonly heads: number;
  readonly headSize: number;
}

/** Runs Moonshine (encoder and merged decoder) in ONNX Runtime: greedy decoding of up to some ten seconds. */
export class Moonshine {
  readonly #encoder: InferenceSession;
  readonly #decoder: Decoder;
  readonly #vocabulary: Vocabulary;

  private constructor(encoder: InferenceSession, decoder: Decoder, vocabulary: Vocabulary) {
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#vocabulary = vocabulary;
  }

  static async load(options: MoonshineOptions): Promise<Moonshine> {
    const settings = { intraOpNumThreads: options.threads, interOpNumThreads: 1 };
    const encoder = await InferenceSession.create(options.encoder, settings);
    const session = await InferenceSession.create(options.decoder, settings);
    return new Moonshine(encoder, dimensionsOf(session), readVocabulary(options.tokens));
  }

  /** @param audio 16,000 Hz, -1..1 */
  async transcribe(audio: Float32Array): Promise<Transcription> {
    const samples = audio.length >= SHORTEST ? audio : padded(audio);
    const states = await this.#encode(samples);
    const ids: number[] = [];
    let logProbability = 0;
    let cache = this.#emptyCache();
    let token = START_TOKEN;
    const length = states.dims[1]!;
    const mask = new Tensor('int64', new BigInt64Array(length).fill(1n), [1, length]);
    const most = longestOutput(samples.length / SAMPLE_RATE);
    while (ids.length < most) {
      const result = await this.#decoder.session.run({
        input_ids: new Tensor('int64', BigInt64Array.of(BigInt(token)), [1, 1]),
        encoder_hidden_states: states,
        encoder_attention_mask: mask,
        use_cache_branch: new Tensor('bool', Uint8Array.of(ids.length > 0 ? 1 : 0), [1]),
        ...cache,
      });
      const best = mostLikely(result.logits!.data as Float32Array);
      if (best.token === END_TOKEN) break;
      token = best.token;
      ids.push(token);
      logProbability += Math.log(best.probability);
      const keep = loopStart(ids);
      if (keep !== undefined) {
        ids.length = keep;
        break;
      }
      cache = nextCache(cache, result, ids.length === 1);
    }
    const tokens = ids.length;
    return {
      text: textOf(this.#vocabulary, ids),
      tokens,
      confidence: tokens === 0 ? 0 : Math.exp(logProbability / tokens),
    };
  }

  async #encode(samples: Float32Array): Promise<Tensor> {
    const shape = [1, samples.length];
    const result = await this.#encoder.run({
      input_values: new Tensor('float32', samples, shape),
      attention_mask: new Tensor('int64', new BigInt64Array(samples.length).fill(1n), shape),
    });
    return result[this.#encoder.outputNames[0]!] as Tensor;
  }

  #emptyCache(): Record<string, Tensor> {
    const { layers, heads, headSize } = this.#decoder;
    const cache: Record<string, Tensor> = {};
    for (let layer = 0; layer < layers; layer++) {
      for (const part of ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value']) {
        const shape = [1, heads, 0, headSize];
        cache[`past_key_values.${layer}.${part}`] = new Tensor('float32', new Float32Array(0), shape);
      }
    }
    return cache;
  }
}

/** Keeps the encoder's part of the first step: later steps return it empty. */
function nextCache(
  cache: Readonly<Record<string, Tensor>>,
  result: InferenceSession.OnnxValueMapType,
  first: boolean,
): Record<string, Tensor> {
  const next: Record<string, Tensor> = { ...cache };
  for (const name of Object.keys(cache)) {
    if (first || name.includes('.decoder.')) {
      next[name] = result[name.replace('past_key_values', 'present')] as Tensor;
    }
  }
  return next;
}

function dimensionsOf(session: InferenceSession): Decoder {
  const past = session.inputMetadata.filter(({ name }) => /^past_key_values\.\d+\.decoder\.key$/.test(name));
  const [first] = past;
  const shape = first?.isTensor ? first.shape : [];
  const [, heads, , headSize] = shape;
  if (typeof heads !== 'number' || typeof headSize !== 'number') {
    throw new Error('the decoder is no merged decoder of Moonshine: it has no past_key_values');
  }
  return { session, layers: past.length, heads, headSize };
}

function readVocabulary(path: string): Vocabulary {
  return path.endsWith('.txt')
    ? readTokensTxt(readFileSync(path, 'utf8'))
    : readTokenizerBin(readFileSync(path));
}

function padded(audio: Float32Array): Float32Array {
  const samples = new Float32Array(SHORTEST);
  samples.set(audio);
  return samples;
}

function mostLikely(logits: Float32Array): { token: number; probability: number } {
  let token = 0;
  for (let id = 1; id < logits.length; id++) if (logits[id]! > logits[token]!) token = id;
  const highest = logits[token]!;
  let sum = 0;
  for (let id = 0; id < logits.length; id++) sum += Math.exp(logits[id]! - highest);
  return { token, probability: 1 / sum };
}
