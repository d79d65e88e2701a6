import { MULAW_SILENCE } from '@voice/shared/audio/g711';
import type { Caption } from '@voice/shared/contracts/captions';
import {
  SANDBOX_CALLER_ID,
  type SimulatedBehavior,
  TEST_NUMBERS,
} from '@voice/shared/contracts/test-numbers';
import type { LocalVoice } from '@voice/shared/local-voice/local-voice';
import { startKeptVoice } from '@voice/shared/local-voice/testing/kept-voice';
import { silentLog } from '@voice/shared/log/log';
import twilio from 'twilio';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type SimulatedCarrier, startSimulatedCarrier } from './carrier.js';
import { startCallbackSink } from './testing/callback-sink.js';
import { type FakeStream, startFakeWorker } from './testing/fake-worker.js';
import { twilioClient } from './testing/twilio-client.js';

const ACCOUNT = `AC${'0'.repeat(32)}`;
const TOKEN = 'a-token-of-a-test-account';
const number = (behavior: SimulatedBehavior) =>
  TEST_NUMBERS.find((entry) => entry.behavior === behavior)!.number;
/** For what takes real time; on a busy machine anything takes its time. */
const WAIT = { timeout: 100_000, interval: 20 };
const silence = (ms: number) => Buffer.alloc(ms * 8, MULAW_SILENCE);

