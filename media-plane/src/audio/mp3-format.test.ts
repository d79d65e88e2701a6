import { describe, expect, it } from 'vitest';
import { StereoMp3Encoder } from './mp3-encoder.js';
import { LAME_DELAY_SAMPLES, mp3DurationMs, mp3InfoFrame, PHONE_MP3 } from './mp3-format.js';

const { frameBytes: MP3_FRAME_BYTES, frameSamples: MP3_FRAME_SAMPLES } = PHONE_MP3;

/** Encodes a second of two tones; the frames one after the other. */
async function encodeSecond(encoder: StereoMp3Encoder): Promise<Uint8Array> {
  const tone = (hz: number) =>
    Int16Array.from({ length: 8000 }, (_, n) => 9000 * Math.sin((2 * Math.PI * hz * n) / 8000));
  const first = encoder.encode(tone(440), tone(880)).slice();
  const last = encoder.finish().slice();
  return Uint8Array.from([...first, ...last]);
}

describe('the MP3 format of recordings', () => {
  it('has frames of one length, each with the header of 32 kbit/s stereo at 8,000 Hz', async () => {
    const bytes = await encodeSecond(await StereoMp3Encoder.create());
    expect(bytes.length % MP3_FRAME_BYTES).toBe(0);
    for (let at = 0; at < bytes.length; at += MP3_FRAME_BYTES) {
      // 0xFFE3: MPEG 2.5, layer III, no CRC. 0x48: 32 kbit/s, 8,000 Hz, no padding. Upper bits 01: joint stereo.
      expect([...bytes.subarray(at, at + 3), bytes[at + 3]! >> 6]).toEqual([0xff, 0xe3, 0x48, 0b01]);
    }
  });

  it('is the same for the same audio, also from an encoder that is used again', async () => {
    const encoder = await StereoMp3Encoder.create();
    const once = await encodeSecond(encoder);
    encoder.restart();
    expect(await encodeSecond(encoder)).toEqual(once);
  });

  it('states its length in front, as players expect it', () => {
    const samples = 8000;
    const frames = Math.ceil((samples + LAME_DELAY_SAMPLES + 529) / MP3_FRAME_SAMPLES);
    const frame = mp3InfoFrame({ frames, samples });
    const view = new DataView(frame.buffer);
    const text = (at: number, length: number) => String.fromCharCode(...frame.subarray(at, at + length));
    expect(frame.length).toBe(MP3_FRAME_BYTES);
    expect(text(21, 4)).toBe('Info');
    expect([view.getUint32(25), view.getUint32(29), view.getUint32(33)]).toEqual([
      3,
      frames,
      (frames + 1) * MP3_FRAME_BYTES,
    ]);
    expect(text(37, 9)).toBe('LAME3.100');
    const delays = (frame[58]! << 16) | (frame[59]! << 8) | frame[60]!;
    expect(delays >> 12).toBe(576);
    expect((delays & 0xfff) + samples + 576).toBe(frames * MP3_FRAME_SAMPLES);
  });

  it('derives the duration from the length of the file', () => {
    expect(mp3DurationMs(0)).toBe(0);
    expect(mp3DurationMs(MP3_FRAME_BYTES)).toBe(0);
    expect(mp3DurationMs(MP3_FRAME_BYTES * (1 + 1000))).toBeCloseTo(72_000 - 138.125);
  });

  it('refuses channels of different length', async () => {
    const encoder = await StereoMp3Encoder.create();
    expect(() => encoder.encode(new Int16Array(2), new Int16Array(3))).toThrow(RangeError);
  });
});
