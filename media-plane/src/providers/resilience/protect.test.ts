import { PCMU_8K } from '@voice/shared/audio/format';
import { systemClock } from '@voice/shared/clock/clock';
import { patientClock } from '@voice/shared/clock/testing/patient-clock';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type DeepgramEmulator,
  startDeepgramEmulator,
} from '../../../../loadtest/emulators/deepgram/server.js';
import {
  type ElevenLabsEmulator,
  startElevenLabsEmulator,
} from '../../../../loadtest/emulators/elevenlabs/server.js';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../../loadtest/emulators/openai/server.js';
import {
  framesOf,
  silentFrames,
  syntheticPhrase,
} from '../../../../loadtest/emulators/recognition/synthetic-phrase.js';
import { createProviders, type Providers } from '../registry/registry.js';
import type { SttEvent } from '../stt/port.js';
import { CircuitBreakers } from './circuit-breakers.js';
import { DEFAULT_ANSWER_LIMITS } from './limits.js';
import { describeNotice, type ResilienceNotice } from './notice.js';
import { type ProtectOptions, protectProviders } from './protect.js';

const PHRASE = syntheticPhrase('When are you open?');
const choice = (provider: string, params: Record<string, unknown> = {}, model = '') => ({
  provider,
  model,
  params,
});

