import { PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type OpenAiSpeechEmulator,
  startOpenAiSpeechEmulator,
} from '../../../../../loadtest/emulators/openai-speech/server.js';
import type { Voice, VoiceOptions } from '../port.js';
import { chunksOf } from '../testing/emulated-vendor.js';
import { voiceOptions } from '../testing/voice-options.js';
import { createOpenAiTextToSpeech, type OpenAiTextToSpeech } from './openai.js';

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 240_000, interval: 15 });

describe('the OpenAI speech adapter', () => {
  let emulator: OpenAiSpeechEmulator;
  let tts: OpenAiTextToSpeech;

  beforeEach(async () => {
    emulator = await startOpenAiSpeechEmulator({ apiKeys: ['platform', 'own'], speed: 100 });
    tts = createOpenAiTextToSpeech({ egress: createAddressPolicy(['127.0.0.0/8']) });
  });
  afterEach(async () => {
    await tts.close();
    await emulator.close();
  });

  function open(params: Record<string, unknown> = {}, change: Partial<VoiceOptions> = {}): Voice {
    return tts.open(
      voiceOptions(
        {
          choice: { provider: 'openai', model: '', params },
          credentials: { api_key: 'platform', base_url: emulator.baseUrl },
          clock: new ScriptedClock(),
        },
        change,
      ),
    );
  }

  it('takes the voice and its settings from the agent', async () => {
    await chunksOf(open({ voice: 'marin', instructions: 'Speak kindly.', speed: 1.2 }), 'Hello.');
    expect(emulator.requests.at(-1)).toMatchObject({
      model: 'gpt-4o-mini-tts',
      voice: 'marin',
      instructions: 'Speak kindly.',
      speed: 1.2,
      response_format: 'pcm',
    });
    const choice = {
      provider: 'openai',
      model: 'tts-1',
      params: { voice: 'voice_7', instructions: 'Kindly.' },
    };
    await chunksOf(open({}, { choice }), 'Hello.');
    expect(emulator.requests.at(-1)).toMatchObject({ model: 'tts-1', voice: { id: 'voice_7' } });
    expect(emulator.requests.at(-1)?.instructions).toBeUndefined();
  });

  it('asks for the next sentence while one is heard, and for no more than that', async () => {
    emulator.faults.stallNext = 3;
    const voice = open();
    const turn = new AbortController();
    async function* given() {
      yield* ['One.', 'Two.', 'Three.'];
    }
    const speaking = voice.speak(given(), turn.signal)[Symbol.asyncIterator]().next();
    await until(() => expect(emulator.counters.active).toBe(2));
    expect(voice.characters).toBe('One.Two.'.length);
    turn.abort();
    expect(await speaking).toMatchObject({ done: true });
    await until(() => expect(emulator.counters.active).toBe(0));
  });

  it('cuts a text that is longer than a request may be', async () => {
    emulator.faults.stallNext = 2;
    const turn = new AbortController();
    async function* given() {
      yield 'word '.repeat(1000);
    }
    // Six minutes of audio: that both requests are made is enough.
    const speaking = open().speak(given(), turn.signal)[Symbol.asyncIterator]().next();
    await until(() => expect(emulator.requests).toHaveLength(2));
    turn.abort();
    await speaking;
    expect(emulator.requests.every(({ input }) => input.length <= 4096)).toBe(true);
    expect(emulator.requests.flatMap(({ input }) => input.match(/word/g))).toHaveLength(1000);
  });

  it("never sends the platform's key to an address that an agent names", async () => {
    const elsewhere = { credentials: { api_key: 'platform' } };
    await expect(chunksOf(open({ base_url: emulator.baseUrl }, elsewhere), 'Hello.')).rejects.toMatchObject({
      code: 'tts_unauthorized',
    });
    const own = open({ base_url: emulator.baseUrl, api_key: 'own' }, elsewhere);
    expect(await chunksOf(own, 'Hello.')).not.toEqual([]);
  });

  it.each(['an address', 'a name'])('does not follow an agent into a private network by %s', async (way) => {
    const host = way === 'a name' ? 'localhost' : '127.0.0.1';
    const guarded = createOpenAiTextToSpeech({ egress: createAddressPolicy([]) });
    const voice = guarded.open({
      choice: {
        provider: 'openai',
        model: '',
        params: { base_url: `http://${host}:${emulator.port}/v2`, api_key: 'own' },
      },
      credentials: {},
      format: PCMU_8K,
      language: 'en-US',
      clock: new ScriptedClock(),
      log: silentLog,
    });
    await expect(chunksOf(voice, 'Hello.')).rejects.toMatchObject({ kind: 'tts' });
    expect(emulator.counters.connections).toBe(0);
    await guarded.close();
  });

  it.each([
    [429, 7, 'tts_rate_limited', true],
    [429, null, 'tts_rate_limited', true],
    [500, null, 'tts_unavailable', true],
    [400, null, 'tts_bad_request', false],
  ] as const)('reports HTTP %s, and what it asks to wait (%s)', async (failStatus, wait, code, retryable) => {
    Object.assign(emulator.faults, { failNext: 1, failStatus, retryAfterSeconds: wait });
    await expect(chunksOf(open(), 'Hello.')).rejects.toMatchObject({
      code,
      retryable,
      retryAfterSeconds: wait ?? undefined,
    });
  });

  it('reports a page in place of audio', async () => {
    emulator.faults.pageNext = 1;
    await expect(chunksOf(open(), 'Hello.')).rejects.toMatchObject({ code: 'tts_protocol_violation' });
  });

  it('refuses settings that are out of range before it asks', async () => {
    await expect(chunksOf(open({ speed: 9 }), 'Hello.')).rejects.toMatchObject({
      code: 'tts_bad_request',
      message: expect.stringContaining('speed'),
    });
    expect(emulator.counters.requests).toBe(0);
  });
});
