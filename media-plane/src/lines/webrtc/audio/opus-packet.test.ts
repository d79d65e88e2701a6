import { Decoder, Encoder } from '@evan/opus';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concealmentPacket, describeOpusPacket, redundancyPacket } from './opus-packet.js';
import { likenessDb } from './testing/network.js';
import { speechLike } from './testing/speech-like.js';

const toc = (config: number, code = 0, stereo = false) => (config << 3) | (stereo ? 4 : 0) | code;

describe("an Opus packet's own description", () => {
  it.each([
    [toc(0), 'silk', 10],
    [toc(3), 'silk', 60],
    [toc(9), 'silk', 20],
    [toc(12), 'hybrid', 10],
    [toc(15), 'hybrid', 20],
    [toc(16), 'celt', 2.5],
    [toc(31), 'celt', 20],
  ] as const)('reads the table of RFC 6716, section 3.1 (%i)', (first, mode, frameMs) => {
    expect(describeOpusPacket(Uint8Array.of(first, 1, 2, 3))).toMatchObject({
      mode,
      frameMs,
      durationMs: frameMs,
    });
  });

  it('counts the frames of a packet', () => {
    expect(describeOpusPacket(Uint8Array.of(toc(9, 1), 1, 2))?.durationMs).toBe(40);
    expect(describeOpusPacket(Uint8Array.of(toc(9, 2), 1, 2))?.durationMs).toBe(40);
    expect(describeOpusPacket(Uint8Array.of(toc(9, 3), 3, 2, 2, 2))?.durationMs).toBe(60);
    expect(describeOpusPacket(Uint8Array.of(toc(9, 3), 7, 2, 2, 2))).toBeNull();
    expect(describeOpusPacket(Uint8Array.of(toc(9, 3), 0))).toBeNull();
    expect(describeOpusPacket(new Uint8Array(0))).toBeNull();
  });

  it('distinguishes discontinuous transmission from sound', () => {
    expect(describeOpusPacket(Uint8Array.of(toc(9)))?.isDtx).toBe(true);
    expect(describeOpusPacket(Uint8Array.of(toc(9), 1, 2))?.isDtx).toBe(false);
  });
});

describe('redundancy', () => {
  const FRAMES = 150;
  const perFrame = 320;
  const speech = speechLike(3, 16_000);
  const packets = (channels: 1 | 2): Uint8Array[] => {
    const encoder = new Encoder({ channels, sample_rate: 16_000, application: 'voip' });
    encoder.bitrate = 28_000 + 8000 * channels;
    encoder.signal = 'voice';
    encoder.inband_fec = true;
    encoder.packet_loss = 10;
    return Array.from({ length: FRAMES }, (_, n) => {
      const frame = speech.subarray(n * perFrame, (n + 1) * perFrame);
      const both = new Int16Array(perFrame * channels);
      for (let i = 0; i < both.length; i++) both[i] = frame[Math.floor(i / channels)]! * (i % 2 ? 0.5 : 1);
      return encoder.encode(both).slice();
    });
  };
  type Lost = 'none' | 'concealed' | 'recovered';
  /** Every tenth packet lost. Of the samples that stand for lost ones: how like the original's they are, dB. */
  const likeness = (channels: 1 | 2, rate: 16_000 | 24_000) => {
    const sent = packets(channels);
    let recovered = 0;
    const play = (how: Lost): Int16Array => {
      const decoder = new Decoder({ channels: 1, sample_rate: rate });
      const lost: number[] = [];
      for (let n = 0; n < FRAMES - 1; n++) {
        const isLost = n % 10 === 5;
        let packet = sent[n]!;
        if (isLost && how !== 'none') {
          const next = describeOpusPacket(sent[n + 1]!)!;
          packet = concealmentPacket(next, 20);
          const redundant = how === 'recovered' && redundancyPacket(sent[n + 1]!, next);
          if (redundant) {
            recovered++;
            packet = redundant;
          }
        }
        const samples = new Int16Array(decoder.decode(packet).slice().buffer);
        expect(samples.length).toBe(rate / 50);
        if (isLost) lost.push(...samples);
      }
      return Int16Array.from(lost);
    };
    const original = play('none');
    return {
      concealed: likenessDb(original, play('concealed')),
      recovered: likenessDb(original, play('recovered')),
      count: recovered,
    };
  };

  it.each([16_000, 24_000] as const)('brings a lost packet back from the next one, at %i Hz', (rate) => {
    const { concealed, recovered, count } = likeness(1, rate);
    expect(count).toBeGreaterThanOrEqual(9);
    expect(recovered).toBeGreaterThan(concealed + 8);
    expect(recovered).toBeGreaterThan(9);
  });

  it('is found in stereo as well', () => {
    const { concealed, recovered, count } = likeness(2, 16_000);
    expect(count).toBeGreaterThanOrEqual(9);
    expect(recovered).toBeGreaterThan(concealed + 8);
    expect(recovered).toBeGreaterThan(9);
  });

  it('is not looked for where there is none', () => {
    const encoder = new Encoder({ channels: 1, sample_rate: 16_000, application: 'voip' });
    for (let n = 0; n < 10; n++) {
      const packet = encoder.encode(speech.subarray(n * perFrame, (n + 1) * perFrame)).slice();
      expect(redundancyPacket(packet, describeOpusPacket(packet)!)).toBeNull();
    }
  });

  it('never fails on what is no Opus packet', () => {
    const decoder = new Decoder({ channels: 1, sample_rate: 16_000 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (payload) => {
        const info = describeOpusPacket(payload);
        const packet = info && redundancyPacket(payload, info);
        if (!info || !packet) return;
        expect(packet.length).toBeLessThanOrEqual(payload.length);
        expect(decoder.decode(packet).length).toBe(info.frameMs * 32);
      }),
    );
  });
});
