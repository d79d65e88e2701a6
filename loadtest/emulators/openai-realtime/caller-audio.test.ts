import { decodeMulaw, encodeAlaw, encodeMulaw } from '@voice/shared/audio/g711';
import { resample } from '@voice/shared/audio/resample';
import { describe, expect, it } from 'vitest';
import { FrameIndex } from '../recognition/frame-index.js';
import { syntheticPhrase } from '../recognition/synthetic-phrase.js';
import { CallerAudio } from './caller-audio.js';
import { PhraseMatcher } from './phrase-matcher.js';

const SHORT = syntheticPhrase('Yes, please.');
const LONG = syntheticPhrase('Tuesday would be best for me and my family.');
const PHRASES = [SHORT, LONG];
const recognition = { index: new FrameIndex(PHRASES), matcher: new PhraseMatcher(PHRASES) };
const samplesOf = (phrase: { audio: Uint8Array }) => decodeMulaw(phrase.audio);

function padded(samples: Int16Array, beforeMs: number, afterMs = 0): Int16Array {
  const all = new Int16Array(beforeMs * 8 + samples.length + afterMs * 8);
  all.set(samples, beforeMs * 8);
  return all;
}

describe('phrases by their spectrum', () => {
  it('knows a phrase that starts anywhere and lost its exact bytes', () => {
    for (const phrase of PHRASES) {
      const louder = samplesOf(phrase).map((sample) => sample * 0.6 + 40 * Math.sin(sample));
      expect(recognition.matcher.match(padded(louder, 133, 250))).toBe(phrase.text);
    }
  });

  it('knows the beginning of a phrase that was cut off', () => {
    const half = samplesOf(LONG).subarray(0, 5 * 300 * 8);
    expect(recognition.matcher.match(half)).toBe('Tuesday would be best for');
  });

  it('knows neither silence nor what is like no phrase', () => {
    expect(recognition.matcher.match(new Int16Array(16_000))).toBeUndefined();
    const hum = Int16Array.from({ length: 16_000 }, (_, n) => 6000 * Math.sin(n / 9));
    expect(recognition.matcher.match(hum)).toBeUndefined();
  });
});

describe("a session's recognition", () => {
  it.each([
    ['audio/pcmu', (samples: Int16Array) => encodeMulaw(samples)],
    ['audio/pcma', (samples: Int16Array) => encodeAlaw(samples)],
    ['audio/pcm', (samples: Int16Array) => new Uint8Array(resample(samples, 8000, 24_000).buffer)],
  ] as const)('understands %s in pieces of any length, turn by turn', (type, encode) => {
    const format = type === 'audio/pcm' ? ({ type, rate: 24_000 } as const) : { type };
    const audio = new CallerAudio(recognition, format);
    const heard: string[] = [];
    let from = 0;
    for (const phrase of PHRASES) {
      const bytes = encode(padded(samplesOf(phrase), 400, 600));
      for (let at = 0; at < bytes.length; at += 2400) audio.append(bytes.subarray(at, at + 2400));
      heard.push(audio.understand(from, audio.endMs));
      from = audio.endMs;
      audio.forget(from);
    }
    expect(heard).toEqual(PHRASES.map((phrase) => phrase.text));
  });
});
