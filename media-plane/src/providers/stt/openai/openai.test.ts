import { L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type OpenAiTranscriptionEmulator,
  startOpenAiTranscriptionEmulator,
} from '../../../../../loadtest/emulators/openai-transcription/server.js';
import {
  framesOf,
  silentFrames,
  syntheticPhrase,
} from '../../../../../loadtest/emulators/recognition/synthetic-phrase.js';
import type { SttEvent, SttOptions, SttSession } from '../port.js';
import { sessionOptions } from '../testing/session-options.js';
import { TranscriptionDialect } from './dialect.js';
import { createOpenAiSpeechToText } from './openai.js';

const PHRASE = syntheticPhrase('Would Tuesday be possible?');
const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 240_000, interval: 5 });

describe('the OpenAI transcription adapter', () => {
  let emulator: OpenAiTranscriptionEmulator;
  let clock: ScriptedClock;
  let events: SttEvent[];
  const sessions: SttSession[] = [];

  beforeEach(async () => {
    emulator = await startOpenAiTranscriptionEmulator({ phrasebook: [PHRASE], apiKeys: ['platform', 'own'] });
    clock = new ScriptedClock();
    events = [];
  });
  afterEach(async () => {
    for (const session of sessions.splice(0)) session.close();
    await emulator.close();
  });

  function open(
    model: string,
    params: Record<string, unknown> = {},
    change: Partial<SttOptions> = {},
    egress: readonly string[] = ['127.0.0.0/8'],
  ): SttSession {
    const session = createOpenAiSpeechToText({
      egress: createAddressPolicy([...egress]),
      random: () => 0,
    }).open(
      sessionOptions(
        {
          choice: { provider: 'openai', model, params },
          credentials: { api_key: 'platform', base_url: emulator.baseUrl },
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
    for (const frame of [...framesOf(PHRASE.audio), ...silentFrames(600)]) session.write(frame);
  };
  const finals = () => events.filter((event) => event.type === 'transcript' && event.final);

  it('ends what was said where our own detector does, and not again', async () => {
    const session = open('');
    say(session);
    await until(() => expect(events.some(({ type }) => type === 'transcript')).toBe(true));
    session.finalize();
    await until(() => expect(finals()).toMatchObject([{ text: PHRASE.text }]));
    session.finalize();
    clock.advance(2000);
    expect(emulator.counters).toMatchObject({ finalizes: 1, violations: 0 });
  });

  it('ends it when no more text comes, where our own detector finds no end', async () => {
    const session = open('gpt-realtime-whisper', { delay: 'low' });
    say(session);
    await until(() => expect(events.at(-1)).toMatchObject({ text: PHRASE.text, final: false }));
    clock.advance(700);
    await until(() => expect(finals()).toMatchObject([{ text: PHRASE.text }]));
  });

  it('has the service find the ends of turns for a model that does not stream', async () => {
    const session = open('gpt-4o-transcribe', { vad_threshold: 0.6, noise_reduction: 'near_field' });
    say(session);
    await until(() => expect(events.at(-1)).toMatchObject({ type: 'end_of_turn', decided: false }));
    expect(events.map(({ type }) => type)).toEqual([
      'speech_started',
      'transcript',
      'transcript',
      'end_of_turn',
    ]);
    expect(finals()).toMatchObject([{ text: PHRASE.text, startMs: 0, endMs: PHRASE.words.at(-1)!.endMs }]);
    session.finalize();
    expect(emulator.counters).toMatchObject({ finalizes: 0, violations: 0 });
    expect([session, open('')].map(({ writesAtEnd }) => writesAtEnd === true)).toEqual([true, false]);
  });

  it('gives words to expect to the models that take them, and linear audio at 24 kHz', async () => {
    const session = open('', { prompt: 'A dental practice.' }, { format: L16_16K, keyterms: ['Vitaphone'] });
    session.write(new Uint8Array(640));
    session.finalize();
    for (let frame = 0; frame < 3; frame++) session.write(new Uint8Array(640).fill(64));
    await until(() => expect(emulator.counters.audioBytes).toBeGreaterThan(0));
    expect(emulator.counters.violations).toBe(0);
  });

  it('fails for good when the service refuses the session', async () => {
    open('gpt-4o-transcribe-diarize');
    await until(() => expect(events).toHaveLength(1));
    expect(events[0]).toMatchObject({ type: 'failed', error: { code: 'stt_bad_request', retryable: false } });
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['where its session expires', { expireNext: 1 }],
    ['after a failure of the service, and garbage', { errorNext: 1, garbageNext: 1 }],
  ])('goes on %s, with what was said over it', async (_what, faults) => {
    Object.assign(emulator.faults, faults);
    const session = open('');
    say(session);
    await until(() => expect(emulator.counters.open).toBe(0));
    await until(() => expect(clock.pending).toBeGreaterThan(0));
    clock.advance(100);
    await until(() => expect(events.at(-1)).toMatchObject({ text: PHRASE.text }));
    expect(emulator.counters.connections).toBe(2);
  });

  it("never sends the platform's key to an address that an agent names, nor follows it into a private network", async () => {
    const elsewhere = { credentials: { api_key: 'platform' } };
    open('', { base_url: emulator.baseUrl }, elsewhere);
    clock.advance(0);
    await until(() => expect(events.at(-1)).toMatchObject({ error: { code: 'stt_unauthorized' } }));
    open('', { base_url: emulator.baseUrl, api_key: 'own' }, elsewhere, []);
    clock.advance(0);
    await until(() => expect(events.at(-1)).toMatchObject({ error: { code: 'stt_bad_request' } }));
    expect(emulator.counters).toMatchObject({ connections: 0, refused: 0 });
  });

  it.each<[string, Record<string, unknown>, SttOptions['credentials']]>([
    ['a key of the agent', { base_url: 'http://127.0.0.1', api_key: 'key\n2' }, {}],
    ['an address of the agent', { base_url: 'http://127.0.0.1/v1#top', api_key: 'own' }, {}],
    ['a key of the account', {}, { api_key: 'key\u200b' }],
    ['an address of the account', {}, { api_key: 'platform', base_url: 'http://127.0.0.1/v1#top' }],
  ])('fails once, and does not throw, for %s that no request can carry', async (_, params, credentials) => {
    open('', params, { credentials });
    clock.advance(0);
    await until(() => expect(events).toHaveLength(1));
    expect(events).toMatchObject([{ type: 'failed', error: { code: 'stt_bad_request', retryable: false } }]);
    expect(clock.pending).toBe(0);
  });

  it('refuses settings that the API does not have, before it connects', async () => {
    open('', { delay: 'forever' });
    clock.advance(0);
    expect(events).toMatchObject([{ type: 'failed', error: { code: 'stt_bad_request' } }]);
    expect(emulator.counters.connections).toBe(0);
  });
});

describe('the dialect of a transcription session', () => {
  const dialect = () => new TranscriptionDialect({ format: PCMU_8K, configuration: {}, findsTurns: false });
  const error = (code: string, type: string) => ({ type: 'error', error: { type, code, message: '' } });

  it('keeps of a turn what a person could say, and no more turns than a call has', () => {
    const own = dialect();
    const said = (type: string, item_id: string, more: object) =>
      own.decode({ type: `conversation.item.input_audio_transcription.${type}`, item_id, ...more });
    for (let n = 0; n < 10; n++) said('delta', 'long', { delta: 'x'.repeat(9000) });
    expect(said('delta', 'long', { delta: 'x' })).toMatchObject([{ text: 'x'.repeat(20_000) }]);
    for (let n = 0; n < 200; n++) said('delta', `item ${n}`, { delta: 'x' });
    expect(said('delta', 'long', { delta: 'again' })).toMatchObject([{ text: 'again' }]);
  });

  it('commits nothing while nothing was said', () => {
    const one = dialect();
    for (const frame of silentFrames(400)) one.encode(frame);
    expect(one.finalize()).toBeUndefined();
  });

  it('places an item where somebody was heard, and settles the audio up to its commit', () => {
    const one = dialect();
    for (const frame of [...silentFrames(200), ...framesOf(PHRASE.audio), ...silentFrames(300)])
      one.encode(frame);
    expect(one.finalize()).toContain('commit');
    one.decode({ type: 'input_audio_buffer.committed', item_id: 'a' });
    const completed = { type: 'conversation.item.input_audio_transcription.completed', item_id: 'a' };
    const endMs = PHRASE.audio.length / 8 + 200;
    expect(one.decode({ ...completed, transcript: PHRASE.text })).toMatchObject([
      { type: 'transcript', final: true, startMs: 200, endMs },
      { type: 'settled', beforeMs: endMs + 300, fromFinalize: true },
    ]);
  });

  it('places an item behind a commit that was refused where it was heard', () => {
    const one = dialect();
    for (const frame of framesOf(PHRASE.audio.subarray(0, 80 * 8))) one.encode(frame);
    expect(one.finalize()).toContain('commit');
    for (const frame of [...silentFrames(200), ...framesOf(PHRASE.audio)]) one.encode(frame);
    expect(one.finalize()).toContain('commit');
    one.decode(error('input_audio_buffer_commit_empty', 'invalid_request_error'));
    one.decode({ type: 'input_audio_buffer.committed', item_id: 'a' });
    const completed = { type: 'conversation.item.input_audio_transcription.completed', item_id: 'a' };
    const endMs = 280 + PHRASE.audio.length / 8;
    expect(one.decode({ ...completed, transcript: PHRASE.text })).toMatchObject([
      { type: 'transcript', final: true, startMs: 280, endMs },
      { type: 'settled', beforeMs: endMs, fromFinalize: true },
    ]);
  });

  it('keeps the audio of an item that could not be transcribed, and fails at the second in a row', () => {
    const one = dialect();
    const of = (type: string, more: object) =>
      one.decode({ type: `conversation.item.input_audio_transcription.${type}`, item_id: 'a', ...more });
    const failed = { error: { code: 'server_error', message: 'no' } };
    expect(of('failed', failed)).toEqual([{ type: 'provider_error', code: 'server_error', message: 'no' }]);
    of('completed', { transcript: '' });
    expect(of('failed', failed)).toMatchObject([{ type: 'provider_error' }]);
    expect(of('failed', failed)).toMatchObject([
      { type: 'provider_error' },
      { type: 'failed', error: { code: 'stt_unavailable', retryable: true } },
    ]);
  });

  it.each([
    ['insufficient_quota', 'stt_rate_limited'],
    ['invalid_api_key', 'stt_unauthorized'],
  ])('fails at once, and for good, where an item was not transcribed for %s', (code, expected) => {
    const type = 'conversation.item.input_audio_transcription.failed';
    expect(dialect().decode({ type, item_id: 'a', error: { code, message: '' } })).toMatchObject([
      { type: 'provider_error', code },
      { type: 'failed', error: { code: expected, retryable: false } },
    ]);
  });

  it('goes on, however often an item is a noise that cannot be understood', () => {
    const subject = dialect();
    const failed = (code: string, id: string) =>
      subject.decode({
        type: 'conversation.item.input_audio_transcription.failed',
        item_id: id,
        error: { code, message: '' },
      });
    for (let noise = 0; noise < 5; noise++) {
      expect(failed('audio_unintelligible', `${noise}`)).toMatchObject([
        { type: 'provider_error', code: 'audio_unintelligible' },
        { type: 'settled' },
      ]);
    }
    expect(failed('server_error', 'a')).toMatchObject([{ type: 'provider_error' }]);
  });

  it('leaves a session that has expired to the close that follows', () => {
    expect(dialect().decode(error('session_expired', 'invalid_request_error'))).toEqual([
      { type: 'provider_error', code: 'session_expired', message: '' },
    ]);
  });

  it('bears a commit that was too short, and other reports', () => {
    expect(dialect().decode(error('input_audio_buffer_commit_empty', 'invalid_request_error'))).toEqual([]);
    expect(dialect().decode(error('rate_limit_exceeded', 'server_error'))).toMatchObject([
      { type: 'provider_error' },
    ]);
    expect(dialect().decode(error('invalid_api_key', 'invalid_request_error'))).toMatchObject([
      { type: 'provider_error' },
      { type: 'failed', error: { code: 'stt_unauthorized' } },
    ]);
    expect(dialect().decode({ type: 'rate_limits.updated' })).toEqual([]);
  });
});
