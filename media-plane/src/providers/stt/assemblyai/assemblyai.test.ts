import { PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type AssemblyAiEmulator,
  startAssemblyAiEmulator,
} from '../../../../../loadtest/emulators/assemblyai/server.js';
import {
  framesOf,
  silentFrames,
  syntheticPhrase,
} from '../../../../../loadtest/emulators/recognition/synthetic-phrase.js';
import type { SttEvent, SttOptions, SttSession } from '../port.js';
import { sessionOptions } from '../testing/session-options.js';
import { createAssemblyAiSpeechToText } from './assemblyai.js';
import { AssemblyAiDialect } from './dialect.js';
import { errorOfEnd } from './errors.js';

const PHRASE = syntheticPhrase('Would Tuesday be possible?');
const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 240_000, interval: 5 });

describe('the AssemblyAI adapter', () => {
  let emulator: AssemblyAiEmulator;
  let clock: ScriptedClock;
  let events: SttEvent[];
  const sessions: SttSession[] = [];

  beforeEach(async () => {
    emulator = await startAssemblyAiEmulator({ phrasebook: [PHRASE] });
    clock = new ScriptedClock();
    events = [];
  });
  afterEach(async () => {
    for (const session of sessions.splice(0)) session.close();
    await emulator.close();
  });

  function open(params: Record<string, unknown> = {}, change: Partial<SttOptions> = {}): SttSession {
    const session = createAssemblyAiSpeechToText({ random: () => 0 }).open(
      sessionOptions(
        {
          choice: { provider: 'assemblyai', model: '', params },
          credentials: { api_key: 'key', base_url: emulator.url },
          clock,
          events,
        },
        change,
      ),
    );
    sessions.push(session);
    return session;
  }
  const say = (session: SttSession) => {
    for (const frame of [...framesOf(PHRASE.audio), ...silentFrames(1500)]) session.write(frame);
  };

  it('passes on settings, the words to expect and a model of the language', async () => {
    open(
      {
        end_of_turn_confidence_threshold: 0.7,
        min_turn_silence: 300,
        max_turn_silence: 900,
        format_turns: false,
      },
      { language: 'de-DE', format: PCMA_8K, keyterms: ['Vitaphone', 'x'.repeat(51)] },
    );
    await until(() => expect(emulator.queries).toHaveLength(1));
    expect(emulator.queries[0]).toMatchObject({
      speech_model: 'universal-streaming-multilingual',
      encoding: 'pcm_mulaw',
      sample_rate: 8000,
      format_turns: false,
      end_of_turn_confidence_threshold: 0.7,
      min_turn_silence: 300,
      max_turn_silence: 900,
      keyterms_prompt: ['Vitaphone'],
    });
  });

  it('reports a turn that the service has decided is over, with the formatted text', async () => {
    say(open());
    await until(() => expect(events.at(-1)?.type).toBe('end_of_turn'));
    expect(events.at(-1)).toMatchObject({ decided: true, text: PHRASE.text });
    expect(events.filter((event) => event.type === 'transcript' && event.final)).toHaveLength(1);
  });

  it('takes the turn as it is spoken where formatting is off', async () => {
    say(open({ format_turns: false }));
    await until(() => expect(events.at(-1)?.type).toBe('end_of_turn'));
    expect(events.at(-1)).toMatchObject({ text: 'would tuesday be possible' });
  });

  it('ends the session as the service wants it, with no message that is too short', async () => {
    const session = open();
    for (const frame of framesOf(PHRASE.audio).slice(0, 4)) session.write(frame);
    await until(() => expect(emulator.counters.audioMessages).toBe(1));
    session.close();
    await until(() => expect(emulator.counters).toMatchObject({ open: 0, closed: 1, violations: 0 }));
  });

  it('goes on after a failure of the service and garbage', async () => {
    emulator.faults.errorNext = 1;
    emulator.faults.garbageNext = 1;
    const session = open();
    say(session);
    await until(() => expect(emulator.counters.open).toBe(0));
    await until(() => expect(clock.pending).toBeGreaterThan(0));
    clock.advance(100);
    await until(() => expect(events.at(-1)?.type).toBe('end_of_turn'));
    expect(emulator.counters.connections).toBe(2);
  });

  it('tries again, later, when the service has no room', async () => {
    Object.assign(emulator.faults, { refuseNext: 1, refuseStatus: 429, retryAfterSeconds: 1 });
    say(open());
    await until(() => expect(emulator.counters.refused).toBe(1));
    await until(() => expect(clock.pending).toBeGreaterThan(0));
    clock.advance(100);
    await until(() => expect(events.at(-1)?.type).toBe('end_of_turn'));
  });

  it('refuses settings that are out of range before it connects', () => {
    open({ end_of_turn_confidence_threshold: 3 });
    clock.advance(0);
    expect(events).toMatchObject([{ type: 'failed', error: { code: 'stt_bad_request', retryable: false } }]);
    expect(emulator.counters.connections).toBe(0);
  });
});

describe('the dialect of streaming v3', () => {
  const dialect = new AssemblyAiDialect({ format: PCMU_8K, formatsTurns: true, threshold: 0.4 });
  const word = { text: 'hi', start: 1920, end: 2000, confidence: 0.8 };
  const turn = { type: 'Turn', end_of_turn: false, transcript: '', end_of_turn_confidence: 0, words: [word] };

  it('shows words before they are final', () => {
    expect(dialect.decode(turn)).toEqual([
      { type: 'transcript', text: 'hi', final: false, confidence: 0.8, startMs: 1920, endMs: 2000 },
    ]);
    expect(dialect.decode({ ...turn, words: [] })).toEqual([]);
  });

  it('takes an end of which the service is not sure for silence', () => {
    const over = { ...turn, end_of_turn: true, turn_is_formatted: true, transcript: 'Hi.' };
    const decided = (confidence: number) =>
      dialect
        .decode({ ...over, end_of_turn_confidence: confidence })
        .find(({ type }) => type === 'end_of_turn');
    expect(decided(0.9)).toMatchObject({ decided: true, confidence: 0.9 });
    expect(decided(0.1)).toMatchObject({ decided: false, confidence: 0.1 });
  });

  it('ignores what it does not know', () => {
    expect(dialect.decode({ type: 'Weather' })).toEqual([]);
    expect(dialect.decode({ type: 'Begin', id: 'a', expires_at: 1 })).toEqual([]);
  });

  it.each([
    [1008, 'Unauthorized Connection', 'stt_unauthorized', false],
    [1008, 'Too many concurrent sessions', 'stt_rate_limited', true],
    [3005, 'Server error', 'stt_unavailable', true],
    [3007, 'Input Duration Violation', 'stt_bad_request', false],
    [3008, 'Session Expired', 'stt_disconnected', true],
    [3009, 'Too many concurrent sessions', 'stt_rate_limited', true],
  ])('closed with %s (%s) fails with %s', (closeCode, reason, code, retryable) => {
    expect(errorOfEnd({ opened: true, closeCode, reason })).toMatchObject({ code, retryable });
  });
});
