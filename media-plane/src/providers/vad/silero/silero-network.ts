import { type FloatTensor, type OnnxModel, type OnnxNode, readConstants, writeModel } from './onnx-format.js';

/** The rates that the model was made for, Hz. */
export type SileroRate = 8000 | 16_000;

/** Silero's file has a branch for each rate; its constants begin with the branch's name. */
const BRANCHES: Readonly<Record<SileroRate, string>> = { 8000: 'else', 16000: 'then' };
/** A window, and what the model wants of the one before in front of it. */
const INPUT_MS = 36;
/** The recurrent state: 2 layers of 128. */
export const LAYERS = 2;
export const UNITS = 128;
/** Steps of a window in time: its spectra. */
const STEPS = 4;
/** Channels of the two layers in the middle. */
const NARROW = 64;

/**
 * Writes Silero VAD version 5 anew for one rate, for batches: the same weights and the same arithmetic, so the same
 * probabilities (but for the order of sums, 1e-5). A window costs a third of what it costs in Silero's own file, which
 * was made for one window at a time: there each run asks in nested branches what rate and shape it has, puts the
 * weights of the recurrent layer in another order, and multiplies a small matrix for each window and layer, where
 * here a layer is one product for the whole batch.
 *
 * In: `input`, windows of 36 ms, and `state`. Out: `output`, a probability each, and `stateN`.
 * @param original Silero's file, version 5
 */
export function sileroNetwork(original: Uint8Array, rate: SileroRate): Uint8Array {
  const constants = readConstants(original);
  const prefix = `If_0_${BRANCHES[rate]}_branch__Inline_0__`;
  const weights = (name: string): FloatTensor => {
    const found = constants.get(prefix + name);
    if (!found) throw new Error(`Silero's file has no ${name}: is it version 5?`);
    return found;
  };
  const network = new Network();
  const recurrent = network.encoder(weights, rate / 125);
  network.decoder(weights, recurrent);
  return writeModel(network.model((rate / 1000) * INPUT_MS));
}

type Weights = (name: string) => FloatTensor;

/** Gathers the operations of the network. */
class Network {
  readonly #nodes: OnnxNode[] = [];
  readonly #floats = new Map<string, FloatTensor>();
  readonly #integers = new Map<string, readonly number[]>();
  #values = 0;

