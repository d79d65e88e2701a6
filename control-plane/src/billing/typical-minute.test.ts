import type { ProviderChoice } from '@voice/shared/contracts/agent';
import { describe, expect, it } from 'vitest';
import { RATES } from '../platform/money/rates.js';
import { ASSUMED_AGENT, type HeldAgent, typicalMinute } from './typical-minute.js';

const choice = (provider: string, model = '', params: Record<string, unknown> = {}): ProviderChoice => ({
  provider,
  model,
  params,
});
const agent = (voice: HeldAgent['voice_config']): HeldAgent => ({
  voice_config: voice,
  fallback_voice_config: {},
});
const LOCAL = { stt: choice('local'), llm: choice('local'), tts: choice('local') };
const realtime = (provider: string, model = '', params = {}) =>
  agent({ realtime: choice(provider, model, params) });
const minute = (of: HeldAgent, line: Partial<Parameters<typeof typicalMinute>[0]> = {}) =>
  typicalMinute(
    { agent: of, carrier: 'twilio', direction: 'outbound', toNumber: '+12025550123', ...line },
    RATES,
  );
/** A minute of carrier and service alone. */
const LINE = 14_000 + 10_000;

describe('a typical minute', () => {
  it('of a cascade is STT, LLM and TTS by their rates, carrier and service', () => {
    expect(minute(ASSUMED_AGENT)).toBe(7_700 + 2_640 + 22_500 + LINE);
  });

  it('follows the providers and models of the agent', () => {
    expect(minute(agent(LOCAL))).toBe(LINE);
    const large = { ...LOCAL, llm: choice('openai', 'gpt-4.1') };
    // 6,000 tokens at 2 and 150 at 8 USD a million.
    expect(minute(agent(large))).toBe(LINE + 12_000 + 1_200);
    // A model that is not named is the provider's default.
    const unnamed = { ...LOCAL, llm: choice('openai') };
    expect(minute(agent(unnamed))).toBe(minute(agent({ ...LOCAL, llm: choice('openai', 'gpt-4.1-mini') })));
    expect(minute(agent({ ...LOCAL, stt: choice('deepgram') }))).toBe(LINE + 7_700);
    const voice = choice('elevenlabs', 'eleven_flash_v2_5');
    expect(minute(agent({ ...LOCAL, tts: choice('elevenlabs') }))).toBe(
      minute(agent({ ...LOCAL, tts: voice })),
    );
  });

  it('of a speech-to-speech agent is its tokens by modality, and no cascade', () => {
    // Audio: 1,500 at 32, 4,500 cached at 0.40, 600 at 64; text: 1,000 at 4, 9,000 cached at 0.40, 150 at 16.
    const tokens = 48_000 + 1_800 + 38_400 + 4_000 + 3_600 + 2_400;
    expect(minute(realtime('openai'))).toBe(LINE + tokens);
    expect(minute(realtime('openai', 'gpt-realtime-mini'))).toBeLessThan(LINE + tokens);
    expect(minute(realtime('gemini'))).not.toBe(minute(realtime('openai')));
  });

  it("leaves out what runs on the tenant's own account", () => {
    expect(minute(realtime('openai', '', { api_key: 'own' }))).toBe(LINE);
    const own = { ...LOCAL, llm: choice('openai', '', { base_url: 'https://llm.example.com' }) };
    expect(minute(agent(own))).toBe(LINE);
  });

  it('follows the line: carrier, direction and destination', () => {
    expect(minute(agent(LOCAL), { carrier: 'telnyx' })).toBe(LINE - 7_000);
    expect(minute(agent(LOCAL), { direction: 'inbound' })).toBe(LINE - 5_500);
    expect(minute(agent(LOCAL), { toNumber: '+447400123456' })).toBe(LINE + 16_500);
  });
});
