import { elevenLabsParams } from '@voice/shared/catalogue/params/elevenlabs';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type ElevenLabsEmulator,
  startElevenLabsEmulator,
} from '../../../../../loadtest/emulators/elevenlabs/server.js';
import type { Voice, VoiceOptions } from '../port.js';
import { chunksOf } from '../testing/emulated-vendor.js';
import { voiceOptions } from '../testing/voice-options.js';
import { createElevenLabsTextToSpeech, multiStreamInputUrl } from './elevenlabs.js';
import { errorOfMessage } from './errors.js';
import { parseServerMessage } from './messages.js';
import { Timeline } from './timeline.js';

const LONG = 'This is a rather long sentence that nobody will hear to its end.';

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 240_000, interval: 5 });

describe('the ElevenLabs adapter', () => {
  let emulator: ElevenLabsEmulator;
  let clock: ScriptedClock;

  beforeEach(async () => {
    emulator = await startElevenLabsEmulator({ speed: 100 });
    clock = new ScriptedClock();
  });

  afterEach(() => emulator.close());

  function open(change: Partial<VoiceOptions> = {}): Voice {
    return createElevenLabsTextToSpeech().open(
      voiceOptions(
        {
          choice: { provider: 'elevenlabs', model: '', params: {} },
          credentials: { api_key: 'key', base_url: emulator.url },
          clock,
        },
        change,
      ),
    );
  }

  /** Speaks until the first audio, then the caller interrupts. */
  async function interrupted(voice: Voice): Promise<void> {
    const turn = new AbortController();
    async function* given() {
      yield LONG;
      await new Promise((resolve) => turn.signal.addEventListener('abort', resolve));
    }
    for await (const _chunk of voice.speak(given(), turn.signal)) turn.abort();
  }

  it('speaks a language by the code that the model has for it', () => {
    const asked = ['nb-NO', 'nn', 'no-NO', 'de-AT', 'fil-PH', 'tl-PH'].map((language) => {
      const choice = { provider: 'elevenlabs', model: '', params: {} };
      const options = voiceOptions({ choice, credentials: {}, clock }, { language });
      return multiStreamInputUrl(options, elevenLabsParams.parse({})).searchParams.get('language_code');
    });
    // It has Filipino as `fil`, and takes codes of two letters.
    expect(asked).toEqual(['no', 'no', 'no', 'de', null, null]);
  });

  it('has a connection with a context open before the first turn, and speaks every turn over it', async () => {
    const voice = open();
    await until(() => expect(emulator.counters).toMatchObject({ open: 1, contexts: 1 }));
    await chunksOf(voice, 'Hello.');
    await until(() => expect(emulator.counters).toMatchObject({ connections: 1, turns: 1, contexts: 2 }));
    await chunksOf(voice, 'Hello again.');
    await until(() => expect(emulator.counters).toMatchObject({ connections: 1, turns: 2, contexts: 3 }));
    voice.close();
    await until(() => expect(emulator.counters).toMatchObject({ open: 0, violations: 0 }));
  });

  it('closes the context of a turn that is interrupted, and keeps its connection for many of them', async () => {
    const voice = open();
    for (let turn = 1; turn <= 20; turn++) {
      await interrupted(voice);
      await until(() => expect(emulator.counters.aborted).toBe(turn));
    }
    expect(await chunksOf(voice, 'Hello.')).not.toEqual([]);
    expect(emulator.counters).toMatchObject({ connections: 1, turns: 21, violations: 0 });
    voice.close();
  });

  it('never has more contexts open than the vendor allows, however fast it is interrupted', async () => {
    const voice = open();
    await Promise.all(Array.from({ length: 12 }, () => interrupted(voice)));
    expect(await chunksOf(voice, 'Hello.')).not.toEqual([]);
    expect(emulator.counters).toMatchObject({ turns: 13, violations: 0 });
    await until(() => expect(emulator.counters.open).toBe(1));
    voice.close();
  });

  it('keeps the connection alive through a long silence', async () => {
    const voice = open();
    await until(() => expect(emulator.counters.contexts).toBe(1));
    for (let sent = 1; sent <= 3; sent++) {
      // Its timer for the next sign of life alone: the answer to the one before has come.
      await until(() => expect(clock.pending).toBe(1));
      clock.advance(12_000);
      await until(() => expect(emulator.counters.keepAlives).toBe(sent));
    }
    await until(() => expect(clock.pending).toBe(1));
    expect(await chunksOf(voice, 'Hello.')).not.toEqual([]);
    expect(emulator.counters.characters).toBe('Hello.'.length);
    voice.close();
    expect(clock.pending).toBe(0);
  });

  it('opens another connection when its own is lost in a silence, so that the next turn has one', async () => {
    const voice = open();
    await until(() => expect(emulator.counters.contexts).toBe(1));
    clock.advance(6000);
    emulator.dropConnections();
    await until(() => expect(emulator.counters).toMatchObject({ connections: 2, open: 1 }));
    emulator.dropConnections();
    // It was open for a moment only: the next is opened when somebody wants to speak.
    await until(() => expect(emulator.counters.open).toBe(0));
    expect(emulator.counters.connections).toBe(2);
    expect(await chunksOf(voice, 'Hello.')).not.toEqual([]);
    voice.close();
  });

  it('speaks over another connection after a turn that its own took and never spoke', async () => {
    const voice = open();
    await until(() => expect(emulator.counters.contexts).toBe(1));
    emulator.faults.stallNext = 1;
    const turn = new AbortController();
    async function* given() {
      yield LONG;
    }
    const silent = voice.speak(given(), turn.signal)[Symbol.asyncIterator]().next();
    await until(() => expect(emulator.counters.turns).toBe(1));
    clock.advance(2000);
    turn.abort();
    await silent;
    await until(() => expect(emulator.counters).toMatchObject({ connections: 2, open: 1 }));
    expect(await chunksOf(voice, 'Hello.')).not.toEqual([]);
    expect(emulator.counters.connections).toBe(2);
    voice.close();
  });

  it('takes the voice and its settings from the agent', async () => {
    await emulator.close();
    emulator = await startElevenLabsEmulator({ voiceIds: ['Ann'], speed: 100 });
    const params = { voice_id: 'Ann', stability: 0.4, speed: 1.1, apply_text_normalization: 'off' };
    const choice = { provider: 'elevenlabs', model: 'eleven_multilingual_v2', params };
    const voice = open({ choice });
    expect(await chunksOf(voice, 'Hello.')).not.toEqual([]);
    voice.close();
    const other = open();
    await expect(chunksOf(other, 'Hello.')).rejects.toMatchObject({
      code: 'tts_bad_request',
      retryable: false,
    });
    other.close();
  });

  it('refuses settings that are out of range before it connects', async () => {
    const voice = open({ choice: { provider: 'elevenlabs', model: '', params: { stability: 3 } } });
    await expect(chunksOf(voice, 'Hello.')).rejects.toMatchObject({
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

  it('may say in either way that they are the last of a context', () => {
    for (const name of ['isFinal', 'is_final']) {
      const message = parseServerMessage(JSON.stringify({ [name]: true, contextId: 'turn-1' }));
      expect(message).toMatchObject({ isFinal: true, contextId: 'turn-1' });
    }
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
    ['max_active_conversations', 'tts_rate_limited', true],
    ['input_timeout_exceeded', 'tts_timed_out', true],
    ['internal_server_error', 'tts_unavailable', true],
    ['voice_not_found', 'tts_bad_request', false],
  ])('report the error %s', (error, code, retryable) => {
    expect(errorOfMessage({ error, message: '' })).toMatchObject({ code, retryable });
  });
});
