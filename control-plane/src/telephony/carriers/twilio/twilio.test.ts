import twilio from 'twilio';
import { describe, expect, it } from 'vitest';
import { readTwilioCallback, readTwilioInbound } from './callback.js';
import { twilioFailure } from './failures.js';
import { dialTwiml, streamTwiml } from './twiml.js';

const TOKEN = 'an auth token';
const SID = `CA${'ab'.repeat(16)}`;
const URL_BASE = 'https://voice.example.com/internal/carriers/twilio';

function callback(path: string, form: Record<string, string>, signedUrl = `${URL_BASE}${path}`) {
  return {
    url: `${URL_BASE}${path}`,
    rawBody: Buffer.from(new URLSearchParams(form).toString()),
    header: (name: string) =>
      name === 'x-twilio-signature' ? twilio.getExpectedTwilioSignature(TOKEN, signedUrl, form) : undefined,
  };
}

describe('the instructions for an answered call', () => {
  it('open the media stream with the one-time token', () => {
    expect(streamTwiml('wss://media.example.com/streams/twilio', 'id-1', 'a&b')).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><Response><Connect>' +
        '<Stream url="wss://media.example.com/streams/twilio">' +
        '<Parameter name="call_id" value="id-1"/><Parameter name="token" value="a&amp;b"/>' +
        '</Stream></Connect></Response>',
    );
  });

  it('is written as the SDK writes it', () => {
    const values = ['wss://a.example/b?c=d&e="f"', "<i>'d", 'tab\tline\r\nend é 😀'] as const;
    const [url, callId, token] = values;
    const sdk = new twilio.twiml.VoiceResponse();
    const stream = sdk.connect().stream({ url });
    stream.parameter({ name: 'call_id', value: callId });
    stream.parameter({ name: 'token', value: token });
    expect(streamTwiml(...values)).toBe(sdk.toString());
  });

  it('let nobody who is transferred talk for longer than four hours', () => {
    expect(dialTwiml('+14155550100', '+14155550101', 'https://a.example/dialed')).toContain(
      'timeLimit="14400"',
    );
  });
});

describe('what an error of the carrier means for the call', () => {
  it.each([
    ['an invalid number', { status: 400, code: 21211 }, 'rejected', 'twilio_21211'],
    ['a region that is not permitted', { status: 400, code: 21215 }, 'rejected', 'twilio_21215'],
    ['wrong credentials', { status: 401, code: 20003 }, 'failed', 'twilio_20003'],
    ['too many requests', { status: 429, code: 20429 }, 'not_dialed', 'twilio_20429'],
    ['overload', { status: 503 }, 'not_dialed', 'http_503'],
    ['a fault of the carrier', { status: 500 }, 'unknown', 'http_500'],
    ['a refused connection', { code: 'ECONNREFUSED' }, 'not_dialed', 'carrier_unreachable'],
    ['a name that does not resolve', { code: 'ENOTFOUND' }, 'not_dialed', 'carrier_unreachable'],
    ['a time-out', { code: 'ECONNABORTED' }, 'unknown', 'carrier_unreachable'],
    ['a connection that broke', { code: 'ECONNRESET' }, 'unknown', 'carrier_unreachable'],
  ])('%s', (_, error, kind, code) => {
    expect(twilioFailure(error)).toMatchObject({ kind, code });
  });
});

