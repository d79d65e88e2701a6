import { L16_8K, L16_24K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { decodeMulaw, encodeAlaw } from '@voice/shared/audio/g711';
import { resample } from '@voice/shared/audio/resample';
import { systemClock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenAiRealtimeEmulator } from '../../../../../loadtest/emulators/openai-realtime/emulator.js';
import { startOpenAiRealtimeEmulator } from '../../../../../loadtest/emulators/openai-realtime/server.js';
import {
  framesOf,
  silentFrames,
  syntheticPhrase,
} from '../../../../../loadtest/emulators/recognition/synthetic-phrase.js';
import type { RealtimeEvent, RealtimeOptions } from '../port.js';
import { eventually, RealtimeListener } from '../testing/listener.js';
import { CallerAudio } from './caller-audio.js';
import { errorOfEnd, errorOfReport } from './errors.js';
import { createOpenAiRealtime } from './openai.js';

const HOURS = syntheticPhrase('When are you open?');
const ANSWER = 'We are open from nine to five, Monday to Friday.';

let emulator: OpenAiRealtimeEmulator;
beforeEach(async () => {
  emulator = await startOpenAiRealtimeEmulator({
    apiKeys: ['good', 'own'],
    phrasebook: [HOURS],
    script: [{ whenUserSays: /open/, say: ANSWER }],
  });
});
afterEach(() => emulator.close());

function open(overrides: Partial<RealtimeOptions> = {}, allow: readonly string[] = ['127.0.0.0/8']) {
  const events: RealtimeEvent[] = [];
  const options: RealtimeOptions = {
    choice: { provider: 'openai', model: '', params: {} },
    credentials: { api_key: 'good', base_url: emulator.baseUrl },
    instructions: 'You are a receptionist.',
    language: 'en-US',
    tools: [],
    format: PCMU_8K,
    turnDetection: 'ours',
    history: [],
    clock: systemClock,
    log: silentLog,
    onEvent: (event) => events.push(event),
    ...overrides,
  };
  const session = createOpenAiRealtime({ egress: createAddressPolicy(allow) }).open(options);
  return new RealtimeListener(session, events, options.format);
}
const choosing = (params: Record<string, unknown>) => ({ choice: { provider: 'openai', model: '', params } });
const failure = async (listener: RealtimeListener) => {
  await eventually(() => expect(listener.of('failed')).toHaveLength(1));
  return listener.of('failed')[0]!.error;
};

describe('where a session connects to', () => {
  it('goes to an address that the agent names with the agent key, never with the platform key', async () => {
    const credentials = { api_key: 'good' };
    const own = open({ ...choosing({ base_url: emulator.baseUrl, api_key: 'own' }), credentials });
    await own.ready();
    own.session.close();
    const keyless = await failure(open({ ...choosing({ base_url: emulator.baseUrl }), credentials }));
    expect(keyless).toMatchObject({ code: 'realtime_unauthorized', retryable: false });
  });

  it('reaches no address that the egress policy forbids', async () => {
    const params = { base_url: emulator.baseUrl, api_key: 'own' };
    const written = await failure(open({ ...choosing(params), credentials: {} }, []));
    expect(written).toMatchObject({ code: 'realtime_bad_request', retryable: false });
    const named = { ...params, base_url: emulator.baseUrl.replace('127.0.0.1', 'localhost') };
    await failure(open({ ...choosing(named), credentials: {} }, []));
    expect(emulator.counters.attempts).toBe(0);
  });

  it('wants a key for the vendor itself', async () => {
    expect(await failure(open({ credentials: {} }))).toMatchObject({ code: 'realtime_unauthorized' });
  });
});

describe('what the caller says', () => {
  it('goes up in chunks of 80 ms, and not at all while nobody speaks', async () => {
    const listener = await open().ready();
    await listener.completed(listener.ask(framesOf(HOURS.audio)));
    const { appends, audioMs } = emulator.counters;
    expect(audioMs / appends).toBeGreaterThan(60);
    listener.silence(30_000);
    await listener.completed(listener.ask(framesOf(HOURS.audio)));
    const second = emulator.counters.audioMs - audioMs;
    expect(second).toBeLessThanOrEqual(audioMs + 1000);
    expect(listener.session.audioMs).toBeGreaterThanOrEqual(emulator.counters.audioMs);
    expect(emulator.counters.errors).toBe(0);
    listener.session.close();
  });

  it('is not lost when the turn is over while they still speak', async () => {
    const listener = await open().ready();
    const frames = framesOf(HOURS.audio);
    listener.session.voiceActivity(true);
    for (const frame of silentFrames(400)) listener.session.write(frame);
    listener.session.commit();
    for (const frame of [...frames, ...silentFrames(1500)]) listener.session.write(frame);
    listener.session.commit();
    await listener.completed(listener.session.respond());
    expect(emulator.memory().map(({ understood }) => understood)).toEqual(['', HOURS.text, ANSWER]);
    listener.session.close();
  });

  it('is a turn even when it is shorter than the service takes, and none when it is nothing', async () => {
    const listener = await open().ready();
    listener.session.commit();
    listener.say(silentFrames(40));
    listener.session.commit();
    await eventually(() => expect(emulator.memory()).toHaveLength(1));
    expect(emulator.memory()[0]!.audioMs).toBe(100);
    expect(emulator.counters.errors).toBe(0);
    listener.session.close();
  });

  it('passes A-law through both ways', async () => {
    const listener = await open({ format: PCMA_8K }).ready();
    const frames = framesOf(HOURS.audio).map((frame) => encodeAlaw(decodeMulaw(frame)));
    const response = listener.ask(frames);
    await listener.completed(response);
    expect(listener.text(response).trim()).toBe(ANSWER);
    expect(listener.audioMs(response)).toBeCloseTo(emulator.memory().at(-1)!.audioMs, 0);
    listener.session.close();
  });

  it('passes 24 kHz through both ways', async () => {
    const listener = await open({ format: L16_24K }).ready();
    const samples = resample(decodeMulaw(HOURS.audio), 8000, 24_000);
    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    const frames = Array.from({ length: bytes.length / 960 }, (_, n) =>
      bytes.subarray(n * 960, (n + 1) * 960),
    );
    const response = listener.ask(frames);
    await listener.completed(response);
    expect(listener.text(response).trim()).toBe(ANSWER);
    expect(listener.audioMs(response)).toBeCloseTo(emulator.memory().at(-1)!.audioMs, 0);
    listener.session.close();
  });

  it('is final without words when it cannot be written down', async () => {
    emulator.faults.failTranscriptionNext = 1;
    const listener = await open().ready();
    listener.ask(framesOf(HOURS.audio));
    await eventually(() => expect(listener.of('caller_transcript')).toHaveLength(1));
    expect(listener.of('caller_transcript')[0]).toMatchObject({ text: '', final: true });
    listener.session.close();
  });

  it('is billed apart from the responses', async () => {
    const listener = await open().ready();
    await listener.completed(listener.ask(framesOf(HOURS.audio)));
    await eventually(() =>
      expect(
        listener
          .of('usage')
          .map(({ of }) => of)
          .sort(),
      ).toEqual(['response', 'transcription']),
    );
    const { usage } = listener.of('usage').find(({ of }) => of === 'transcription')!;
    expect(usage).toMatchObject({ outputAudioTokens: 0, cachedAudioTokens: 0 });
    expect(usage.inputAudioTokens).toBeGreaterThan(0);
    listener.session.close();
  });

  it('is raised to 24 kHz from a line of 8 kHz, without a sample lost', () => {
    const sent: Buffer[] = [];
    const audio = new CallerAudio({
      format: L16_8K,
      holdsSilence: false,
      send: (base64) => sent.push(Buffer.from(base64, 'base64')),
    });
    for (let n = 0; n < 51; n++) audio.write(new Uint8Array(320).fill(n));
    audio.flush();
    const ms = Buffer.concat(sent).length / 48;
    expect(ms).toBeLessThanOrEqual(1020);
    expect(ms).toBeGreaterThan(1010);
  });
});

describe('the end of a session', () => {
  it('is announced five minutes before', async () => {
    const clock = new ScriptedClock(Date.now());
    const listener = await open({ clock }).ready();
    clock.jump(54 * 60_000);
    expect(listener.of('expiring')).toEqual([]);
    clock.jump(61_000);
    const { inMs } = listener.of('expiring')[0]!;
    expect(inMs).toBeGreaterThan(280_000);
    expect(inMs).toBeLessThanOrEqual(300_000);
    listener.session.close();
    expect(clock.pending).toBe(0);
  });

  it.each([
    [
      { opened: true, closeCode: 3000, reason: 'invalid_request_error.invalid_api_key' },
      'unauthorized',
      false,
    ],
    [
      { opened: true, closeCode: 4000, reason: 'invalid_request_error.model_not_found' },
      'bad_request',
      false,
    ],
    [{ opened: true, closeCode: 4000, reason: '' }, 'bad_request', false],
    [
      { opened: true, closeCode: 1001, reason: 'Your session hit the maximum duration' },
      'disconnected',
      true,
    ],
    [{ opened: true, closeCode: 1011, reason: '' }, 'disconnected', true],
    [{ opened: false, closeCode: 1006, reason: '' }, 'unavailable', true],
    [{ opened: false, status: 401, reason: '' }, 'unauthorized', false],
    [{ opened: false, status: 429, reason: '{"code":"rate_limit_exceeded"}' }, 'rate_limited', true],
    [{ opened: false, status: 429, reason: '{"code":"insufficient_quota"}' }, 'rate_limited', false],
    [{ opened: false, status: 503, reason: '' }, 'unavailable', true],
  ])('%j is %s', (end, code, retryable) => {
    expect(errorOfEnd(end)).toMatchObject({ code: `realtime_${code}`, retryable, kind: 'realtime' });
  });

  it('keeps what the vendor wrote out of the message that tenants see', () => {
    const error = errorOfReport({ code: 'invalid_value', message: 'Invalid value: sk-secret' });
    expect(error.message).not.toContain('sk-secret');
  });
});

it('fails within two seconds of the next answer when its connection has died unseen', async () => {
  const clock = new ScriptedClock(Date.now());
  const listener = await open({ clock }).ready();
  listener.session.respond({ verbatim: 'Hello.' });
  await eventually(() => expect(listener.of('response_finished')).toHaveLength(1));
  emulator.freezeConnections();
  listener.session.respond();
  clock.advance(1999);
  expect(listener.of('failed')).toEqual([]);
  clock.advance(1);
  expect(listener.of('failed')).toMatchObject([
    { error: { code: 'realtime_disconnected', retryable: true } },
  ]);
});