describe("a call's providers under protection", () => {
  let deepgram: DeepgramEmulator;
  let openAi: OpenAiEmulator;
  let elevenLabs: ElevenLabsEmulator;
  let providers: Providers;
  let notices: ResilienceNotice[];

  beforeEach(async () => {
    deepgram = await startDeepgramEmulator({ phrasebook: [PHRASE], apiKeys: ['key'] });
    openAi = await startOpenAiEmulator({ apiKeys: ['key'] });
    elevenLabs = await startElevenLabsEmulator({ apiKeys: ['key'], speed: 100 });
    providers = createProviders({ clock: systemClock, log: silentLog, egress: createAddressPolicy([]) });
    notices = [];
  });

  afterEach(async () => {
    await providers.close();
    await Promise.all([deepgram.close(), openAi.close(), elevenLabs.close()]);
  });

  function protect(fallbacks: ProtectOptions['fallbacks'], key = 'key') {
    return protectProviders({
      providers,
      choices: { stt: choice('deepgram', {}, 'nova-3'), llm: choice('openai'), tts: choice('elevenlabs') },
      fallbacks,
      credentials: {
        deepgram: { api_key: key, base_url: deepgram.url },
        openai: { api_key: key, base_url: openAi.baseUrl },
        elevenlabs: { api_key: key, base_url: elevenLabs.url },
      },
      // How long a provider may take is none of these tests.
      clock: patientClock(),
      tenant: 'tenant',
      breakers: new CircuitBreakers(systemClock),
      limits: DEFAULT_ANSWER_LIMITS,
      onNotice: (notice) => notices.push(notice),
    });
  }

  async function answer(protectedProviders: ReturnType<typeof protect>, key = 'key'): Promise<string> {
    let text = '';
    const request = {
      choice: choice('openai'),
      credentials: { api_key: key, base_url: openAi.baseUrl },
      messages: [{ role: 'user', content: PHRASE.text }] as const,
      tools: [],
    };
    const signal = new AbortController().signal;
    for await (const event of protectedProviders.languageModel.generate(request, signal)) {
      if (event.type === 'text') text += event.delta;
    }
    return text;
  }

  async function speak(protectedProviders: ReturnType<typeof protect>, key: string): Promise<number> {
    const voice = protectedProviders.textToSpeech.open({
      choice: choice('elevenlabs'),
      credentials: { api_key: key, base_url: elevenLabs.url },
      format: PCMU_8K,
      language: 'en-US',
      clock: systemClock,
      log: silentLog,
    });
    async function* given() {
      yield 'Good morning.';
    }
    let bytes = 0;
    for await (const chunk of voice.speak(given(), new AbortController().signal)) bytes += chunk.audio.length;
    voice.close();
    return bytes;
  }

  /** Lets the local voice's process start, whose time is no time of the provider's. */
  async function startLocalVoice(): Promise<void> {
    const voice = providers.tts('local').open({
      choice: choice('local'),
      credentials: {},
      format: PCMU_8K,
      language: 'en-US',
      clock: systemClock,
      log: silentLog,
    });
    async function* given() {
      yield 'Hello.';
    }
    for await (const _ of voice.speak(given(), new AbortController().signal));
    voice.close();
  }

  it('answers although the model failed once', async () => {
    Object.assign(openAi.faults, { failNext: 1, failStatus: 500 });
    expect(await answer(protect({}))).toBe('We are open from nine to five, Monday to Friday.');
    expect(notices.map(describeNotice)).toEqual([
      'openai failed before it said anything (llm_unavailable) and was asked again',
    ]);
  });

  it('reports usage by provider and model, also where the agent names no model', async () => {
    const calls = protect({ llm: choice('local'), tts: choice('local') });
    await answer(calls);
    await speak(calls, 'key');
    Object.assign(openAi.faults, { failNext: 1, failStatus: 500 });
    await answer(calls);
    expect(calls.usage().segments).toEqual([
      {
        kind: 'llm',
        provider: 'openai',
        model: 'gpt-4.1-mini',
        fallback: false,
        input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
      },
      { kind: 'tts', provider: 'elevenlabs', model: 'eleven_flash_v2_5', fallback: false, characters: 13 },
      expect.objectContaining({ kind: 'llm', provider: 'local', model: '', fallback: true }),
    ]);
  });

  it('speaks although the voice was torn off before it began', async () => {
    Object.assign(elevenLabs.faults, { errorNext: 1, afterAudioMs: 0 });
    expect(await speak(protect({}), 'key')).toBeGreaterThan(4000);
    expect(notices).toMatchObject([{ code: 'provider_retried', kind: 'tts' }]);
  });

  it("lets the agent's fallbacks take over when the keys are refused", async () => {
    await startLocalVoice();
    const calls = protect({ llm: choice('local'), tts: choice('local') }, 'bad');
    expect(await answer(calls, 'bad')).not.toBe('');
    expect(await speak(calls, 'bad')).toBeGreaterThan(4000);
    expect(notices.filter((notice) => notice.code === 'provider_replaced')).toMatchObject([
      { code: 'provider_replaced', provider: 'openai', replacement: 'local', cause: 'llm_unauthorized' },
      { code: 'provider_replaced', provider: 'elevenlabs', replacement: 'local', cause: 'tts_unauthorized' },
    ]);
    expect(calls.usage()).toMatchObject({
      llm: { provider: 'openai', output_tokens: expect.any(Number) },
      tts: { provider: 'elevenlabs', characters: 'Good morning.'.length },
      segments: [
        { kind: 'llm', provider: 'local', fallback: true },
        { kind: 'tts', provider: 'local', fallback: true, characters: 'Good morning.'.length },
      ],
    });
  });

  it('lets another model of the recogniser take over, which hears what the first did not', async () => {
    const { speechToText, usage } = protect({ stt: choice('deepgram', {}, 'flux') });
    const events: SttEvent[] = [];
    const session = speechToText.open({
      choice: choice('deepgram', {}, 'nova-3'),
      credentials: { api_key: 'bad', base_url: deepgram.url },
      format: PCMU_8K,
      language: 'en-US',
      endpointingMs: 200,
      clock: systemClock,
      log: silentLog,
      onEvent: (event) => events.push(event),
    });
    for (const frame of [...framesOf(PHRASE.audio), ...silentFrames(800)]) session.write(frame);
    await expect.poll(() => events.at(-1)).toMatchObject({ type: 'end_of_turn', text: PHRASE.text });
    expect(notices).toMatchObject([{ kind: 'stt', cause: 'stt_unauthorized' }]);
    expect(usage().segments).toMatchObject([
      { kind: 'stt', provider: 'deepgram', model: 'flux', fallback: true, audio_ms: session.audioMs },
    ]);
    session.close();
  });

  it('refuses a fallback that this worker does not have when the call is assembled', () => {
    expect(() => protect({ llm: choice('nobody') })).toThrow(
      expect.objectContaining({ code: 'llm_bad_request' }),
    );
  });
});
