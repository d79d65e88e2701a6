import type { UsageSegment } from '@voice/shared/contracts/call-events';
import { describe, expect, it } from 'vitest';
import { NO_COST, totalOf } from '../platform/money/call-cost.js';
import { costOfCall, type PricedCall } from './cost-of-call.js';

const segment = {
  stt: { kind: 'stt', provider: 'deepgram', model: 'nova-3', fallback: false, audio_ms: 90_000 },
  llm: {
    kind: 'llm',
    provider: 'openai',
    model: 'gpt-4.1-mini-2025-04-14',
    fallback: false,
    input_tokens: 10_000,
    output_tokens: 500,
  },
  tts: {
    kind: 'tts',
    provider: 'elevenlabs',
    model: 'eleven_flash_v2_5',
    fallback: false,
    characters: 800,
  },
} as const;
/** On the platform's accounts. */
const used = (...segments: UsageSegment[]) => segments.map((segment) => ({ segment, own: false }));
const call: PricedCall = {
  sandbox: false,
  carrier: 'twilio',
  direction: 'outbound',
  toNumber: '+12125551000',
  carrierPrice: null,
  durationMs: 90_000,
  used: used(segment.stt, segment.llm, segment.tts),
};

describe('the cost breakdown of a call, in micro-dollars', () => {
  it('has a part for STT, LLM, TTS, carrier and service, by the usage that the worker reported', () => {
    const cost = costOfCall(call);
    expect(cost).toEqual({
      stt: 11_550, // 1.5 minutes at 7,700
      llm: 4_800, // 10,000 at 0.40 and 500 at 1.60 USD a million
      tts: 40_000, // 800 characters at 50,000 a thousand
      carrier: 28_000, // two started minutes at 14,000
      service: 15_000, // 1.5 minutes at 10,000
    });
    expect(totalOf(cost)).toBe(99_350);
  });

  // @rule 1.14
  it('calls made with sandbox keys cost zero', () => {
    expect(costOfCall({ ...call, sandbox: true })).toEqual(NO_COST);
  });

  it.each([
    [0, 0],
    [1, 14_000],
    [60_000, 14_000],
    [60_001, 28_000],
  ])('carriers count started minutes: %i ms cost %i', (durationMs, carrier) => {
    expect(costOfCall({ ...call, durationMs }).carrier).toBe(carrier);
  });

  it.each([
    ['twilio', 'inbound', 17_000],
    ['telnyx', 'outbound', 14_000],
    ['simulated', 'outbound', 0],
    ['constructor', 'outbound', 0],
  ] as const)('the carrier %s, %s', (carrier, direction, expected) => {
    expect(costOfCall({ ...call, carrier, direction }).carrier).toBe(expected);
  });

  it('what nobody counted is not charged: without the last word of the worker, carrier and service only', () => {
    expect(costOfCall({ ...call, used: [] })).toMatchObject({ stt: 0, llm: 0, tts: 0, carrier: 28_000 });
  });

  it('names what was of no use as a part of the whole, never beside it', () => {
    const wasted = used(
      { ...segment.llm, input_tokens: 1000, output_tokens: 0 },
      { ...segment.tts, characters: 80 },
    );
    const cost = costOfCall({ ...call, wasted });
    expect(cost).toEqual({ ...costOfCall(call), wasted: 400 + 4000 });
    expect(totalOf(cost)).toBe(totalOf(costOfCall(call)));
    const own = wasted.map((one) => ({ ...one, own: true }));
    expect(costOfCall({ ...call, wasted: own })).toEqual(costOfCall(call));
    // The worker estimated more than was counted.
    const tooMuch = used({ ...segment.llm, input_tokens: 1_000_000 });
    expect(costOfCall({ ...call, wasted: tooMuch }).wasted).toBe(4800);
  });

  it("what ran on this machine, or on the tenant's own account, is not charged", () => {
    const local = used({ ...segment.stt, provider: 'local' }, segment.tts);
    expect(costOfCall({ ...call, used: local })).toMatchObject({ stt: 0, tts: 40_000 });
    const own = [...used(segment.stt), { segment: segment.llm, own: true }];
    expect(costOfCall({ ...call, used: own })).toMatchObject({ stt: 11_550, llm: 0 });
  });

  it('what no price is listed of is not charged', () => {
    const provider = 'nobody';
    const unlisted = [segment.stt, segment.llm, segment.tts, spoken].map((one) => ({ ...one, provider }));
    expect(costOfCall({ ...call, used: used(...unlisted) })).toMatchObject({ stt: 0, llm: 0, tts: 0 });
  });

  it('charges what a fallback did at its own rate, and the first choice for its part only', () => {
    const replaced = used(
      { ...segment.stt, audio_ms: 30_000 },
      {
        ...segment.stt,
        provider: 'openai',
        model: 'gpt-4o-mini-transcribe',
        fallback: true,
        audio_ms: 60_000,
      },
      { ...segment.llm, input_tokens: 2_000, output_tokens: 100 },
      { ...segment.llm, model: 'gpt-4.1-nano', fallback: true, input_tokens: 8_000, output_tokens: 400 },
      { ...segment.tts, characters: 100 },
      { ...segment.tts, provider: 'local', model: '', fallback: true, characters: 700 },
    );
    expect(costOfCall({ ...call, used: replaced })).toMatchObject({
      stt: 3_850 + 3_000, // half a minute at 7,700, one at 3,000
      llm: 960 + 960, // 2,000 at 0.40 and 100 at 1.60; 8,000 at 0.10 and 400 at 0.40 USD a million
      tts: 5_000, // 100 characters; the local voice is free
    });
  });

  const spoken = {
    kind: 'realtime',
    provider: 'openai',
    model: 'gpt-realtime',
    fallback: false,
    audio_ms: 90_000,
    input_audio_tokens: 10_000,
    input_text_tokens: 5_000,
    cached_audio_tokens: 4_000,
    cached_text_tokens: 2_000,
    output_audio_tokens: 1_000,
    output_text_tokens: 300,
  } as const;

  it("a speech-to-speech model is charged by modality, cached input at its own rate, as the language model's share", () => {
    expect(costOfCall({ ...call, used: used(spoken) })).toEqual({
      stt: 0,
      // Audio: 6,000 at 32, 4,000 cached at 0.40, 1,000 at 64; text: 3,000 at 4, 2,000 at 0.40, 300 at 16.
      llm: 192_000 + 1_600 + 64_000 + 12_000 + 800 + 4_800,
      tts: 0,
      carrier: 28_000,
      service: 15_000,
    });
    const gemini = { ...spoken, provider: 'gemini', model: 'gemini-3.8-live' };
    // Audio: 10,000 at 3 and 1,000 at 12; text: 5,000 at 0.75 and 300 at 4.50.
    expect(costOfCall({ ...call, used: used(gemini) }).llm).toBe(30_000 + 12_000 + 3_750 + 1_350);
  });

  it('more cached than there was input is no credit', () => {
    const odd = { ...spoken, cached_audio_tokens: 50_000, cached_text_tokens: 50_000 };
    expect(costOfCall({ ...call, used: used(odd) }).llm).toBe(4_000 + 64_000 + 2_000 + 4_800);
  });

  it('what transcribes the caller beside a speech-to-speech model is charged by the minute, and its fallback for its part', () => {
    const all = used(
      spoken,
      { ...segment.stt, provider: 'openai', model: 'gpt-4o-mini-transcribe' },
      { ...segment.llm, fallback: true },
      { ...segment.tts, fallback: true },
    );
    expect(costOfCall({ ...call, used: all })).toMatchObject({
      stt: 4_500, // 1.5 minutes at 3,000
      llm: 275_200 + 4_800,
      tts: 40_000,
    });
  });

  it("a speech-to-speech model on the tenant's own account is not charged", () => {
    expect(costOfCall({ ...call, used: [{ segment: spoken, own: true }] }).llm).toBe(0);
  });

  it('is whole micro-dollars whatever the usage', () => {
    for (let audio_ms = 1; audio_ms < 5000; audio_ms += 37) {
      const cost = costOfCall({
        ...call,
        durationMs: audio_ms,
        used: used({ ...segment.stt, audio_ms }),
      });
      expect(Object.values(cost).every(Number.isInteger)).toBe(true);
    }
  });
});