  /**
   * From samples to what the recurrent layer hears of them, [batch, 128].
   * @param hop samples between two spectra, each of which is of twice as many
   */
  encoder(weights: Weights, hop: number): string {
    const bins = hop + 1;
    // Five hops, of which the last half is mirrored; each spectrum is of two.
    const padded = this.#one('Pad', ['input', this.#ints(0, 0, 0, hop / 2)], { mode: 'reflect' });
    const spectra = this.#one('MatMul', [
      this.#windows({ of: padded, pieces: 5, size: hop, width: 2, stride: 1 }),
      this.#tensor(taps(weights('stft.forward_basis_buffer'), 'all')),
    ]);
    const [real, imaginary] = this.#split(spectra, [bins, bins]);
    const power = this.#one('Add', [
      this.#one('Mul', [real!, real!]),
      this.#one('Mul', [imaginary!, imaginary!]),
    ]);
    const magnitudes = this.#rows(this.#one('Sqrt', [power]), STEPS * bins);
    // Convolutions over three steps each, with silence before the first and behind the last.
    const between = this.#one('Pad', [magnitudes, this.#ints(0, bins, 0, bins)]);
    const first = this.#layer(
      this.#windows({ of: between, pieces: STEPS + 2, size: bins, width: 3, stride: 1 }),
      weights,
      0,
      'all',
    );
    // Every second step: two are left.
    const behind = this.#one('Pad', [this.#rows(first, STEPS * UNITS), this.#ints(0, UNITS, 0, 0)]);
    const second = this.#layer(
      this.#windows({ of: behind, pieces: STEPS + 1, size: UNITS, width: 3, stride: 2 }),
      weights,
      1,
      'all',
    );
    // Again: one is left. What lies before it, and on both sides of it in the last layer, is silence.
    const third = this.#layer(this.#rows(second, 2 * NARROW), weights, 2, [1, 2]);
    return this.#layer(third, weights, 3, [1]);
  }

  /** From there to `output` and `stateN`. */
  decoder(weights: Weights, encoded: string): void {
    const first = this.#ints(0);
    const hears = this.#one('Unsqueeze', [encoded, first]);
    const [hidden, cell] = this.#split('state', [1, 1], 0);
    const ih = weights('decoder.rnn.weight_ih');
    const hh = weights('decoder.rnn.weight_hh');
    const biases = ['decoder.rnn.bias_ih', 'decoder.rnn.bias_hh'].flatMap((name) => [
      ...inOnnxOrder(weights(name).values, 1),
    ]);
    this.#add(
      'LSTM',
      [
        hears,
        this.#tensor({ dims: [1, 4 * UNITS, UNITS], values: inOnnxOrder(ih.values, UNITS) }),
        this.#tensor({ dims: [1, 4 * UNITS, UNITS], values: inOnnxOrder(hh.values, UNITS) }),
        this.#tensor({ dims: [1, 8 * UNITS], values: Float32Array.from(biases) }),
        '',
        hidden!,
        cell!,
      ],
      ['', 'hidden', 'cell'],
      { hidden_size: UNITS },
    );
    this.#add('Concat', ['hidden', 'cell'], ['stateN'], { axis: 0 });
    const heard = this.#one('Relu', [this.#one('Squeeze', ['hidden', first])]);
    const sum = this.#one('Gemm', [
      heard,
      this.#tensor({ dims: [UNITS, 1], values: weights('decoder.decoder.2.weight').values }),
      this.#tensor(weights('decoder.decoder.2.bias')),
    ]);
    this.#add('Sigmoid', [sum], ['output']);
  }

  /** @param samples of a window, with what is in front of it */
  model(samples: number): OnnxModel {
    return {
      nodes: this.#nodes,
      floats: this.#floats,
      integers: this.#integers,
      inputs: [
        { name: 'input', dims: ['batch', samples] },
        { name: 'state', dims: [LAYERS, 'batch', UNITS] },
      ],
      outputs: [
        { name: 'output', dims: ['batch', 1] },
        { name: 'stateN', dims: [LAYERS, 'batch', UNITS] },
      ],
    };
  }

  /** A convolution as one product: its rows are what it sees at each step. */
  #layer(rows: string, weights: Weights, n: number, kept: 'all' | readonly number[]): string {
    const sum = this.#one('Gemm', [
      rows,
      this.#tensor(taps(weights(`encoder.${n}.reparam_conv.weight`), kept)),
      this.#tensor(weights(`encoder.${n}.reparam_conv.bias`)),
    ]);
    return this.#one('Relu', [sum]);
  }

  /** Rows of `width` neighbouring pieces each, `stride` pieces apart, of rows of `pieces` pieces. */
  #windows({ of, pieces, size, width, stride }: Windows): string {
    const single = this.#split(of, Array<number>(pieces).fill(size));
    const joined: string[] = [];
    for (let from = 0; from + width <= pieces; from += stride)
      joined.push(...single.slice(from, from + width));
    return this.#rows(this.#one('Concat', joined, { axis: 1 }), width * size);
  }

  #rows(value: string, length: number): string {
    return this.#one('Reshape', [value, this.#ints(-1, length)]);
  }

  #split(value: string, sizes: readonly number[], axis = 1): string[] {
    const parts = sizes.map(() => this.#name());
    this.#add('Split', [value, this.#ints(...sizes)], parts, { axis });
    return parts;
  }

  #one(type: string, inputs: readonly string[], attributes: OnnxNode['attributes'] = {}): string {
    const output = this.#name();
    this.#add(type, inputs, [output], attributes);
    return output;
  }

  #add(
    type: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: OnnxNode['attributes'] = {},
  ): void {
    this.#nodes.push({ type, inputs, outputs, attributes });
  }

  #tensor(tensor: FloatTensor): string {
    const name = this.#name();
    this.#floats.set(name, tensor);
    return name;
  }

  #ints(...values: readonly number[]): string {
    const name = this.#name();
    this.#integers.set(name, values);
    return name;
  }

  #name(): string {
    return `v${++this.#values}`;
  }
}

interface Windows {
  readonly of: string;
  readonly pieces: number;
  /** Numbers in a piece. */
  readonly size: number;
  readonly width: number;
  readonly stride: number;
}

/**
 * Returns a convolution's weights, [out, in, step], as a matrix of what it sees, step by step, [steps · in, out]. A
 * spectrum's, [out, 1, sample], likewise.
 */
function taps({ dims, values }: FloatTensor, kept: 'all' | readonly number[]): FloatTensor {
  const [outs, ins, steps] = dims as [number, number, number];
  const chosen = kept === 'all' ? Array.from({ length: steps }, (_, step) => step) : kept;
  const matrix = new Float32Array(chosen.length * ins * outs);
  let at = 0;
  for (const step of chosen) {
    for (let i = 0; i < ins; i++) {
      for (let out = 0; out < outs; out++) matrix[at++] = values[(out * ins + i) * steps + step]!;
    }
  }
  return { dims: [chosen.length * ins, outs], values: matrix };
}

/** PyTorch has the gates as input, forget, cell, output; ONNX as input, output, forget, cell. */
function inOnnxOrder(gates: Float32Array, columns: number): Float32Array {
  const gate = (n: number) => gates.subarray(n * UNITS * columns, (n + 1) * UNITS * columns);
  const ordered = new Float32Array(gates.length);
  for (const [to, from] of [0, 3, 1, 2].entries()) ordered.set(gate(from), to * UNITS * columns);
  return ordered;
}