describe('a status callback', () => {
  const form = {
    CallSid: SID,
    CallStatus: 'completed',
    CallDuration: '7',
    Timestamp: 'Fri, 20 Nov 2026 10:00:00 +0000',
  };

  it('is read when its signature covers address and parameters', () => {
    expect(readTwilioCallback('status', callback('/status?call_id=1', form), TOKEN)).toEqual({
      kind: 'status',
      callId: '1',
      carrierCallId: SID,
      status: 'completed',
      durationMs: 7000,
      at: Date.UTC(2026, 10, 20, 10, 0, 0),
      attestation: null,
    });
  });

  it.each([
    ['A', 'A'],
    ['B', 'B'],
    ['C', 'C'],
    ['null', null],
    ['D', null],
  ])('reads how Twilio has signed the call: StirStatus %s', (StirStatus, attestation) => {
    const received = callback('/status', { ...form, CallStatus: 'ringing', StirStatus });
    expect(readTwilioCallback('status', received, TOKEN)).toMatchObject({ status: 'ringing', attestation });
  });

  it.each([
    ['TN-Validation-Passed-A', 'A'],
    ['TN-Validation-Passed-C', 'C'],
    ['TN-Validation-Failed-A', null],
    ['No-TN-Validation', null],
  ])('reads how the caller of an inbound call is signed: StirVerstat %s', (StirVerstat, attestation) => {
    const received = callback('/inbound', {
      CallSid: SID,
      From: '+12125551000',
      To: '+12125551001',
      StirVerstat,
    });
    expect(readTwilioInbound(received, TOKEN)).toMatchObject({ from: '+12125551000', attestation });
  });

  it.each([
    ['initiated', 'initiated'],
    ['queued', 'initiated'],
    ['ringing', 'ringing'],
    ['in-progress', 'answered'],
    ['answered', 'answered'],
    ['busy', 'busy'],
    ['no-answer', 'no_answer'],
    ['failed', 'failed'],
    ['canceled', 'canceled'],
  ])('reads %s as %s', (said, status) => {
    const received = callback('/status', { CallSid: SID, CallStatus: said });
    expect(readTwilioCallback('status', received, TOKEN)).toMatchObject({ status, callId: null, at: null });
  });

  it('for another address, with another body or another token is refused', () => {
    const elsewhere = callback('/status?call_id=2', form, `${URL_BASE}/status?call_id=1`);
    const changed = { ...callback('/status', form), rawBody: Buffer.from(`CallSid=${SID}&CallStatus=busy`) };
    for (const [received, token] of [
      [elsewhere, TOKEN],
      [changed, TOKEN],
      [callback('/status', form), 'another token'],
    ] as const) {
      expect(() => readTwilioCallback('status', received, token)).toThrow(
        expect.objectContaining({ code: 'invalid_signature' }),
      );
    }
  });

  it('with as many parameters as fit is refused before anybody waits for it', () => {
    const names = Array.from({ length: 30_000 }, (_, n) => `${n.toString(36)}=`);
    const flood = { ...callback('/status', form), rawBody: Buffer.from(names.join('&')) };
    const before = process.cpuUsage();
    expect(() => readTwilioCallback('status', flood, TOKEN)).toThrow(
      expect.objectContaining({ code: 'invalid_signature' }),
    );
    // The processor's time: a busy machine takes none of it.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1500);
  });

  it('is read with a parameter that comes twice', () => {
    const twice = { ...form, Tag: ['b', 'a'] };
    const body = new URLSearchParams([...Object.entries(form), ['Tag', 'b'], ['Tag', 'a']]);
    const signature = twilio.getExpectedTwilioSignature(TOKEN, `${URL_BASE}/status`, twice);
    const received = {
      ...callback('/status', form),
      rawBody: Buffer.from(body.toString()),
      header: () => signature,
    };
    expect(readTwilioCallback('status', received, TOKEN)).toMatchObject({ status: 'completed' });
  });

  it.each([
    { CallSid: 'nonsense', CallStatus: 'busy' },
    { CallSid: SID, CallStatus: 'dancing' },
    { CallSid: SID },
  ])('that is signed and makes no sense is a malformed request: %j', (nonsense) => {
    expect(() =>
      readTwilioCallback('status', callback('/status', nonsense as Record<string, string>), TOKEN),
    ).toThrow(expect.objectContaining({ code: 'malformed_request' }));
  });
});

describe('a callback of answering-machine detection', () => {
  it.each(['human', 'machine_start', 'machine_end_beep', 'fax', 'unknown'])(
    'reads AnsweredBy %s',
    (answeredBy) => {
      const received = callback('/amd', { CallSid: SID, AnsweredBy: answeredBy });
      expect(readTwilioCallback('answered_by', received, TOKEN)).toMatchObject({ answeredBy });
    },
  );

  it('with a word that is new to us is as good as unknown', () => {
    const received = callback('/amd', { CallSid: SID, AnsweredBy: 'robot_butler' });
    expect(readTwilioCallback('answered_by', received, TOKEN)).toMatchObject({ answeredBy: 'unknown' });
  });
});
