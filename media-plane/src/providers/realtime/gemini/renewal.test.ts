import { describe, expect, it } from 'vitest';
import { framesOf } from '../../../../../loadtest/emulators/recognition/synthetic-phrase.js';
import { moment } from '../../testing/moment.js';
import { eventually, plain, type RealtimeListener } from '../testing/listener.js';
import {
  BOOK,
  closeAfterEach,
  emulator,
  HOURS,
  OPEN,
  remembered,
  start,
  talking,
} from './testing/test-bench.js';

closeAfterEach();

describe('Gemini Live: renewal', () => {
  it('moves to another connection before one ends, unnoticed, and knows the conversation', async () => {
    await start();
    const listener = await talking();
    emulator.goAway(60_000);
    await eventually(() => expect(emulator.counters.resumed).toBe(1));
    const response = listener.ask(framesOf(HOURS.audio));
    await listener.completed(response);
    expect(plain(listener.text(response))).toBe(OPEN);
    expect(remembered()[1]).toBe('Hello, how can I help you?');
    expect(listener.of('expiring')).toEqual([]);
    expect(listener.of('failed')).toEqual([]);
    expect(listener.of('ready')).toHaveLength(1);
    expect(emulator.counters.open).toBe(1);
  });

  it('waits with it for the end of an answer', async () => {
    await start({ speed: 20, playSpeed: 20 });
    const listener = await talking();
    const response = listener.ask(framesOf(HOURS.audio));
    await eventually(() => expect(listener.audioMs(response)).toBeGreaterThan(0));
    emulator.goAway(60_000);
    await listener.completed(response);
    expect(plain(listener.text(response))).toBe(OPEN);
    await eventually(() => expect(emulator.counters.resumed).toBe(1));
    expect(remembered().slice(-2).map(plain)).toEqual([HOURS.text, OPEN]);
  });

  it('keeps what the caller says while it moves', async () => {
    await start();
    const listener = await talking();
    const answer = emulator.holdNextHandshake();
    const attempts = emulator.counters.attempts;
    emulator.goAway(60_000);
    await eventually(() => expect(emulator.counters.attempts).toBe(attempts + 1));
    const response = listener.ask(framesOf(HOURS.audio));
    answer();
    await listener.completed(response);
    expect(plain(listener.text(response))).toBe(OPEN);
    expect(listener.heard().map(plain)).toEqual([HOURS.text]);
  });

  it('resumes the session after a lost connection and repeats the unanswered turn', async () => {
    await start();
    const listener = await talking();
    emulator.faults.stallNext = 1;
    emulator.faults.afterAudioMs = 0;
    const response = listener.ask(framesOf(HOURS.audio));
    await eventually(() => expect(emulator.counters.turns).toBe(1));
    emulator.dropConnections();
    await listener.completed(response);
    expect(plain(listener.text(response))).toBe(OPEN);
    expect(emulator.counters.resumed).toBe(1);
    expect(listener.of('failed')).toEqual([]);
  });

  it('resumes the session when its connection has died unseen, which the next turn finds out', async () => {
    await start();
    const listener = await talking();
    emulator.freezeConnections();
    const response = listener.ask(framesOf(HOURS.audio));
    await listener.completed(response);
    expect(plain(listener.text(response))).toBe(OPEN);
    expect(emulator.counters.resumed).toBe(1);
    expect(listener.of('failed')).toEqual([]);
    emulator.dropConnections();
  });

  it('loses no word of a turn in which the connection is lost', async () => {
    await start();
    const listener = await talking();
    const frames = framesOf(HOURS.audio);
    listener.session.voiceActivity(true);
    for (const frame of frames.slice(0, 40)) listener.session.write(frame);
    await eventually(() => expect(emulator.counters.audioMs).toBeGreaterThan(700));
    emulator.dropConnections();
    await eventually(() => expect(emulator.counters.open).toBe(0));
    for (const frame of frames.slice(40)) listener.session.write(frame);
    listener.silence(200);
    listener.session.commit();
    const response = listener.session.respond();
    await listener.completed(response);
    expect(plain(listener.text(response))).toBe(OPEN);
    expect(listener.heard().map(plain)).toEqual([HOURS.text]);
  });

  describe('with the provider’s turn detection', () => {
    const frames = framesOf(HOURS.audio);
    const answered = async (listener: RealtimeListener) => {
      await eventually(() => expect(listener.of('end_of_turn')).toHaveLength(1));
      const { response } = listener.of('response_started').at(-1)!;
      await listener.completed(response);
      expect(plain(listener.text(response))).toBe(OPEN);
      expect(listener.heard().map(plain)).toEqual([HOURS.text]);
      expect(listener.of('failed')).toEqual([]);
    };

    it('waits for the end of what the caller says, and of the answer', async () => {
      await start();
      const listener = await talking({ turnDetection: 'provider' });
      listener.say(frames.slice(0, 40));
      emulator.goAway(60_000);
      await moment();
      expect(emulator.counters.resumed).toBe(0);
      for (const frame of frames.slice(40)) listener.session.write(frame);
      listener.silence(800);
      await answered(listener);
      await eventually(() => expect(emulator.counters.resumed).toBe(1));
      expect(remembered().slice(-2).map(plain)).toEqual([HOURS.text, OPEN]);
    });

    it('keeps what the caller says while it moves', async () => {
      await start();
      const listener = await talking({ turnDetection: 'provider' });
      const answer = emulator.holdNextHandshake();
      const { attempts } = emulator.counters;
      emulator.goAway(60_000);
      await eventually(() => expect(emulator.counters.attempts).toBe(attempts + 1));
      listener.say(frames);
      listener.silence(800);
      answer();
      await answered(listener);
    });

    it('loses no word of a turn in which the connection is lost', async () => {
      await start();
      const listener = await talking({ turnDetection: 'provider' });
      // The detector is late.
      for (const frame of frames.slice(0, 10)) listener.session.write(frame);
      listener.say(frames.slice(10, 40));
      await eventually(() => expect(emulator.counters.audioMs).toBeGreaterThan(700));
      emulator.dropConnections();
      await eventually(() => expect(emulator.counters.open).toBe(0));
      for (const frame of frames.slice(40)) listener.session.write(frame);
      listener.silence(800);
      await answered(listener);
    });

    it('repeats the unanswered turn after a lost connection', async () => {
      await start();
      const listener = await talking({ turnDetection: 'provider' });
      emulator.faults.stallNext = 1;
      emulator.faults.afterAudioMs = 0;
      listener.say(frames);
      listener.silence(800);
      await eventually(() => expect(emulator.counters.turns).toBe(1));
      emulator.dropConnections();
      await answered(listener);
      expect(emulator.counters.resumed).toBe(1);
      // What was answered is not said again.
      emulator.dropConnections();
      await eventually(() => expect(emulator.counters.resumed).toBe(2));
      await moment();
      expect(emulator.counters.turns).toBe(2);
    });
  });

  describe('with the provider’s turn detection and a model that hears nothing while a tool runs', () => {
    const choice = { provider: 'gemini', model: 'gemini-3.1-flash-live-preview', params: {} };

    it('does not say again the turn that a tool is for, and says what came during the tool', async () => {
      await start();
      const listener = await talking({ choice, turnDetection: 'provider' });
      listener.say(framesOf(BOOK.audio));
      listener.silence(800);
      await eventually(() => expect(listener.of('tool_call')).toHaveLength(1));
      listener.say(framesOf(HOURS.audio));
      emulator.dropConnections();
      await eventually(() => expect(emulator.counters.resumed).toBe(1));
      listener.silence(800);
      await eventually(() => expect(listener.of('end_of_turn')).toHaveLength(2));
      await listener.completed(listener.of('response_started').at(-1)!.response);
      // In mid-stream the emulator understands no made-up phrase: it is a turn without words.
      expect(emulator.counters).toMatchObject({ toolCalls: 1, turns: 2 });
      expect(listener.of('failed')).toEqual([]);
    });

    it('takes new tools at the next quiet moment where the caller’s sound was no turn', async () => {
      await start();
      const listener = await talking({ choice, turnDetection: 'provider' });
      // Only our detector takes it for speech.
      listener.session.voiceActivity(true);
      listener.silence(200);
      listener.session.voiceActivity(false);
      listener.session.setTools([]);
      await moment();
      expect(emulator.counters.resumed).toBe(0);
      listener.silence(10_100);
      await eventually(() => expect(emulator.counters.resumed).toBe(1));
      expect(emulator.counters.turns).toBe(0);
    });
  });

  it('fails the answer that was cut, and goes on', async () => {
    await start();
    const listener = await talking();
    emulator.faults.cutNext = 1;
    const response = listener.ask(framesOf(HOURS.audio));
    await eventually(() => expect(listener.finished(response)?.outcome).toBe('failed'));
    expect(listener.finished(response)!.error).toMatchObject({
      code: 'realtime_disconnected',
      retryable: true,
    });
    const next = listener.ask(framesOf(HOURS.audio));
    await listener.completed(next);
    expect(listener.of('failed')).toEqual([]);
  });

  it('fails, and retryably, when the service has forgotten the session', async () => {
    await start();
    const listener = await talking();
    emulator.faults.forgetHandles = true;
    emulator.dropConnections();
    await eventually(() => expect(listener.of('failed')).toHaveLength(1));
    expect(listener.of('failed')[0]!.error).toMatchObject({ code: 'realtime_disconnected', retryable: true });
  });

  it('gives up after the last attempt', async () => {
    await start();
    const listener = await talking();
    emulator.faults.refuseNext = 100;
    emulator.dropConnections();
    await eventually(() => expect(listener.of('failed')).toHaveLength(1));
    expect(listener.of('failed')[0]!.error).toMatchObject({ code: 'realtime_unavailable', retryable: true });
  });
});
