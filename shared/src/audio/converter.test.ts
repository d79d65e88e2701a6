import { describe, expect, it } from 'vitest';
import { AudioConverter, convertAudio } from './converter.js';
import { type AudioFormat, L16_8K, L16_16K, L16_24K, PCMA_8K, PCMU_8K } from './format.js';
import { decodeMulaw, encodeMulaw } from './g711.js';
import { decodeSamples, encodeSamples } from './samples.js';

const L16_48K: AudioFormat = { encoding: 'l16', sampleRate: 48_000 };

/** A tone of `ms` in a format. */
function tone(format: AudioFormat, ms: number, hz = 700): Uint8Array {
  const samples = Int16Array.from(
    { length: (format.sampleRate * ms) / 1000 },
    (_, n) => 9000 * Math.sin((2 * Math.PI * hz * n) / format.sampleRate),
  );
  return encodeSamples(format.encoding, samples);
}

const samplesOf = (format: AudioFormat, bytes: Uint8Array) =>
  decodeSamples(format.encoding, bytes, new Int16Array(bytes.length));

function join(pieces: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(pieces.flatMap((piece) => [...piece]));
}

describe('the converter', () => {
  it('returns the very same bytes between equal formats', () => {
    const bytes = tone(PCMU_8K, 20);
    const converter = new AudioConverter({ from: PCMU_8K, to: { encoding: 'pcmu', sampleRate: 8000 } });
    expect(converter.convert(bytes)).toBe(bytes);
    expect(converter.flush()).toHaveLength(0);
  });

  it('changes the encoding sample by sample', () => {
    const mulaw = tone(PCMU_8K, 40);
    expect(convertAudio(mulaw, { from: PCMU_8K, to: L16_8K })).toEqual(
      encodeSamples('l16', decodeMulaw(mulaw)),
    );
    const there = convertAudio(mulaw, { from: PCMU_8K, to: L16_8K });
    expect(convertAudio(there, { from: L16_8K, to: PCMU_8K })).toEqual(mulaw);
    expect(convertAudio(mulaw, { from: PCMU_8K, to: PCMA_8K })).toHaveLength(mulaw.length);
  });

  it.each([
    ['mu-law', PCMU_8K, 'L16 at 16 kHz', L16_16K],
    ['mu-law', PCMU_8K, 'L16 at 24 kHz', L16_24K],
    ['L16 at 24 kHz', L16_24K, 'L16 at 16 kHz', L16_16K],
    ['L16 at 48 kHz', L16_48K, 'mu-law', PCMU_8K],
    ['L16 at 16 kHz', L16_16K, 'A-law', PCMA_8K],
  ])('keeps a tone and its position from %s to %s', (_, from, __, to) => {
    const expected = samplesOf(to, tone(to, 400));
    const converted = samplesOf(to, convertAudio(tone(from, 400), { from, to }));
    expect(converted).toHaveLength(expected.length);
    // The edges differ: a tone that begins at once has more than the band that is passed on.
    const edge = to.sampleRate / 50;
    let error = 0;
    for (let n = edge; n < expected.length - edge; n++) error += (converted[n]! - expected[n]!) ** 2;
    expect(Math.sqrt(error / expected.length)).toBeLessThan(300);
  });

  it('gives the same bytes whatever the pieces, also when they cut a sample in two', () => {
    const bytes = tone(L16_24K, 300);
    const whole = convertAudio(bytes, { from: L16_24K, to: PCMU_8K });
    const converter = new AudioConverter({ from: L16_24K, to: PCMU_8K });
    const pieces: Uint8Array[] = [];
    for (let at = 0, n = 0; at < bytes.length; n++) {
      const size = [1, 961, 480, 7][n % 4]!;
      pieces.push(converter.convert(bytes.subarray(at, at + size)));
      at += size;
    }
    pieces.push(converter.flush());
    expect(join(pieces)).toEqual(whole);
  });

  it('gives memory of its own, so that a piece may be kept', () => {
    const converter = new AudioConverter({ from: PCMU_8K, to: PCMA_8K });
    const first = converter.convert(encodeMulaw(Int16Array.of(1000, -1000)));
    const copy = first.slice();
    converter.convert(encodeMulaw(Int16Array.of(5, 5)));
    expect(first).toEqual(copy);
  });
});
