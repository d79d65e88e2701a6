import type { VoiceConfig } from '@voice/shared/contracts/agent';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { newId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import { CallTokens } from './call-token.js';
import { proxiedPlan } from './proxied-plan.js';

const choice = (provider: string) => ({ provider, model: '', params: {} });
const proxy = {
  tokens: new CallTokens('a key of the installation, long enough'),
  url: 'http://cp/llm',
  now: 1,
};
const PLATFORM = { openai: { api_key: 'platform' }, gemini: { api_key: 'g' } };

function accessOf(voice_config: VoiceConfig, fallback_voice_config = {}, own_vendors?: string[]): unknown {
  const plan = {
    call_id: newId(),
    agent: { voice_config, fallback_voice_config, own_vendors },
    credentials: PLATFORM,
  } as unknown as CallPlan;
  return proxiedPlan(plan, proxy).credentials.openai;
}

describe('the language model proxy in the plan of a speech-to-speech agent', () => {
  it('leaves the key where the session itself needs it', () => {
    expect(accessOf({ realtime: choice('openai') }, { llm: choice('openai') })).toEqual(PLATFORM.openai);
  });

  it('leaves a key of the tenant’s own, which is not the installation’s to keep', () => {
    const cascade = { stt: choice('local'), llm: choice('openai'), tts: choice('local') };
    expect(accessOf(cascade, {}, ['openai'])).toEqual(PLATFORM.openai);
    expect(accessOf(cascade, {}, ['deepgram'])).not.toEqual(PLATFORM.openai);
  });

  it('stands in where only the fallback needs the vendor', () => {
    expect(accessOf({ realtime: choice('gemini') }, { llm: choice('openai') })).toEqual({
      api_key: expect.not.stringMatching('platform'),
      base_url: 'http://cp/llm',
    });
  });
});
