import { L16_16K, PCMA_8K } from '@voice/shared/audio/format';
import { describe, expect, it } from 'vitest';
import { framesOf, silentFrames } from '../../../../../loadtest/emulators/recognition/synthetic-phrase.js';
import { moment } from '../../testing/moment.js';
import { eventually, plain, type RealtimeListener } from '../testing/listener.js';
import {
  BOOK,
  closeAfterEach,
  emulator,
  HOURS,
  OPEN,
  open,
  remembered,
  start,
  talking,
} from './testing/test-bench.js';

closeAfterEach();

describe('Gemini Live: who has the floor', () => {
  it("holds the caller's audio while the agent has the floor, and sends it afterwards", async () => {
    await start({ speed: 4, playSpeed: 1 });
    const listener = await open().ready();
    const answer = listener.session.respond({
      verbatim: 'This is a rather long sentence that nobody waits for.',
    });
    await eventually(() => expect(listener.audioMs(answer)).toBeGreaterThan(0));
    listener.say(framesOf(HOURS.audio));
    await moment();
    expect(emulator.counters.audioMs).toBe(0);
    expect(emulator.counters.interrupted).toBe(0);
    listener.session.cancel(answer);
    listener.silence(200);
    await eventually(() => expect(emulator.counters.interrupted).toBe(1));
    listener.session.commit();
    const response = listener.session.respond();
    await eventually(() => expect(listener.text(response)).not.toBe(''));
    await eventually(() => expect(listener.heard().concat(plain(lastHeard(listener)))).toContain(HOURS.text));
  });

  it('forgets a sound beside the answer without a trace', async () => {
    await start({ speed: 4, playSpeed: 1 });
    const listener = await open().ready();
    const answer = listener.session.respond({
      verbatim: 'This is a rather long sentence that nobody waits for.',
    });
    await eventually(() => expect(listener.audioMs(answer)).toBeGreaterThan(0));
    listener.say(framesOf(BOOK.audio));
    listener.session.discard();
    await listener.completed(answer);
    expect(emulator.counters.turns).toBe(0);
    expect(emulator.counters.audioMs).toBe(0);
  });

  it('retracts a sent turn: cuts its answer off and notes that it was noise', async () => {
    await start();
    const listener = await talking();
    listener.say(framesOf(BOOK.audio));
    listener.session.discard();
    await eventually(() => expect(remembered().join()).toContain('noise'));
    // What was understood of it is on its way.
    await moment();
    const response = listener.ask(framesOf(HOURS.audio));
    await listener.completed(response);
    expect(plain(listener.text(response))).toBe(OPEN);
    expect(listener.of('tool_call')).toEqual([]);
    expect(listener.of('response_started')).toHaveLength(2);
    await eventually(() => expect(listener.heard().map(plain)).toEqual([HOURS.text]));
  });

  it('gives an answer that came before it was asked for, whole, and drops it for new speech', async () => {
    await start();
    const listener = await talking();
    listener.say(framesOf(HOURS.audio));
    listener.silence(200);
    listener.session.commit();
    await eventually(() => expect(remembered().at(-1)).toBe(OPEN));
    await moment();
    expect(listener.of('response_started')).toHaveLength(1);
    const response = listener.session.respond();
    await listener.completed(response);
    expect(plain(listener.text(response))).toBe(OPEN);

    listener.say(framesOf(HOURS.audio));
    listener.silence(200);
    listener.session.commit();
    await eventually(() => expect(remembered().filter((text) => text === OPEN)).toHaveLength(2));
    await moment();
    const next = listener.ask(framesOf(BOOK.audio));
    await eventually(() => expect(listener.of('tool_call')).toHaveLength(1));
    expect(listener.text(next)).toBe('');
    expect(remembered().join()).toContain('heard nothing of your last answer');
  });

  it('speaks when it is asked to though nobody said a thing', async () => {
    await start();
    const listener = await talking();
    listener.session.addNote('Say that we close in ten minutes.');
    await eventually(() => expect(remembered().join()).toContain('ten minutes'));
    await listener.completed(listener.session.respond());
    expect(emulator.counters.violations).toBe(0);
  });
});

