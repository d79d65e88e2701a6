import { L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { encodeSamples } from '@voice/shared/audio/samples';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpeechAlignment, SpeechChunk, Voice } from '../providers/tts/port.js';
import { LeadingSilence, withoutLeadingSilence } from './leading-silence.js';

/** So many ms of silence with a little noise, then a tone. */
function speech(format: typeof PCMU_8K | typeof L16_16K, silentMs: number, soundMs: number): Uint8Array {
  const perMs = format.sampleRate / 1000;
  const samples = new Int16Array((silentMs + soundMs) * perMs);
  for (let i = 0; i < samples.length; i++) {
    samples[i] = i < silentMs * perMs ? ((i * 7) % 41) - 20 : 8000 + (i % 50);
  }
  return encodeSamples(format.encoding, samples);
}

function aligned(chars: string, startMs: readonly number[], durationMs: readonly number[]): SpeechAlignment {
  return { chars: [...chars], startMs, durationMs };
}

/** Puts chunks through, and the audio and timings that come out together. */
function trim(format: typeof PCMU_8K | typeof L16_16K, chunks: readonly SpeechChunk[]) {
  const silence = new LeadingSilence(format);
  const out = [...chunks.map((chunk) => silence.trim(chunk)), silence.end()].filter(
    (chunk) => chunk !== undefined,
  );
  return {
    audio: Buffer.concat(out.map(({ audio }) => audio)),
    startMs: out.flatMap(({ alignment }) => alignment?.startMs ?? []),
    durationMs: out.flatMap(({ alignment }) => alignment?.durationMs ?? []),
    trimmedMs: silence.trimmedMs,
  };
}

describe('silence at the front of what a voice makes', () => {
  it.each([PCMU_8K, L16_16K])('is cut off but for 20 ms, however the audio is cut: %j', (format) => {
    const bytes = format.encoding === 'l16' ? 2 : 1;
    fc.assert(
      fc.property(
        fc.nat(120),
        fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 8 }),
        (silentMs, sizes) => {
          const whole = speech(format, silentMs, 30);
          const chunks: SpeechChunk[] = [];
          let at = 0;
          for (const size of [...sizes, whole.length]) {
            chunks.push({ audio: whole.subarray(at, at + size * bytes) });
            at += size * bytes;
          }
          const { audio, trimmedMs } = trim(format, chunks);
          expect(trimmedMs).toBe(Math.max(0, silentMs - 20));
          expect(audio).toEqual(
            Buffer.from(
              speech(format, silentMs, 30).subarray(trimmedMs * (format.sampleRate / 1000) * bytes),
            ),
          );
        },
      ),
    );
  });

  it('takes the timings with it, those that came before the first sound as well', () => {
    const audio = speech(PCMU_8K, 100, 100);
    const { startMs, durationMs } = trim(PCMU_8K, [
      { audio: audio.subarray(0, 400), alignment: aligned('Hi', [0, 110], [110, 20]) },
      { audio: audio.subarray(400) },
      { audio: new Uint8Array(0), alignment: aligned('!', [130], [70]) },
    ]);
    expect(startMs).toEqual([0, 30, 50]);
    expect(durationMs).toEqual([30, 20, 70]);
  });

  it('stays within speech, and is not all there is of a voice that makes none', () => {
    const pause = Buffer.concat([speech(PCMU_8K, 50, 20), speech(PCMU_8K, 200, 20)]);
    expect(trim(PCMU_8K, [{ audio: pause }]).audio).toHaveLength((20 + 20 + 200 + 20) * 8);
    expect(trim(PCMU_8K, [{ audio: speech(PCMU_8K, 300, 0) }]).audio).toHaveLength(160);
    expect(trim(PCMU_8K, []).audio).toHaveLength(0);
  });

  it('is cut off every turn of a voice', async () => {
    const voice: Voice = {
      characters: 7,
      close: () => {},
      async *speak() {
        yield { audio: speech(PCMU_8K, 60, 0) };
        yield { audio: speech(PCMU_8K, 20, 40) };
      },
    };
    const trimmed = withoutLeadingSilence(voice, PCMU_8K);
    for (let turn = 0; turn < 2; turn++) {
      let bytes = 0;
      for await (const { audio } of trimmed.speak((async function* () {})(), new AbortController().signal)) {
        bytes += audio.length;
      }
      expect(bytes).toBe((20 + 40) * 8);
    }
    expect(trimmed.characters).toBe(7);
  });
});
