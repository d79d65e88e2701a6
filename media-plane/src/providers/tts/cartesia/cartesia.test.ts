import { PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type CartesiaEmulator,
  startCartesiaEmulator,
} from '../../../../../loadtest/emulators/cartesia/server.js';
import type { Voice, VoiceOptions } from '../port.js';
import { chunksOf } from '../testing/emulated-vendor.js';
import { voiceOptions } from '../testing/voice-options.js';
import { createCartesiaTextToSpeech } from './cartesia.js';
import { ContextProtocol } from './context-protocol.js';
import { errorOfMessage } from './errors.js';
import { alignmentOfWords } from './word-alignment.js';

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 240_000, interval: 5 });

describe('the Cartesia adapter', () => {
  let emulator: CartesiaEmulator;
  let clock: ScriptedClock;

  beforeEach(async () => {
    emulator = await startCartesiaEmulator({ speed: 100 });
    clock = new ScriptedClock();
  });
  afterEach(() => emulator.close());

  function open(params: Record<string, unknown> = {}, change: Partial<VoiceOptions> = {}): Voice {
    return createCartesiaTextToSpeech().open(
      voiceOptions(
        {
          choice: { provider: 'cartesia', model: '', params },
          credentials: { api_key: 'key', base_url: emulator.url },
          clock,
        },
        { language: 'de-DE', ...change },
      ),
    );
  }

  it('speaks all turns of a call over one connection, each in a context of its own', async () => {
    const voice = open();
    await until(() => expect(emulator.counters.open).toBe(1));
    await chunksOf(voice, 'Hello.', 'How are you?');
    await chunksOf(voice, 'Fine.');
    expect(emulator.counters).toMatchObject({ connections: 1, contexts: 2, violations: 0 });
    voice.close();
    await until(() => expect(emulator.counters.open).toBe(0));
  });

  it('takes voice, language and manner from the agent', async () => {
    const voice = open({ voice_id: 'voice-1', speed: 1.2, volume: 1.1, emotion: 'calm' });
    await chunksOf(voice, 'Guten Tag.');
    expect(emulator.inputs.at(0)).toMatchObject({
      model_id: 'sonic-3',
      voice: { mode: 'id', id: 'voice-1' },
      language: 'de',
      output_format: { container: 'raw', encoding: 'pcm_mulaw', sample_rate: 8000 },
      max_buffer_delay_ms: 0,
      generation_config: { speed: 1.2, volume: 1.1, emotion: 'calm' },
    });
    voice.close();
  });

  it('speaks a language by the code that the model has for it', async () => {
    const norwegian = open({}, { language: 'nb-NO' });
    await chunksOf(norwegian, 'God dag.');
    const filipino = open({}, { language: 'fil-PH' });
    await chunksOf(filipino, 'Kumusta.');
    expect([...new Set(emulator.inputs.map(({ language }) => language))]).toEqual(['no', 'tl']);
    norwegian.close();
    filipino.close();
  });

  it('cancels a turn that is given up, and lets nothing of it into the next', async () => {
    await emulator.close();
    emulator = await startCartesiaEmulator({ speed: 2, chunkMs: 100 });
    const voice = open();
    const turn = new AbortController();
    async function* given() {
      yield 'This is a rather long sentence that nobody will hear to its end.';
    }
    for await (const _chunk of voice.speak(given(), turn.signal)) turn.abort();
    const bytes = (await chunksOf(voice, 'Hi.')).reduce((sum, { audio }) => sum + audio.length, 0);
    expect(bytes / 8000).toBeCloseTo(4 / 14, 1);
    expect(emulator.counters).toMatchObject({ connections: 1, cancelled: 1 });
    voice.close();
  });

  it('goes on in another context when the next words come after the first has expired', async () => {
    await emulator.close();
    emulator = await startCartesiaEmulator({ speed: 100, contextLifeMs: 10 });
    const voice = open();
    async function* given() {
      yield 'One moment.';
      await until(() => expect(emulator.counters.expired).toBe(1));
      yield 'Here it is.';
    }
    const starts: number[] = [];
    for await (const { alignment } of voice.speak(given(), new AbortController().signal)) {
      starts.push(...(alignment?.startMs ?? []));
    }
    expect(emulator.counters.contexts).toBe(2);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect(Math.max(...starts)).toBeGreaterThan(1000);
    voice.close();
  });

  it('reports garbage, and a refusal with and without a time to wait', async () => {
    emulator.faults.garbageNext = 1;
    const voice = open();
    await expect(chunksOf(voice, 'Hello.')).rejects.toMatchObject({
      code: 'tts_protocol_violation',
      retryable: true,
    });
    voice.close();
    for (const retryAfterSeconds of [7, null]) {
      Object.assign(emulator.faults, { refuseNext: 2, refuseStatus: 429, retryAfterSeconds });
      const limited = open();
      await expect(chunksOf(limited, 'Hello.')).rejects.toMatchObject({
        code: 'tts_rate_limited',
        retryable: true,
        retryAfterSeconds: retryAfterSeconds ?? undefined,
      });
      limited.close();
      emulator.faults.refuseNext = 0;
    }
  });

  it('refuses settings that are out of range before it connects', async () => {
    await expect(chunksOf(open({ speed: 3 }), 'Hello.')).rejects.toMatchObject({
      code: 'tts_bad_request',
      message: expect.stringContaining('speed'),
    });
    expect(emulator.counters.connections).toBe(0);
  });
});

