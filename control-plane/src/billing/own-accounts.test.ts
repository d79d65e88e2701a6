import type { ProviderChoice } from '@voice/shared/contracts/agent';
import { describe, expect, it } from 'vitest';
import { isOwn, ownAccountsOf } from './own-accounts.js';

const choice = (provider: string, params: Record<string, unknown> = {}): ProviderChoice => ({
  provider,
  model: '',
  params,
});
const KEY = { api_key: 'mine' };

describe("whether a provider runs on the tenant's own account", () => {
  it('is so with a key or a server of its own, where the provider takes them from agents', () => {
    expect(isOwn('llm', choice('openai', KEY))).toBe(true);
    expect(isOwn('llm', choice('openai', { base_url: 'https://llm.example.com' }))).toBe(true);
    expect(isOwn('realtime', choice('gemini', KEY))).toBe(true);
    expect(isOwn('llm', choice('openai', { temperature: 1 }))).toBe(false);
  });

  it('is so of all that a speech-to-speech agent uses, with a key of its own', () => {
    const firstOf = (params: object) =>
      ownAccountsOf({
        voice_config: { realtime: choice('openai', { ...params }) },
        fallback_voice_config: {},
      }).first;
    expect([firstOf(KEY), firstOf({})]).toEqual([new Set(['stt', 'llm', 'tts', 'realtime']), new Set()]);
  });

  it('is so of every provider of a vendor that the tenant has its own key for', () => {
    expect(isOwn('stt', choice('deepgram'), ['deepgram'])).toBe(true);
    expect(isOwn('llm', choice('openai'), ['deepgram'])).toBe(false);
    expect(isOwn('tts', choice('local'), ['deepgram'])).toBe(false);
    const agent = {
      voice_config: { stt: choice('deepgram'), llm: choice('openai'), tts: choice('elevenlabs') },
      fallback_voice_config: { tts: choice('deepgram') },
      own_vendors: ['deepgram', 'openai'],
    };
    expect(ownAccountsOf(agent)).toEqual({ first: new Set(['stt', 'llm']), fallback: new Set(['tts']) });
  });

  it("is not so where the provider runs on the installation's account whatever the agent names", () => {
    expect(isOwn('stt', choice('deepgram', KEY))).toBe(false);
    expect(isOwn('tts', choice('elevenlabs', { ...KEY, base_url: 'https://tts.example.com' }))).toBe(false);
    const agent = {
      voice_config: {
        stt: choice('deepgram', KEY),
        llm: choice('openai', KEY),
        tts: choice('elevenlabs', KEY),
      },
      fallback_voice_config: { tts: choice('elevenlabs', KEY) },
    };
    expect(ownAccountsOf(agent)).toEqual({ first: new Set(['llm']), fallback: new Set() });
  });
});
