import { describe, expect, it } from 'vitest';
import { RATES, rateOf } from '../platform/money/rates.js';

const MICRO = 1_000_000;

/** The vendors' lists, entered a second time: a slip in one of the two is noticed. */
describe('the price list, USD for a million tokens in and out', () => {
  it.each([
    ['', 2.5, 10],
    ['gpt-3.5-turbo', 0.5, 1.5],
    ['gpt-4-turbo', 10, 30],
    ['gpt-4o-mini', 0.15, 0.6],
    ['gpt-4.1', 2, 8],
    ['gpt-4.1-mini', 0.4, 1.6],
    ['gpt-4.1-nano', 0.1, 0.4],
    ['gpt-5', 1.25, 10],
    ['gpt-5.1', 1.25, 10],
    ['gpt-5-mini', 0.25, 2],
    ['gpt-5-nano', 0.05, 0.4],
    ['gpt-5-pro', 15, 120],
    ['gpt-5.2', 1.75, 14],
    ['gpt-5.2-pro', 21, 168],
    ['gpt-5.4', 2.5, 15],
    ['gpt-5.4-mini', 0.75, 4.5],
    ['gpt-5.4-nano', 0.2, 1.25],
    ['gpt-5.4-pro', 30, 180],
    ['gpt-5.5', 5, 30],
    ['gpt-5.5-pro', 30, 180],
    ['o1', 15, 60],
    ['o3', 2, 8],
    ['o3-mini', 1.1, 4.4],
    ['o3-pro', 20, 80],
    ['o4-mini', 1.1, 4.4],
  ])('OpenAI "%s": %d and %d', (model, input, output) => {
    expect(rateOf(RATES.llm, 'openai', model)).toEqual({
      input: Math.round(input * MICRO),
      output: Math.round(output * MICRO),
    });
  });

  it('Gemini: 0.75 and 3.75', () => {
    expect(rateOf(RATES.llm, 'gemini', 'gemini-3.8-flash')).toEqual({ input: 750_000, output: 3_750_000 });
  });

  it.each([
    ['openai', '', [4, 0.4, 16], [32, 0.4, 64]],
    ['openai', 'gpt-4o-realtime', [5, 2.5, 20], [40, 2.5, 80]],
    ['openai', 'gpt-4o-mini-realtime', [0.6, 0.3, 2.4], [10, 0.3, 20]],
    ['openai', 'gpt-realtime', [4, 0.4, 16], [32, 0.4, 64]],
    ['openai', 'gpt-realtime-mini', [0.6, 0.06, 2.4], [10, 0.3, 20]],
    ['openai', 'gpt-realtime-2', [4, 0.4, 24], [32, 0.4, 64]],
    ['openai', 'gpt-realtime-2.1-mini', [0.6, 0.06, 2.4], [10, 0.3, 20]],
    ['gemini', '', [0.75, 0.75, 4.5], [3, 3, 12]],
    ['gemini', 'gemini-2.5-flash-native-audio', [0.5, 0.5, 2], [3, 3, 12]],
  ])('speech to speech, %s "%s": text %j, audio %j (in, cached, out)', (provider, model, text, audio) => {
    const rate = rateOf(RATES.realtime, provider, model)!;
    const listed = ({ input, cached, output }: typeof rate.text) =>
      [input, cached, output].map((amount) => amount / MICRO);
    expect([listed(rate.text), listed(rate.audio)]).toEqual([text, audio]);
  });
});

describe('the price list of recognisers and voices, micro-dollars', () => {
  it.each([
    ['deepgram', 'nova-3', 7_700],
    ['deepgram', 'flux-general-en', 6_500],
    ['deepgram', 'flux-general-multi', 7_800],
    ['openai', 'gpt-4o-transcribe', 6_000],
    ['openai', 'gpt-4o-mini-transcribe', 3_000],
    ['openai', 'gpt-realtime-whisper', 17_000],
  ])('a minute of %s %s', (provider, model, minute) => {
    expect(rateOf(RATES.stt, provider, model)).toBe(minute);
  });

  it.each([
    ['eleven_multilingual_v2', 100_000],
    ['eleven_flash_v2_5', 50_000],
    ['eleven_turbo_v2_5', 50_000],
  ])('a thousand characters of ElevenLabs %s', (model, thousand) => {
    expect(rateOf(RATES.tts, 'elevenlabs', model)).toBe(thousand);
  });

  it('a minute of the service', () => {
    expect(RATES.service).toBe(10_000);
  });
});