// Calls live in real time, so they live side by side; a busy machine lets them live longer.
describe.concurrent('the simulated carrier', { timeout: 240_000 }, () => {
  let voice: LocalVoice;
  let carrier: SimulatedCarrier;
  let client: twilio.Twilio;
  let worker: Awaited<ReturnType<typeof startFakeWorker>>;
  let sink: Awaited<ReturnType<typeof startCallbackSink>>;
  /** Two seconds of an agent's speech. */
  let speech: Buffer;

  beforeAll(async () => {
    voice = startKeptVoice();
    await voice.ready();
    const chunks: Uint8Array[] = [];
    for await (const chunk of voice.speak({
      text: 'Good morning, this is the agent who is speaking to you now.',
    })) {
      chunks.push(chunk.audio);
    }
    speech = Buffer.concat(chunks);
    carrier = await startSimulatedCarrier({
      port: 0,
      accountSid: ACCOUNT,
      authToken: TOKEN,
      log: silentLog,
      localVoice: voice,
    });
    client = twilioClient(carrier.url, ACCOUNT, TOKEN);
    worker = await startFakeWorker();
    sink = await startCallbackSink(TOKEN);
  });
  afterAll(async () => {
    await carrier.close();
    await worker.close();
    await sink.close();
    voice.close();
  });

  function twiml(): string {
    const response = new twilio.twiml.VoiceResponse();
    const stream = response.connect().stream({ url: worker.url });
    stream.parameter({ name: 'call_id', value: 'c1' });
    stream.parameter({ name: 'token', value: 'once & only' });
    return response.toString();
  }
  const dial = (behavior: SimulatedBehavior, more: Record<string, unknown> = {}) =>
    client.calls.create({
      to: number(behavior),
      from: SANDBOX_CALLER_ID,
      twiml: twiml(),
      statusCallback: `${sink.url}/status?call_id=c1`,
      statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
      ...more,
    });
  async function stream({ sid }: { sid: string }): Promise<FakeStream> {
    const of = () => worker.streamsOf(sid)[0];
    await vi.waitFor(() => expect(of()?.of('media').length).toBeGreaterThan(0), WAIT);
    return of()!;
  }
  /** Gives the stream's time in ms, by the carrier's frames, at which it returned a mark. */
  function carrierMs({ received }: FakeStream, mark: string): number {
    const until = received.findIndex((message) => message.mark?.name === mark);
    const frames = received.slice(0, until).filter(({ event }) => event === 'media');
    return frames.length * 20;
  }
  // Not expect.poll: beside each other, tests may only poll by their own `expect`.
  const ended = ({ sid }: { sid: string }, status: string) =>
    vi.waitFor(() => expect(sink.statuses(sid).at(-1)).toBe(status), WAIT);
  /** What is published of the call's words, as it comes. */
  function captionsOf({ sid }: { sid: string }) {
    const captions: Caption[] = [];
    const socket = new WebSocket(`${carrier.url.replace('http', 'ws')}/captions/${sid}`);
    socket.on('message', (data) => captions.push(JSON.parse(data.toString()) as Caption));
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    return { captions, closed };
  }

  /** Until the person has said the whole utterance. */
  const untilSaid = (media: FakeStream, utterance: Caption) => {
    const endMs = utterance.kind === 'utterance' ? utterance.words.at(-1)!.end_ms : 0;
    return vi.waitFor(() => expect(media.of('media').length * 20).toBeGreaterThan(endMs + 100), WAIT);
  };

  it('sends signed callbacks of an answered call’s life, in order', async ({ expect }) => {
    const call = await dial('stays_silent');
    expect(call).toMatchObject({ status: 'queued', direction: 'outbound-api', accountSid: ACCOUNT });
    await stream(call);
    expect(sink.statuses(call.sid)).toEqual(['initiated', 'ringing', 'in-progress']);
    expect((await client.calls(call.sid).fetch()).status).toBe('in-progress');
    await client.calls(call.sid).update({ status: 'completed' });
    await ended(call, 'completed');
    expect(sink.of(call.sid).every((callback) => callback.signatureValid)).toBe(true);
    expect(sink.of(call.sid).map(({ form }) => form.SequenceNumber)).toEqual(['0', '1', '2', '3']);
    expect(sink.of(call.sid).at(-1)!.form).toMatchObject({
      CallSid: call.sid,
      AccountSid: ACCOUNT,
      To: number('stays_silent'),
      From: SANDBOX_CALLER_ID,
      CallDuration: expect.stringMatching(/^\d+$/),
      Timestamp: expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000$/),
    });
    expect(await client.calls(call.sid).fetch()).toMatchObject({ status: 'completed' });
  });

  it('speaks Media Streams: connected, start, media every 20 ms also in silence, stop', async ({
    expect,
  }) => {
    const dialedAt = performance.now();
    const call = await dial('stays_silent');
    const media = await stream(call);
    await expect.poll(() => media.of('media').length, WAIT).toBeGreaterThan(50);
    // Never faster than real time; how exactly it keeps to it is shown by the ticker.
    expect(media.of('media').length * 20).toBeLessThan(performance.now() - dialedAt);
    await client.calls(call.sid).update({ status: 'completed' });
    await expect.poll(() => media.closeCode, WAIT).toBe(1000);

    const [connected, start, ...rest] = media.received;
    expect(connected).toMatchObject({ event: 'connected', protocol: 'Call', version: '1.0.0' });
    const { streamSid } = start!;
    expect(streamSid).toMatch(/^MZ[0-9a-f]{32}$/);
    expect(start).toMatchObject({
      event: 'start',
      sequenceNumber: '1',
      start: {
        accountSid: ACCOUNT,
        streamSid,
        callSid: call.sid,
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
        customParameters: { call_id: 'c1', token: 'once & only' },
      },
    });
    for (const [index, message] of rest.entries()) {
      expect(message.streamSid).toBe(streamSid);
      expect(message.sequenceNumber).toBe(String(index + 2));
      if (message.event !== 'media') continue;
      expect(message.media).toMatchObject({
        track: 'inbound',
        chunk: String(index + 1),
        timestamp: String(index * 20),
      });
      expect(Buffer.from(message.media!.payload, 'base64').equals(silence(20))).toBe(true);
    }
    expect(rest.at(-1)).toMatchObject({ event: 'stop', stop: { accountSid: ACCOUNT, callSid: call.sid } });
  });

  it('returns a mark when the audio before it was played, and all marks on clear', async ({ expect }) => {
    const call = await dial('stays_silent');
    const media = await stream(call);
    const marks = () => media.of('mark').map((message) => message.mark!.name);
    media.mark('nothing before it');
    await expect.poll(marks, WAIT).toEqual(['nothing before it']);

    media.mark('before 300 ms');
    media.audio(silence(300));
    media.mark('after 300 ms');
    await expect.poll(marks, WAIT).toContain('after 300 ms');
    const playedAfter = carrierMs(media, 'after 300 ms') - carrierMs(media, 'before 300 ms');
    expect(playedAfter).toBeGreaterThan(260);
    expect(playedAfter).toBeLessThan(1000);

    media.mark('before the rest');
    media.audio(silence(30_000));
    media.mark('a');
    media.audio(silence(30_000));
    media.mark('b');
    media.clear();
    await expect.poll(marks, WAIT).toContain('b');
    expect(marks().slice(2)).toEqual(['after 300 ms', 'before the rest', 'a', 'b']);
    // A carrier that was held up makes up for a second at once: far less than was cleared.
    expect(carrierMs(media, 'b') - carrierMs(media, 'before the rest')).toBeLessThan(15_000);
    await client.calls(call.sid).update({ status: 'completed' });
  });

  it.for([
    ['no JSON', 'hello'],
    ['an unknown event', { event: 'speak' }],
    ['another stream', { event: 'clear', streamSid: 'MZ0' }],
    ['audio that is not base64', { event: 'media', streamSid: '$', media: { payload: 'a b c!' } }],
    ['a mark without a name', { event: 'mark', streamSid: '$', mark: {} }],
  ])('closes the stream on %s, and the call ends', async ([, message], { expect }) => {
    const call = await dial('stays_silent');
    const media = await stream(call);
    media.raw(JSON.parse(JSON.stringify(message).replace('"$"', `"${media.streamSid}"`)));
    await expect.poll(() => media.closeCode, WAIT).toBe(1008);
    await ended(call, 'completed');
  });

  it('ends the call when the worker closes the stream', async () => {
    const call = await dial('talks');
    (await stream(call)).close();
    await ended(call, 'completed');
  });

  it.for<[SimulatedBehavior, Record<string, unknown>, string[]]>([
    ['busy', {}, ['initiated', 'ringing', 'busy']],
    ['no_answer', { timeout: 1 }, ['initiated', 'ringing', 'no-answer']],
    ['rejects', {}, ['initiated', 'failed']],
  ])('%s', async ([behavior, more, statuses], { expect }) => {
    const call = await dial(behavior, more);
    await ended(call, statuses.at(-1)!);
    expect(sink.statuses(call.sid)).toEqual(statuses);
    expect(sink.of(call.sid).at(-1)!.form.CallDuration).toBe('0');
    expect(worker.streamsOf(call.sid)).toHaveLength(0);
    await expect(client.calls(call.sid).update({ status: 'completed' })).rejects.toMatchObject({
      code: 21220,
    });
  });

  it('cancels a call that is still ringing', async ({ expect }) => {
    const call = await dial('no_answer');
    await expect.poll(() => sink.statuses(call.sid), WAIT).toContain('ringing');
    await client.calls(call.sid).update({ status: 'completed' });
    await ended(call, 'canceled');
  });

  describe('the person who talks', () => {
    it('waits until the agent stops, answers after a human gap, and publishes the words beside the audio', async ({
      expect,
    }) => {
      const call = await dial('talks');
      const media = await stream(call);
      const { captions } = captionsOf(call);
      media.audio(speech);
      media.mark('agent stopped');
      await expect.poll(() => media.of('mark').length, WAIT).toBe(1);
      const stopped = carrierMs(media, 'agent stopped');
      await expect.poll(() => captions.length, WAIT).toBe(1);
      const utterance = captions[0]!;
      if (utterance.kind !== 'utterance') throw new Error('expected an utterance');
      const startMs = utterance.words[0]!.start_ms;
      expect(startMs - stopped).toBeGreaterThan(0);
      expect(startMs - stopped).toBeLessThan(1500);

      // The audio is exactly the phrasebook's, from the very frame that the caption names.
      const book = (await (await fetch(`${carrier.url}/phrasebook`)).json()) as {
        text: string;
        audio: string;
        words: { text: string }[];
      }[];
      const text = utterance.words.map((word) => word.text).join(' ');
      const phrase = book.find((entry) => entry.text === text)!;
      const audio = Buffer.from(phrase.audio, 'base64');
      await expect.poll(() => media.heard.length, WAIT).toBeGreaterThan(startMs * 8 + audio.length + 400);
      const said = media.heard.subarray(startMs * 8);
      expect(said.subarray(0, audio.length).equals(audio)).toBe(true);
      expect(said.subarray(audio.length, audio.length + 320).equals(silence(40))).toBe(true);
      expect(media.heard.subarray(0, startMs * 8).equals(silence(startMs))).toBe(true);

      // Who comes late gets what was published, and the end with the call.
      const late = captionsOf(call);
      await expect.poll(() => late.captions, WAIT).toEqual(captions);
      media.close();
      expect(await late.closed).toBe(1000);
    });
  });

  it('interrupts the agent once the agent has spoken for a while in the second turn', async ({ expect }) => {
    const call = await dial('talks_over');
    const media = await stream(call);
    const { captions } = captionsOf(call);
    media.audio(speech);
    await expect.poll(() => captions.length, WAIT).toBe(1);
    await untilSaid(media, captions[0]!);
    media.audio(Buffer.concat([speech, speech, speech]));
    media.mark('agent has finished');
    await expect.poll(() => captions.length, WAIT).toBe(2);
    expect(media.of('mark')).toEqual([]);
    media.close();
  });

  it('hangs up in the middle of the call', async ({ expect }) => {
    const call = await dial('hangs_up');
    const media = await stream(call);
    const { captions } = captionsOf(call);
    media.audio(speech);
    await expect.poll(() => captions.length, WAIT).toBe(1);
    await untilSaid(media, captions[0]!);
    media.audio(Buffer.concat([speech, speech]));
    await expect.poll(() => media.closeCode, WAIT).toBe(1000);
    expect(media.received.at(-1)!.event).toBe('stop');
    await ended(call, 'completed');
  });

  it('plays a greeting and a beep as voicemail, reports the beep, and records the agent’s message', async ({
    expect,
  }) => {
    const call = await dial('voicemail', {
      machineDetection: 'DetectMessageEnd',
      asyncAmd: 'true',
      asyncAmdStatusCallback: `${sink.url}/amd?call_id=c1`,
    });
    const media = await stream(call);
    const detected = () => sink.of(call.sid).find(({ path }) => path.startsWith('/amd'));
    await expect.poll(detected, WAIT).toBeDefined();
    expect(detected()).toMatchObject({
      signatureValid: true,
      form: { CallSid: call.sid, AnsweredBy: 'machine_end_beep' },
    });
    media.audio(speech);
    media.mark('left');
    await expect.poll(() => media.of('mark').length, WAIT).toBe(1);
    media.close();
    await ended(call, 'completed');
    const recording = Buffer.from(await (await fetch(`${carrier.url}/voicemails/${call.sid}`)).arrayBuffer());
    expect(recording.includes(speech.subarray(1600, 8000))).toBe(true);
  });

  it('reports the keys that the person presses', async ({ expect }) => {
    const call = await dial('stays_silent');
    const media = await stream(call);
    const press = (digits: string) =>
      fetch(`${carrier.url}/simulation/calls/${call.sid}/keys`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString('base64')}` },
        body: new URLSearchParams({ Digits: digits }),
      });
    expect((await press('12#')).status).toBe(202);
    expect((await press('x')).status).toBe(400);
    await expect.poll(() => media.of('dtmf'), WAIT).toHaveLength(3);
    expect(media.of('dtmf').map((message) => message.dtmf)).toEqual(
      ['1', '2', '#'].map((digit) => ({ track: 'inbound_track', digit })),
    );
    media.close();
    await ended(call, 'completed');
    expect((await press('1')).status).toBe(400);
  });

  it('reports that a human answered', async ({ expect }) => {
    const call = await dial('talks', {
      machineDetection: 'Enable',
      asyncAmd: 'true',
      asyncAmdStatusCallback: `${sink.url}/amd?call_id=c1`,
    });
    await expect.poll(() => sink.of(call.sid).map(({ form }) => form.AnsweredBy), WAIT).toContain('human');
    await client.calls(call.sid).update({ status: 'completed' });
  });

  it('replaces the TwiML of a live call: the stream stops, the new document runs', async ({ expect }) => {
    const call = await dial('stays_silent');
    const media = await stream(call);
    await client.calls(call.sid).update({ twiml: '<Response><Say>Goodbye.</Say><Hangup/></Response>' });
    await expect.poll(() => media.received.at(-1)!.event, WAIT).toBe('stop');
    await ended(call, 'completed');
  });

  it('ends a call whose stream cannot be opened', async () => {
    const call = await dial('talks', {
      twiml: '<Response><Connect><Stream url="ws://127.0.0.1:1/none"/></Connect></Response>',
    });
    await ended(call, 'completed');
  });

  it('sends a callback as GET where that is wished, signed over its whole address', async ({ expect }) => {
    const call = await dial('rejects', { statusCallbackMethod: 'GET' });
    await ended(call, 'failed');
    expect(
      sink.of(call.sid).map(({ path, signatureValid }) => [path.includes('call_id=c1'), signatureValid]),
    ).toEqual([
      [true, true],
      [true, true],
    ]);
  });

  it('delivers a callback again that the receiver failed to take, and keeps the order', async ({
    expect,
  }) => {
    const call = await dial('rejects', { statusCallback: `${sink.url}/status?fail_first=1` });
    await ended(call, 'failed');
    expect(sink.statuses(call.sid)).toEqual(['initiated', 'initiated', 'failed']);
  });

  it('without media: answers and ends by itself, and opens no stream', async ({ expect }) => {
    const silent = await startSimulatedCarrier({
      port: 0,
      accountSid: ACCOUNT,
      authToken: TOKEN,
      log: silentLog,
      localVoice: voice,
      media: false,
    });
    const call = await twilioClient(silent.url, ACCOUNT, TOKEN).calls.create({
      to: number('talks'),
      from: SANDBOX_CALLER_ID,
      twiml: twiml(),
      statusCallback: `${sink.url}/status`,
      statusCallbackEvent: ['answered', 'completed'],
    });
    await ended(call, 'completed');
    expect(sink.statuses(call.sid)).toEqual(['in-progress', 'completed']);
    expect(worker.streamsOf(call.sid)).toEqual([]);
    await silent.close();
  });

  it('hangs up live calls when it is closed, and sends their callbacks', async ({ expect }) => {
    const closing = await startSimulatedCarrier({
      port: 0,
      accountSid: ACCOUNT,
      authToken: TOKEN,
      log: silentLog,
      localVoice: voice,
    });
    const call = await twilioClient(closing.url, ACCOUNT, TOKEN).calls.create({
      to: number('stays_silent'),
      from: SANDBOX_CALLER_ID,
      twiml: twiml(),
      statusCallback: `${sink.url}/status`,
      statusCallbackEvent: ['completed'],
    });
    const media = await stream(call);
    await closing.close();
    expect(sink.statuses(call.sid)).toEqual(['completed']);
    expect(media.received.at(-1)!.event).toBe('stop');
    await expect(fetch(`${closing.url}/healthz`)).rejects.toThrow();
  });

  describe('refuses as Twilio does', () => {
    it.for<[string, Record<string, unknown>, number, number]>([
      ['an invalid To', { to: '+15005550001' }, 400, 21211],
      ['a To that is no number', { to: 'someone' }, 400, 21211],
      ['a number where nobody lives', { to: '+15005559999' }, 400, 21214],
      ['an invalid From', { from: '123' }, 400, 21212],
      ['TwiML that is no XML', { twiml: '<Response>' }, 400, 12100],
      ['TwiML that is not simulated', { twiml: '<Response><Record/></Response>' }, 400, 12200],
      ['an unknown event', { statusCallbackEvent: ['finished'] }, 400, 20001],
      ['what it does not simulate', { sendDigits: '1' }, 400, 20001],
    ])('%s', async ([, more, status, code], { expect }) => {
      await expect(dial('talks', more)).rejects.toMatchObject({ status, code });
    });

    it('a wrong token', async ({ expect }) => {
      const stranger = twilioClient(carrier.url, ACCOUNT, 'wrong');
      await expect(stranger.calls('CA1').fetch()).rejects.toMatchObject({ status: 401, code: 20003 });
    });

    it('an unknown call, another account, an unknown path', async ({ expect }) => {
      await expect(client.calls(`CA${'0'.repeat(32)}`).fetch()).rejects.toMatchObject({
        status: 404,
        code: 20404,
      });
      const other = await fetch(`${carrier.url}/2010-04-01/Accounts/AC1/Calls.json`, {
        headers: { authorization: `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString('base64')}` },
      });
      expect(other.status).toBe(404);
      expect((await fetch(`${carrier.url}/nothing`)).status).toBe(404);
    });

    it('captions of an unknown call', async ({ expect }) => {
      const socket = new WebSocket(`${carrier.url.replace('http', 'ws')}/captions/CA${'0'.repeat(32)}`);
      const status = await new Promise((resolve) => {
        socket.on('unexpected-response', (_, response) => resolve(response.statusCode));
      });
      expect(status).toBe(404);
    });
  });
});
