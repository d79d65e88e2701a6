import { type AudioFormat, L16_16K, L16_24K, PCMA_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type DeepgramEmulator,
  startDeepgramEmulator,
} from '../../../../../loadtest/emulators/deepgram/server.js';
import {
  framesOf,
  silentFrames,
  syntheticPhrase,
} from '../../../../../loadtest/emulators/recognition/synthetic-phrase.js';
import { backoffMs } from '../../backoff.js';
import type { SttEvent, SttOptions } from '../port.js';
import { sessionOptions } from '../testing/session-options.js';
import { createDeepgramSpeechToText } from './deepgram.js';
import { flux } from './flux.js';
import { nova } from './nova.js';

const PHRASE = syntheticPhrase('I would like to come on Tuesday.');
const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 240_000, interval: 5 });

describe('the Deepgram adapter', () => {
  let emulator: DeepgramEmulator;
  let clock: ScriptedClock;
  let events: SttEvent[];

  beforeEach(async () => {
    emulator = await startDeepgramEmulator({
      phrasebook: [PHRASE],
      delays: { speechStartedDelayMs: 0, interimDelayMs: 0, finalDelayMs: 0 },
    });
    clock = new ScriptedClock();
    events = [];
  });

  afterEach(() => emulator.close());

  function options(change: Partial<SttOptions> = {}): SttOptions {
    return sessionOptions(
      {
        choice: { provider: 'deepgram', model: 'nova-3', params: {} },
        credentials: { api_key: 'key', base_url: emulator.url },
        clock,
        events,
      },
      change,
    );
  }

  function open(change: Partial<SttOptions> = {}) {
    return createDeepgramSpeechToText({ random: () => 0 }).open(options(change));
  }

  const texts = () =>
    events.flatMap((event) => (event.type === 'transcript' && event.final ? [event.text] : []));

  it('keeps a silent connection open by a KeepAlive every four seconds, and only then', async () => {
    const session = open();
    await until(() => expect(clock.pending).toBe(1));
    clock.advance(3900);
    for (const frame of silentFrames(120)) session.write(frame);
    clock.advance(3900);
    await until(() => expect(emulator.counters.audioBytes).toBe(960));
    expect(emulator.counters.keepAlives).toBe(0);
    clock.advance(200);
    await until(() => expect(emulator.counters.keepAlives).toBe(1));
    clock.advance(8000);
    await until(() => expect(emulator.counters.keepAlives).toBe(3));
    session.close();
    expect(clock.pending).toBe(0);
    expect(emulator.counters.violations).toBe(0);
  });

  it('sends six frames a message, and the rest at a finalize or at the end', async () => {
    const session = open();
    await until(() => expect(clock.pending).toBe(1));
    for (const frame of silentFrames(260)) session.write(frame);
    await until(() => expect(emulator.counters).toMatchObject({ audioBytes: 1920, audioMessages: 2 }));
    session.finalize();
    await until(() => expect(emulator.counters).toMatchObject({ audioBytes: 2080, audioMessages: 3 }));
    for (const frame of silentFrames(20)) session.write(frame);
    session.close();
    await until(() => expect(emulator.counters).toMatchObject({ audioBytes: 2240, closeStreams: 1 }));
    expect(session.audioMs).toBe(280);
  });

  it('sends twice as many once the caller has been silent for 1.5 s, until they speak', async () => {
    const session = open();
    await until(() => expect(clock.pending).toBe(1));
    const sent = async (audioMs: number, audioMessages: number) =>
      until(() => expect(emulator.counters).toMatchObject({ audioBytes: audioMs * 8, audioMessages }));
    for (const frame of silentFrames(2180)) session.write(frame);
    await sent(13 * 120 + 2 * 240, 15);
    session.voiceActivity(true, 2100);
    await sent(2180, 16);
    for (const frame of silentFrames(2400)) session.write(frame);
    await sent(2180 + 20 * 120, 36);
    session.voiceActivity(false, 4400);
    for (const frame of silentFrames(1560 + 240)) session.write(frame);
    await sent(4580 + 13 * 120 + 240, 50);
    session.close();
  });

  it('says goodbye by CloseStream', async () => {
    const session = open();
    await until(() => expect(emulator.counters.open).toBe(1));
    await until(() => expect(clock.pending).toBe(1));
    session.close();
    await until(() => expect(emulator.counters).toMatchObject({ open: 0, closeStreams: 1, violations: 0 }));
  });

  it('waits longer before each reconnection, up to a limit', async () => {
    const waits = [1, 2, 3, 4, 5, 6].map((failures) => {
      return backoffMs({ firstMs: 100, maxMs: 1000, maxFailures: 9 }, failures, 0);
    });
    expect(waits).toEqual([100, 200, 400, 800, 1000, 1000]);
    expect(backoffMs({ firstMs: 100, maxMs: 1000, maxFailures: 9 }, 1, 1)).toBe(75);
    emulator.faults.refuseNext = Number.POSITIVE_INFINITY;
    const session = open();
    for (const [index, waitMs] of [100, 200, 400, 800].entries()) {
      await until(() => expect(emulator.counters.refused).toBe(index + 1));
      await until(() => expect(clock.pending).toBe(1));
      clock.advance(waitMs - 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(emulator.counters.refused).toBe(index + 1);
      clock.advance(1);
    }
    await until(() => expect(events).toMatchObject([{ type: 'failed', error: { code: 'stt_unavailable' } }]));
    session.close();
  });

  it('asks again for the final that a torn connection still owed', async () => {
    const session = open();
    for (const frame of framesOf(PHRASE.audio)) session.write(frame);
    await until(() => expect(events.length).toBeGreaterThan(0));
    emulator.faults.mute = true;
    session.finalize();
    await until(() => expect(emulator.counters.finalizes).toBe(1));
    emulator.faults.mute = false;
    emulator.dropConnections();
    await until(() => {
      clock.advance(100);
      expect(texts()).toEqual([PHRASE.text]);
    });
    expect(emulator.counters.finalizes).toBe(2);
    session.close();
  });

  it('keeps the last ten seconds of a long outage, and the clock of the call', async () => {
    emulator.faults.refuseNext = 1;
    const session = open();
    await until(() => expect(emulator.counters.refused).toBe(1));
    await until(() => expect(clock.pending).toBe(1));
    for (const frame of silentFrames(20_000)) session.write(frame);
    for (const frame of framesOf(PHRASE.audio)) session.write(frame);
    clock.advance(100);
    await until(() => expect(emulator.counters.audioBytes).toBe(80_000));
    session.finalize();
    await until(() => expect(texts()).toEqual([PHRASE.text]));
    const said = events.find((event) => event.type === 'transcript' && event.final);
    expect(said).toMatchObject({ startMs: 20_000, endMs: 20_000 + PHRASE.audio.length / 8 });
    expect(session.audioMs).toBe(10_000);
    session.close();
  });

  it('does not try again what the provider calls wrong', async () => {
    open({ language: 'Klingon' });
    await until(() =>
      expect(events).toMatchObject([{ error: { code: 'stt_bad_request', retryable: false } }]),
    );
    expect(emulator.counters.refused).toBe(1);
  });

  it('refuses settings that are out of range before it connects', async () => {
    open({ choice: { provider: 'deepgram', model: 'nova-3', params: { utterance_end_ms: 10 } } });
    clock.advance(0);
    expect(events).toMatchObject([
      { error: { code: 'stt_bad_request', message: expect.stringContaining('utterance_end_ms') } },
    ]);
    expect(emulator.counters.refused).toBe(0);
  });

  describe('asks Nova', () => {
    it('for mu-law as it comes, interims, and ends by the silence that the agent wants', () => {
      const query = Object.fromEntries(nova.query(options({ keyterms: ['Vitaphone'] })));
      expect(query).toMatchObject({
        model: 'nova-3',
        language: 'en-US',
        encoding: 'mulaw',
        sample_rate: '8000',
        interim_results: 'true',
        endpointing: '300',
        utterance_end_ms: '1000',
        vad_events: 'true',
        keyterm: 'Vitaphone',
      });
    });

    it.each<[AudioFormat, object]>([
      [PCMA_8K, { encoding: 'alaw', sample_rate: '8000' }],
      [L16_16K, { encoding: 'linear16', sample_rate: '16000' }],
      [L16_24K, { encoding: 'linear16', sample_rate: '24000' }],
    ])('for %o as it comes', (format, expected) => {
      expect(Object.fromEntries(nova.query(options({ format })))).toMatchObject(expected);
      const model = { provider: 'deepgram', model: 'flux', params: {} };
      expect(Object.fromEntries(flux.query(options({ format, choice: model })))).toMatchObject(expected);
    });

    it('for a language that it knows: with its region only where that is known, too', () => {
      const asked = ['en-US', 'de-DE', 'de-CH', 'es-MX', 'es-419'].map((language) => {
        return nova.query(options({ language })).get('language');
      });
      expect(asked).toEqual(['en-US', 'de', 'de-CH', 'es', 'es-419']);
    });

    it('by its own code for a language that has several', () => {
      const asked = ['nb-NO', 'nn-NO', 'no', 'fil-PH', 'tl', 'yue-HK', 'yue'].map((language) => {
        return nova.query(options({ language })).get('language');
      });
      expect(asked).toEqual(['no', 'no', 'no', 'tl', 'tl', 'zh-HK', 'zh-HK']);
    });

    it('and reads speech_final and UtteranceEnd as opinions that the turn is over', () => {
      const results = {
        type: 'Results',
        start: 1,
        duration: 2,
        is_final: true,
        speech_final: true,
        channel: {
          alternatives: [{ transcript: 'Hello.', confidence: 0.9, words: [{ start: 1.2, end: 1.6 }] }],
        },
      };
      expect(nova.decode(results)).toEqual([
        { type: 'transcript', text: 'Hello.', final: true, confidence: 0.9, startMs: 1200, endMs: 1600 },
        { type: 'settled', beforeMs: 3000, fromFinalize: false },
        { type: 'end_of_turn', decided: false, confidence: 0.5 },
      ]);
      expect(nova.decode({ type: 'UtteranceEnd', last_word_end: 1.6 })).toEqual([
        { type: 'end_of_turn', decided: false, confidence: 0.8 },
      ]);
      expect(nova.decode({ type: 'Novelty' })).toEqual([]);
      expect(nova.decode('noise')).toEqual([]);
    });
  });

  describe('asks Flux', () => {
    const choice = {
      provider: 'deepgram',
      model: 'flux',
      params: { eot_threshold: 0.6, eager_eot_threshold: 0.8 },
    };

    it('for eager ends no later than ends', () => {
      const query = Object.fromEntries(flux.query(options({ choice })));
      expect(query).toMatchObject({
        model: 'flux-general-en',
        eot_threshold: '0.6',
        eager_eot_threshold: '0.6',
        eot_timeout_ms: '5000',
      });
      const off = { ...choice, params: { eager_eot_threshold: null } };
      expect(flux.query(options({ choice: off })).has('eager_eot_threshold')).toBe(false);
    });

    it('and reports eager ends, resumed turns and ends', async () => {
      const session = open({ choice: { ...choice, params: {} } });
      const frames = framesOf(PHRASE.audio);
      const said = [...frames.slice(0, 27), ...silentFrames(320), ...frames, ...silentFrames(600)];
      for (const frame of said) session.write(frame);
      await until(() => expect(events.some((event) => event.type === 'end_of_turn')).toBe(true));
      const order = events.map((event) => event.type).filter((type) => type !== 'transcript');
      expect(order).toEqual([
        'speech_started',
        'eager_end_of_turn',
        'turn_resumed',
        'eager_end_of_turn',
        'end_of_turn',
      ]);
      expect(events.at(-1)).toMatchObject({ decided: true, confidence: 1, text: `I would ${PHRASE.text}` });
      session.close();
      await until(() => expect(emulator.counters).toMatchObject({ open: 0, violations: 0 }));
    });
  });
});
