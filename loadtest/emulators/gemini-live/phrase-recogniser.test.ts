import { decodeMulaw, encodeMulaw } from '@voice/shared/audio/g711';
import { Resampler, resample } from '@voice/shared/audio/resample';
import { describe, expect, it } from 'vitest';
import { syntheticPhrase } from '../recognition/synthetic-phrase.js';
import { knownPhrases, PhraseRecogniser } from './phrase-recogniser.js';

const TEXTS = [
  'Yes, I would like to make an appointment.',
  'Yes, I would like to speak to somebody.',
  'Would Tuesday at three be possible?',
  'Thank you very much, goodbye.',
];
const PHRASES = TEXTS.map(syntheticPhrase);
const KNOWN = knownPhrases(PHRASES);

function wordsHeard(samples: Int16Array, rate: number, chunk = 333): string {
  const recogniser = new PhraseRecogniser(KNOWN, rate);
  const words: string[] = [];
  for (let offset = 0; offset < samples.length; offset += chunk) {
    for (const heard of recogniser.push(samples.subarray(offset, offset + chunk))) words.push(...heard.words);
  }
  for (const heard of recogniser.end()) words.push(...heard.words);
  return words.join(' ');
}

function padded(samples: Int16Array, before: number): Int16Array {
  const out = new Int16Array(samples.length + before + 4000);
  out.set(samples, before);
  return out;
}

describe('PhraseRecogniser', () => {
  it.each(TEXTS.map((text, index) => ({ text, index })))(
    'understands "$text" at 16 kHz',
    ({ text, index }) => {
      const phone = padded(decodeMulaw(PHRASES[index]!.audio), 1600);
      expect(wordsHeard(resample(phone, 8000, 16_000), 16_000)).toBe(text);
    },
  );

  it('understands speech that does not begin on a frame, and through a second codec', () => {
    const phone = padded(decodeMulaw(PHRASES[2]!.audio), 1037);
    const wide = resample(phone, 8000, 48_000);
    const back = decodeMulaw(encodeMulaw(resample(wide, 48_000, 8000)));
    expect(wordsHeard(resample(back, 8000, 16_000), 16_000)).toBe(TEXTS[2]);
  });

  it('understands one phrase after the other', () => {
    const stream = new Resampler(8000, 16_000);
    const parts = [PHRASES[3]!, PHRASES[0]!].map((phrase) =>
      stream.process(padded(decodeMulaw(phrase.audio), 800)),
    );
    const whole = new Int16Array(parts[0]!.length + parts[1]!.length);
    whole.set(parts[0]!);
    whole.set(parts[1]!, parts[0]!.length);
    expect(wordsHeard(whole, 16_000)).toBe(`${TEXTS[3]} ${TEXTS[0]}`);
  });

  it('understands no word of what is not in the phrasebook', () => {
    const unknown = padded(decodeMulaw(syntheticPhrase('Where is the railway station?').audio), 800);
    expect(wordsHeard(resample(unknown, 8000, 16_000), 16_000)).toBe('');
  });
});