describe('Gemini Live: memory', () => {
  it('notes for the model what the caller heard of its answer', async () => {
    await start();
    const listener = await talking();
    const response = listener.ask(framesOf(HOURS.audio));
    await listener.completed(response);
    const heardMs = listener.audioMs(response) / 2;
    listener.session.truncate(response, heardMs);
    await eventually(() => expect(remembered().join()).toContain('heard only'));
    const said = emulator.memory().messages.findLast((message) => message.role === 'assistant')!.content;
    expect(OPEN.startsWith(said)).toBe(true);
    expect(said.length).toBeGreaterThan(OPEN.length / 4);
    expect(said.length).toBeLessThan((OPEN.length * 3) / 4);
  });

  it('adds no note where the caller heard all of it', async () => {
    await start();
    const listener = await talking();
    const response = listener.ask(framesOf(HOURS.audio));
    await listener.completed(response);
    listener.session.truncate(response, listener.audioMs(response));
    await listener.completed(listener.session.respond({ verbatim: 'Goodbye.' }));
    expect(remembered().join()).not.toContain('heard only');
  });
});

describe('Gemini Live: tools', () => {
  it('lets the caller speak while a tool runs, and sends its result later', async () => {
    await start();
    const listener = await talking();
    listener.ask(framesOf(BOOK.audio));
    await eventually(() => expect(listener.of('tool_call')).toHaveLength(1));
    const { call } = listener.of('tool_call')[0]!;
    const response = listener.ask(framesOf(HOURS.audio));
    await listener.completed(response);
    expect(plain(listener.text(response))).toBe(OPEN);
    listener.session.addItem({ role: 'tool_result', callId: call.id, text: '{"ok":true}' });
    await eventually(() => expect(remembered().join()).toContain('{"ok":true}'));
    expect(emulator.counters.violations).toBe(0);
  });

  it('keeps the caller from a model that breaks when it hears something while a tool runs', async () => {
    await start();
    const listener = await talking({
      choice: { provider: 'gemini', model: 'gemini-2.5-flash-native-audio-preview-12-2025', params: {} },
      turnDetection: 'provider',
    });
    for (const frame of [...framesOf(BOOK.audio), ...silentFrames(600)]) listener.session.write(frame);
    await eventually(() => expect(listener.of('tool_call')).toHaveLength(1));
    // What was said last is on its way.
    await moment();
    const before = emulator.counters.audioMs;
    listener.silence(400);
    await moment();
    expect(emulator.counters.audioMs).toBe(before);
    listener.session.addItem({
      role: 'tool_result',
      callId: listener.of('tool_call')[0]!.call.id,
      text: 'ok',
    });
    const response = listener.session.respond();
    await listener.completed(response);
    expect(plain(listener.text(response))).toBe('It is booked.');
    await eventually(() => expect(emulator.counters.audioMs).toBeGreaterThan(before));
    expect(emulator.counters.violations).toBe(0);
  });
});

describe('Gemini Live: lines and addresses', () => {
  it.each([PCMA_8K, L16_16K])('answers in the line’s format: $encoding at $sampleRate Hz', async (format) => {
    await start();
    const listener = await open({ format }).ready();
    const response = listener.session.respond({ verbatim: 'Good morning.' });
    await listener.completed(response);
    // The tone voice speaks 14 characters a second.
    expect(listener.audioMs(response)).toBeCloseTo((13 / 14) * 1000, -1);
  });

  it("sends no platform key to an agent's own address, and nothing to a forbidden one", async () => {
    await start();
    const params = { base_url: emulator.url };
    const keyless = open({
      choice: { provider: 'gemini', model: '', params },
      credentials: { api_key: 'good' },
    });
    await eventually(() => expect(keyless.of('failed')).toHaveLength(1));
    expect(keyless.of('failed')[0]!.error.code).toBe('realtime_unauthorized');
    const inside = open({
      choice: { provider: 'gemini', model: '', params: { ...params, api_key: 'own' } },
      credentials: { api_key: 'good' },
    });
    await eventually(() => expect(inside.of('failed')).toHaveLength(1));
    expect(inside.of('failed')[0]!.error).toMatchObject({ code: 'realtime_bad_request', retryable: false });
    const named = open({
      choice: {
        provider: 'gemini',
        model: '',
        params: { base_url: emulator.url.replace('127.0.0.1', 'localhost'), api_key: 'own' },
      },
      credentials: { api_key: 'good' },
    });
    await eventually(() => expect(named.of('failed')).toHaveLength(1));
    expect(emulator.counters.attempts).toBe(0);
  });
});

function lastHeard(listener: RealtimeListener): string {
  return listener.of('caller_transcript').at(-1)?.text ?? '';
}
