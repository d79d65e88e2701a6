import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type DeepgramEmulator,
  startDeepgramEmulator,
} from '../../../../../loadtest/emulators/deepgram/server.js';
import type { Voice, VoiceOptions } from '../port.js';
import { chunksOf } from '../testing/emulated-vendor.js';
import { voiceOptions } from '../testing/voice-options.js';
import { createDeepgramTextToSpeech } from './deepgram.js';
import { FlushBudget } from './flush-budget.js';
import { SpeakProtocol } from './speak-protocol.js';
import { voiceOf } from './voices.js';

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 240_000, interval: 5 });
const types = (messages: readonly string[]) =>
  messages.map((message) => (JSON.parse(message) as { type: string }).type);
const flushed = JSON.stringify({ type: 'Flushed', sequence_id: 0 });
const cleared = JSON.stringify({ type: 'Cleared', sequence_id: 0 });

describe('the Aura adapter', () => {
  let emulator: DeepgramEmulator;
  let clock: ScriptedClock;

  beforeEach(async () => {
    emulator = await startDeepgramEmulator({ speech: { speed: 100 } });
    clock = new ScriptedClock();
  });
  afterEach(() => emulator.close());

  function open(change: Partial<VoiceOptions> = {}): Voice {
    return createDeepgramTextToSpeech().open(
      voiceOptions(
        {
          choice: { provider: 'deepgram', model: '', params: {} },
          credentials: { api_key: 'key', base_url: emulator.url },
          clock,
        },
        change,
      ),
    );
  }

  it('speaks all turns of a call over one connection, open before the first', async () => {
    const voice = open();
    await until(() => expect(emulator.counters.speech.open).toBe(1));
    await chunksOf(voice, 'Hello.', 'How are you?');
    await chunksOf(voice, 'Fine.');
    expect(emulator.counters.speech).toMatchObject({ connections: 1, generations: 3, violations: 0 });
    voice.close();
    await until(() => expect(emulator.counters.speech.open).toBe(0));
  });

  it('clears a turn that is given up, and says the next one over the same connection', async () => {
    await emulator.close();
    emulator = await startDeepgramEmulator({ speech: { speed: 2, chunkMs: 100 } });
    const voice = open();
    const turn = new AbortController();
    async function* given() {
      yield 'This is a rather long sentence that nobody will hear to its end.';
    }
    for await (const _chunk of voice.speak(given(), turn.signal)) turn.abort();
    const bytes = (await chunksOf(voice, 'Hi.')).reduce((sum, { audio }) => sum + audio.length, 0);
    expect(bytes / 8000).toBeCloseTo(4 / 14, 1);
    expect(emulator.counters.speech).toMatchObject({ connections: 1, clears: 1 });
    voice.close();
  });

  it('takes another connection before the flushes of one are used up', async () => {
    const voice = open();
    for (let turn = 0; turn < 20; turn++) await chunksOf(voice, 'Yes.');
    expect(emulator.counters.speech).toMatchObject({ connections: 2, ignoredFlushes: 0 });
    voice.close();
  });

  it('gives up a connection on which the vendor has fallen silent', async () => {
    emulator.faults.speech.stallNext = 1;
    const voice = open();
    const turn = new AbortController();
    async function* given() {
      yield 'Hello.';
    }
    const speaking = voice.speak(given(), turn.signal)[Symbol.asyncIterator]().next();
    await until(() => expect(emulator.counters.speech.generations).toBe(1));
    clock.advance(1000);
    turn.abort();
    expect(await speaking).toMatchObject({ done: true });
    expect(await chunksOf(voice, 'Hello.')).not.toEqual([]);
    expect(emulator.counters.speech.connections).toBe(2);
    voice.close();
  });

  it('gives up a connection on which the vendor has fallen silent in mid-answer', async () => {
    Object.assign(emulator.faults.speech, { freezeNext: 1, afterAudioMs: 1 });
    const voice = open();
    const turn = new AbortController();
    async function* given() {
      yield 'This is a rather long sentence that nobody will hear to its end.';
    }
    const chunks = voice.speak(given(), turn.signal)[Symbol.asyncIterator]();
    expect(await chunks.next()).toMatchObject({ done: false });
    const heard = chunks.next();
    clock.advance(2000);
    turn.abort();
    expect(await heard).toMatchObject({ done: true });
    expect(await chunksOf(voice, 'Hello.')).not.toEqual([]);
    expect(emulator.counters.speech.connections).toBe(2);
    voice.close();
  });

  it('fails on a warning’s cause and garbage by name, and reports what a refusal asks to wait', async () => {
    const voice = open();
    emulator.faults.speech.garbageNext = 1;
    await expect(chunksOf(voice, 'Hello.')).rejects.toMatchObject({
      code: 'tts_protocol_violation',
      retryable: true,
    });
    voice.close();
    Object.assign(emulator.faults, { refuseNext: 4, refuseStatus: 429, retryAfterSeconds: 7 });
    const limited = open();
    await expect(chunksOf(limited, 'Hello.')).rejects.toMatchObject({
      code: 'tts_rate_limited',
      retryable: true,
      retryAfterSeconds: 7,
    });
    limited.close();
    emulator.faults.retryAfterSeconds = null;
    const again = open();
    await expect(chunksOf(again, 'Hello.')).rejects.toMatchObject({
      code: 'tts_rate_limited',
      retryAfterSeconds: undefined,
    });
    again.close();
  });

  it('says nothing while a handshake hangs, and can be given up', async () => {
    emulator.faults.hangNext = 1;
    const voice = open();
    const turn = new AbortController();
    async function* given() {
      yield 'Hello.';
    }
    const speaking = voice.speak(given(), turn.signal)[Symbol.asyncIterator]().next();
    await until(() => expect(voice.characters).toBe(6));
    turn.abort();
    expect(await speaking).toMatchObject({ done: true });
    voice.close();
  });

  it('refuses settings that are out of range before it connects', async () => {
    const voice = open({ choice: { provider: 'deepgram', model: '', params: { speed: 3 } } });
    await expect(chunksOf(voice, 'Hello.')).rejects.toMatchObject({
      code: 'tts_bad_request',
      message: expect.stringContaining('speed'),
    });
    expect(emulator.counters.speech.connections).toBe(0);
  });

  it('speaks the agent’s language where the agent names no voice', () => {
    expect(voiceOf('', 'de-CH')).toMatch(/^aura-2-.*-de$/);
    expect(voiceOf('', 'tr')).toBe('aura-2-thalia-en');
    expect(voiceOf('aura-luna-en', 'de')).toBe('aura-luna-en');
  });
});

