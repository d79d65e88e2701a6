import { PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type ElevenLabsEmulator,
  startElevenLabsEmulator,
} from '../../../../../loadtest/emulators/elevenlabs/server.js';
import type { SpeechChunk, Voice, VoiceOptions } from '../port.js';
import { createElevenLabsTextToSpeech } from './elevenlabs.js';
import { errorOfMessage } from './errors.js';
import { parseServerMessage } from './messages.js';
import { Timeline } from './timeline.js';

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 60_000, interval: 5 });

describe('the ElevenLabs adapter', () => {
  let emulator: ElevenLabsEmulator;
  let clock: ScriptedClock;

  beforeEach(async () => {
    emulator = await startElevenLabsEmulator({ speed: 100 });
    clock = new ScriptedClock();
  });

  afterEach(() => emulator.close());

  function open(change: Partial<VoiceOptions> = {}): Voice {
    return createElevenLabsTextToSpeech().open({
      choice: { provider: 'elevenlabs', model: '', params: {} },
      credentials: { api_key: 'key', base_url: emulator.url },
      format: PCMU_8K,
      language: 'en-US',
      clock,
      log: silentLog,
      ...change,
    });
  }

  async function speak(voice: Voice, ...sentences: string[]): Promise<SpeechChunk[]> {
    async function* given() {
      yield* sentences;
    }
    const chunks: SpeechChunk[] = [];
    for await (const chunk of voice.speak(given(), new AbortController().signal)) chunks.push(chunk);
    return chunks;
  }

  it('has a connection open before the first turn, and the next one before the next', async () => {
    const voice = open();
    await until(() => expect(emulator.counters.open).toBe(1));
    await speak(voice, 'Hello.');
    await until(() => expect(emulator.counters).toMatchObject({ connections: 2, open: 1, turns: 1 }));
    await speak(voice, 'Hello again.');
    await until(() => expect(emulator.counters).toMatchObject({ connections: 3, open: 1, turns: 2 }));
    voice.close();
    await until(() => expect(emulator.counters).toMatchObject({ open: 0, violations: 0 }));
  });

  it('keeps the waiting connection alive through a long silence', async () => {
    const voice = open();
    await until(() => expect(clock.pending).toBe(1));
    clock.advance(36_500);
    await until(() => expect(emulator.counters.keepAlives).toBe(3));
    expect(await speak(voice, 'Hello.')).not.toEqual([]);
    expect(emulator.counters.characters).toBe('Hello.'.length);
    voice.close();
    expect(clock.pending).toBe(0);
  });

  it('stops the provider when a turn is aborted', async () => {
    const voice = open();
    const turn = new AbortController();
    async function* given() {
      yield 'This is a rather long sentence that nobody will hear to its end.';
      await new Promise((resolve) => turn.signal.addEventListener('abort', resolve));
    }
    for await (const _chunk of voice.speak(given(), turn.signal)) turn.abort();
    await until(() => expect(emulator.counters).toMatchObject({ aborted: 1, open: 1 }));
    voice.close();
  });

  it('takes the voice and its settings from the agent', async () => {
    await emulator.close();
    emulator = await startElevenLabsEmulator({ voiceIds: ['Ann'], speed: 100 });
    const params = { voice_id: 'Ann', stability: 0.4, speed: 1.1, apply_text_normalization: 'off' };
    const choice = { provider: 'elevenlabs', model: 'eleven_multilingual_v2', params };
    const voice = open({ choice });
    expect(await speak(voice, 'Hello.')).not.toEqual([]);
    voice.close();
    const other = open();
    await expect(speak(other, 'Hello.')).rejects.toMatchObject({ code: 'tts_bad_request', retryable: false });
    other.close();
  });

  it('refuses settings that are out of range before it connects', async () => {
    const voice = open({ choice: { provider: 'elevenlabs', model: '', params: { stability: 3 } } });
    await expect(speak(voice, 'Hello.')).rejects.toMatchObject({
      code: 'tts_bad_request',
      message: expect.stringContaining('stability'),
    });
    expect(emulator.counters.connections).toBe(0);
  });
});

describe("a turn's timeline", () => {
  it('puts alignments one after another by their own lengths', () => {
    const timeline = new Timeline();
    const first = { chars: ['H', 'i'], startMs: [0, 80], durationMs: [80, 70] };
    expect(timeline.place(first).startMs).toEqual([0, 80]);
    expect(timeline.place({ chars: [], startMs: [], durationMs: [] }).startMs).toEqual([]);
    expect(timeline.place(first).startMs).toEqual([150, 230]);
  });
});

describe("the service's messages", () => {
  it('may name durations in either way, and carry nulls', () => {
    for (const durations of ['charDurationsMs', 'charsDurationsMs']) {
      const alignment = { chars: ['a'], charStartTimesMs: [0], [durations]: [50] };
      expect(parseServerMessage(JSON.stringify({ audio: 'AA==', isFinal: null, alignment }))).toMatchObject({
        alignment: { durationMs: [50] },
      });
    }
    expect(parseServerMessage('{"audio":null,"isFinal":true,"alignment":null}')).toMatchObject({
      isFinal: true,
    });
  });

  it('are refused when their lists disagree or they are no JSON', () => {
    const alignment = { chars: ['a', 'b'], charStartTimesMs: [0], charDurationsMs: [50] };
    expect(parseServerMessage(JSON.stringify({ alignment }))).toBeUndefined();
    expect(parseServerMessage('hello')).toBeUndefined();
  });

  it.each([
    ['invalid_api_key', 'tts_unauthorized', false],
    ['quota_exceeded', 'tts_rate_limited', false],
    ['too_many_concurrent_requests', 'tts_rate_limited', true],
    ['input_timeout_exceeded', 'tts_timed_out', true],
    ['internal_server_error', 'tts_unavailable', true],
    ['voice_not_found', 'tts_bad_request', false],
  ])('report the error %s', (error, code, retryable) => {
    expect(errorOfMessage({ error, message: '' })).toMatchObject({ code, retryable });
  });
});
