import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CARRIER_CODECS } from './carrier-codecs.js';
import type { MediaStreamCodec } from './codec.js';
import { MediaFrameReader } from './media-frame-reader.js';

const AUDIO = Uint8Array.from({ length: 160 }, (_, n) => (n * 7) & 0xff);
const payload = Buffer.from(AUDIO).toString('base64');
const read = (text: string, quotedChunks = true) =>
  new MediaFrameReader({ quotedChunks }).read(Buffer.from(text));
const message = (media: object, around: object = {}) =>
  JSON.stringify({ event: 'media', sequenceNumber: '3', ...around, media, streamSid: 'MZ1' });

describe('media in its usual form', () => {
  it.each([
    ['Twilio', message({ track: 'inbound', chunk: '2', timestamp: '25', payload })],
    ['Plivo', message({ track: 'inbound', chunk: 2, timestamp: '25', payload })],
    [
      'spaces',
      `{"event": "media", "media": {"track": "inbound", "chunk": "2", "timestamp": 25, "payload": "${payload}"}}`,
    ],
    [
      'event last',
      `{"media":{"timestamp":"25","payload":"${payload}","chunk":"2","track":"inbound"},"event":"media"}`,
    ],
  ])('is read from the bytes: %s', (_name, text) => {
    expect(read(text)).toEqual({ track: 'inbound', chunk: 2, timestamp: 25, payload: AUDIO });
  });

  it.each([1, 2, 3, 4, 160, 640, 3200])('carries %i bytes of audio', (length) => {
    const audio = AUDIO.length >= length ? AUDIO.slice(0, length) : new Uint8Array(length).fill(0xa5);
    const text = message({ payload: Buffer.from(audio).toString('base64') });
    expect(read(text)?.payload).toEqual(audio);
  });

  it.each([
    ['another event', message({ payload }, { event: 'mark' })],
    ['another track', message({ track: 'outbound', payload })],
    ['no payload', message({ track: 'inbound' })],
    ['an escape', message({ payload }, { note: 'a"b' })],
    ['another alphabet', message({ payload }, { note: 'ä' })],
    ['a list', message({ payload }, { note: [] })],
    ['a fraction', message({ payload, timestamp: 0.5 })],
    ['a negative number', message({ payload, timestamp: -1 })],
    ['an empty number', message({ payload, timestamp: '' })],
    ['more digits than a number holds', message({ payload, chunk: '1234567890123456' })],
    ['base64 of URLs', message({ payload: '_-8=' })],
    ['base64 without its padding', message({ payload: 'AAA' })],
    ['padding in the middle', message({ payload: 'AA==AAAA' })],
    ['more audio than a few frames', message({ payload: 'A'.repeat(4272) })],
    ['a field twice', `{"event":"media","media":{"chunk":1,"chunk":2,"payload":"${payload}"}}`],
    ['the payload twice', `{"event":"media","media":{"payload":"${payload}","payload":"${payload}"}}`],
    ['media twice', `{"event":"media","media":{"payload":"${payload}"},"media":{"payload":"${payload}"}}`],
    ['a leading zero', `{"event":"media","media":{"chunk":01,"payload":"${payload}"}}`],
    ['a comma at the end', `{"event":"media","media":{"payload":"${payload}"},}`],
    ['a rest', `${message({ payload })}x`],
    ['half a message', message({ payload }).slice(0, -1)],
    ['nothing', ''],
  ])('is left to JSON’s parser otherwise: %s', (_name, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('leaves a number as text to JSON’s parser where the carrier sends none', () => {
    expect(read(message({ chunk: '2', payload }), false)).toBeUndefined();
  });
});

const format = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 };
const STARTS: Readonly<Record<string, object>> = {
  twilio: {
    event: 'start',
    streamSid: 'MZ1',
    start: { streamSid: 'MZ1', callSid: 'CA1', tracks: ['inbound'], mediaFormat: format },
  },
  plivo: {
    event: 'start',
    start: { callId: 'c1', streamId: 's1', tracks: ['inbound'], mediaFormat: format },
  },
  telnyx: {
    event: 'start',
    stream_id: 's1',
    start: {
      call_control_id: 'v3:call',
      media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 },
    },
  },
};

/** What a codec makes of messages, with what it refuses. */
function outcome(codec: MediaStreamCodec, messages: readonly (string | Uint8Array)[]): unknown[] {
  return messages.map((text) => {
    try {
      const events: unknown[] = [];
      for (let event = codec.decode(text); event; event = codec.next?.()) {
        events.push(event.type === 'audio' ? { ...event, frame: [...event.frame] } : event);
      }
      return events;
    } catch (error) {
      return String(error);
    }
  });
}

const number = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 60 }) },
  fc.constantFrom(-1, 0.5, 1e21, null, '', '007', '1e2', ' 5', '5 ', 'x', true, {}),
);
const sent = fc.tuple(number, fc.boolean()).map(([value, isText]) => (isText ? String(value) : value));
const base64 = fc.oneof(
  { weight: 4, arbitrary: fc.constant(payload) },
  {
    weight: 2,
    arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  },
  fc.string({ maxLength: 12 }),
  fc.constantFrom('A', 'AA', 'AAA', 'AA==AA==', '_-__', 'AA A', '====', 'A===', null, 7),
);
const media = fc.record(
  {
    track: fc.constantFrom('inbound', 'inbound', 'inbound', 'outbound', null),
    chunk: sent,
    timestamp: sent,
    payload: base64,
    note: fc.string({ maxLength: 4 }),
  },
  { requiredKeys: ['payload'] },
);
const whole = fc.record({
  order: fc.boolean(),
  event: fc.constantFrom('media', 'media', 'media', 'media', 'mark', 'me\u0064ia', 3),
  media,
  streamSid: fc.string({ maxLength: 6, unit: 'binary' }),
});
const text = fc
  .tuple(
    whole,
    fc.constantFrom('', '', '', ' '),
    fc.option(fc.tuple(fc.nat(), fc.string({ maxLength: 2 })), { freq: 6 }),
  )
  .map(([{ order, event, media, streamSid }, space, change]) => {
    const json = JSON.stringify(
      order ? { event, media, streamSid } : { streamSid, media, event },
      null,
      space,
    );
    if (!change) return json;
    const at = change[0] % json.length;
    return json.slice(0, at) + change[1] + json.slice(at + change[1].length);
  });

describe.each(Object.keys(CARRIER_CODECS))('a stream of %s', (carrier) => {
  it('means the same by its bytes as by its text', () => {
    const create = () => {
      const codec = CARRIER_CODECS[carrier as keyof typeof CARRIER_CODECS]({ clock: new ScriptedClock() });
      codec.decode(JSON.stringify(STARTS[carrier]));
      return codec;
    };
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
        const asText = outcome(create(), texts);
        expect(
          outcome(
            create(),
            texts.map((one) => Buffer.from(one)),
          ),
        ).toEqual(asText);
      }),
      { numRuns: 300 },
    );
  });
});