describe('the protocol of /v1/speak', () => {
  it('flushes each piece and is done when the last flush is answered', () => {
    const protocol = new SpeakProtocol(new ScriptedClock());
    protocol.begin();
    expect(types(protocol.say('Hello.'))).toEqual(['Speak', 'Flush']);
    expect(types(protocol.say('Bye.'))).toEqual(['Speak', 'Flush']);
    expect(protocol.endOfText()).toEqual([]);
    expect(protocol.readText(flushed)).toEqual([]);
    expect(protocol.readText(flushed)).toEqual([{ type: 'done' }]);
  });

  it('is done at once when all was spoken before the text ended', () => {
    const protocol = new SpeakProtocol(new ScriptedClock());
    protocol.begin();
    protocol.say('Hello.');
    expect(protocol.readText(flushed)).toEqual([]);
    expect(protocol.isDone).toBe(false);
    expect(protocol.endOfText()).toEqual([]);
    expect(protocol.isDone).toBe(true);
  });

  it('drops what comes between a Clear and its answer', () => {
    const protocol = new SpeakProtocol(new ScriptedClock());
    const audio = new Uint8Array(160);
    protocol.begin();
    protocol.say('Hello.');
    expect(types(protocol.cancel())).toEqual(['Clear']);
    protocol.begin();
    protocol.say('Bye.');
    protocol.endOfText();
    expect([...protocol.readBinary(audio), ...protocol.readText(flushed)]).toEqual([]);
    expect(protocol.readText(cleared)).toEqual([]);
    expect(protocol.readBinary(audio)).toEqual([{ type: 'audio', audio }]);
    expect(protocol.readText(flushed)).toEqual([{ type: 'done' }]);
  });

  it('cuts a text that is longer than a message may be, and keeps a flush for the end', () => {
    const protocol = new SpeakProtocol(new ScriptedClock());
    protocol.begin();
    const sent = protocol.say('word '.repeat(900)).map((message) => JSON.parse(message) as { text?: string });
    const texts = sent.flatMap(({ text }) => (text === undefined ? [] : [text]));
    expect(texts).toHaveLength(3);
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(2000);
    for (let piece = 0; piece < 30; piece++) protocol.say('more');
    expect(protocol.isWorn).toBe(true);
    expect(types(protocol.endOfText())).toEqual(['Flush']);
  });

  it('counts flushes by the minute', () => {
    let now = 0;
    const budget = new FlushBudget(() => now);
    for (let flush = 0; flush < 20; flush++) budget.spend();
    expect(budget.left).toBe(0);
    now = 60_000;
    expect(budget.left).toBe(20);
  });
});