describe('a context', () => {
  const settings = {
    model_id: 'sonic-3',
    voice: { mode: 'id', id: 'v' },
    language: 'en',
    output_format: { container: 'raw', encoding: 'pcm_mulaw', sample_rate: 8000 },
    add_timestamps: true,
    max_buffer_delay_ms: 0,
  } as const;
  const idOf = (messages: readonly string[]) =>
    (JSON.parse(messages[0]!) as { context_id: string }).context_id;

  it('is not mistaken for the one before', () => {
    const protocol = new ContextProtocol(settings, PCMU_8K);
    protocol.begin();
    const first = idOf(protocol.say('Hello.'));
    protocol.cancel();
    protocol.begin();
    const second = idOf(protocol.say('Bye.'));
    const chunk = (id: string) =>
      JSON.stringify({ type: 'chunk', context_id: id, data: 'AAAA', done: false });
    expect(protocol.readText(chunk(first))).toEqual([]);
    expect(protocol.readText(chunk(second))).toMatchObject([{ type: 'audio' }]);
    expect(protocol.readText(JSON.stringify({ type: 'error', context_id: first, status_code: 400 }))).toEqual(
      [],
    );
    const failed = protocol.readText(JSON.stringify({ type: 'error', status_code: 401, title: 'No key' }));
    expect(failed).toMatchObject([{ type: 'failed', error: { code: 'tts_unauthorized' } }]);
  });

  it('that expired before the text ended has spoken all of it', () => {
    const protocol = new ContextProtocol(settings, PCMU_8K);
    protocol.begin();
    const id = idOf(protocol.say('Hello.'));
    expect(protocol.readText(JSON.stringify({ type: 'done', context_id: id, done: true }))).toEqual([]);
    expect(protocol.isDone).toBe(false);
    expect(protocol.endOfText()).toEqual([]);
    expect(protocol.isDone).toBe(true);
  });

  it('says again in another what came too late for it', () => {
    const protocol = new ContextProtocol(settings, PCMU_8K);
    protocol.begin();
    const id = idOf(protocol.say('One moment.'));
    const words = { words: ['One', 'moment.'], start: [0, 0.3], end: [0.2, 0.6] };
    protocol.readText(JSON.stringify({ type: 'timestamps', context_id: id, word_timestamps: words }));
    protocol.say('Here it is.');
    protocol.endOfText();
    const outputs = protocol.readText(JSON.stringify({ type: 'done', context_id: id, done: true }));
    expect(outputs).toMatchObject([{ type: 'send' }]);
    const sent = outputs.flatMap((output) => (output.type === 'send' ? output.messages : []));
    expect(sent.map((message) => JSON.parse(message))).toMatchObject([
      { transcript: 'Here it is. ', continue: true },
      { transcript: '', continue: false },
    ]);
    expect(idOf(sent)).not.toBe(id);
    expect(protocol.readText(JSON.stringify({ type: 'error', context_id: id, status_code: 400 }))).toEqual(
      [],
    );
  });

  it('fails retryably when words came too late for it, and nothing shows which', () => {
    const protocol = new ContextProtocol(settings, PCMU_8K);
    protocol.begin();
    const id = idOf(protocol.say('Hello.'));
    protocol.say('Still there?');
    protocol.readText(JSON.stringify({ type: 'done', context_id: id, done: true }));
    const late = protocol.readText(JSON.stringify({ type: 'error', context_id: id, status_code: 400 }));
    expect(late).toMatchObject([{ type: 'failed', error: { code: 'tts_disconnected', retryable: true } }]);
  });

  it('gives its words’ times to their characters', () => {
    expect(alignmentOfWords({ words: ['Hi'], start: [0.1], end: [0.3] }, 1000)).toEqual({
      chars: ['H', 'i', ' '],
      startMs: [1100, 1200, 1300],
      durationMs: [100, 100, 0],
    });
  });

  it.each([
    [401, '', 'tts_unauthorized', false],
    [402, 'quota_exceeded', 'tts_rate_limited', false],
    [404, 'voice_not_found', 'tts_bad_request', false],
    [429, 'concurrency_limited', 'tts_rate_limited', true],
    [500, '', 'tts_unavailable', true],
  ])('fails with %s %s', (status, name, code, retryable) => {
    expect(errorOfMessage(status, name, '')).toMatchObject({ code, retryable });
  });
});
