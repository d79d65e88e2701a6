import { describe, expect, it } from 'vitest';
import { type MediaStreamEvent, ProtocolViolation } from '../port.js';
import { TelnyxMediaStreamCodec } from './media-stream-codec.js';

const state = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

const start = (changes: object = {}) =>
  JSON.stringify({
    event: 'start',
    sequence_number: '1',
    start: {
      user_id: 'u1',
      call_control_id: 'v3:call',
      call_session_id: 's1',
      from: '+13122010094',
      to: '+13122123456',
      client_state: state({ call_id: 'c1', token: 'secret' }),
      media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 },
      ...changes,
    },
    stream_id: 'stream-1',
  });

const media = (chunk: number, track = 'inbound') =>
  JSON.stringify({
    event: 'media',
    sequence_number: String(chunk + 1),
    stream_id: 'stream-1',
    media: {
      track,
      chunk: String(chunk),
      timestamp: String(chunk * 20),
      payload: Buffer.alloc(160, chunk).toString('base64'),
    },
  });

function startedCodec(): TelnyxMediaStreamCodec {
  const codec = new TelnyxMediaStreamCodec();
  codec.decode('{"event":"connected","version":"1.0.0"}');
  codec.decode(start());
  return codec;
}

/** The events that a frame causes, in their order; audio as the number that its bytes carry. */
function heard(codec: TelnyxMediaStreamCodec, text: string): (number | MediaStreamEvent)[] {
  const events: (number | MediaStreamEvent)[] = [];
  for (let event = codec.decode(text); event; event = codec.next()) {
    events.push(event.type === 'audio' ? event.frame[0]! : event);
  }
  for (let event = codec.next(); event; event = codec.next()) {
    events.push(event.type === 'audio' ? event.frame[0]! : event);
  }
  return events;
}

describe("Telnyx's media stream", () => {
  it('tells the ids of start, and what the client state holds', () => {
    const codec = new TelnyxMediaStreamCodec();
    expect(codec.decode('{"event":"connected","version":"1.0.0"}')).toBeUndefined();
    expect(codec.decode(start())).toEqual({
      type: 'started',
      streamId: 'stream-1',
      carrierCallId: 'v3:call',
      parameters: { call_id: 'c1', token: 'secret' },
    });
  });

  it.each(['', 'not base64 of JSON', state(['a', 'list']), state('text')])(
    'takes the client state %j for no parameters',
    (client_state) => {
      const codec = new TelnyxMediaStreamCodec();
      expect(codec.decode(start({ client_state }))).toMatchObject({ parameters: {} });
    },
  );

  it('decodes media into mu-law bytes with the position in the stream', () => {
    const event = startedCodec().decode(media(7));
    expect(event).toMatchObject({ type: 'audio', timestampMs: 140 });
    expect([...(event as { frame: Uint8Array }).frame]).toEqual(Array(160).fill(7));
  });

  it('ignores the outbound track', () => {
    expect(startedCodec().decode(media(1, 'outbound'))).toBeUndefined();
  });

  it('tells keys and marks', () => {
    const codec = startedCodec();
    expect(codec.decode('{"event":"dtmf","stream_id":"stream-1","dtmf":{"digit":"#"}}')).toEqual({
      type: 'dtmf',
      digit: '#',
    });
    expect(codec.decode('{"event":"mark","stream_id":"stream-1","mark":{"name":"m1"}}')).toEqual({
      type: 'mark',
      name: 'm1',
    });
  });
});

describe('media that arrives out of order', () => {
  const hear = (chunks: number[], codec = startedCodec()) =>
    chunks.flatMap((chunk) => heard(codec, media(chunk)));

  it.each<[string, number[], number[]]>([
    ['in order passes at once', [1, 2, 3], [1, 2, 3]],
    ['two that swapped places swap back', [1, 3, 2, 4], [1, 2, 3, 4]],
    ['one that is three late is waited for', [1, 3, 4, 5, 2, 6], [1, 2, 3, 4, 5, 6]],
    ['a repeat is dropped', [1, 2, 2, 3, 1], [1, 2, 3]],
    ['a repeat of one that waits is dropped', [1, 3, 3, 2], [1, 2, 3]],
    ['one that never comes is given up after 100 ms', [1, 3, 4, 5, 6, 7, 8], [1, 3, 4, 5, 6, 7, 8]],
    [
      'one that comes after it was given up is dropped',
      [1, 3, 4, 5, 6, 7, 8, 2, 9],
      [1, 3, 4, 5, 6, 7, 8, 9],
    ],
  ])('%s', (_, sent, expected) => {
    expect(hear(sent)).toEqual(expected);
  });

  it('says nothing while it waits, and then all of it', () => {
    const codec = startedCodec();
    expect(heard(codec, media(1))).toEqual([1]);
    expect(heard(codec, media(3))).toEqual([]);
    expect(heard(codec, media(4))).toEqual([]);
    expect(heard(codec, media(2))).toEqual([2, 3, 4]);
  });

  it('is told before the end of the stream', () => {
    const codec = startedCodec();
    heard(codec, media(1));
    heard(codec, media(3));
    expect(heard(codec, '{"event":"stop","stream_id":"stream-1","stop":{}}')).toEqual([
      3,
      { type: 'stopped' },
    ]);
  });
});

describe('what is sent', () => {
  it('is media, marks and clear without a stream id', () => {
    const codec = startedCodec();
    expect(JSON.parse(codec.encodeAudio(new Uint8Array([255, 0, 127])))).toEqual({
      event: 'media',
      media: { payload: '/wB/' },
    });
    expect(JSON.parse(codec.encodeMark('m1'))).toEqual({ event: 'mark', mark: { name: 'm1' } });
    expect(JSON.parse(codec.encodeClear())).toEqual({ event: 'clear' });
  });
});

describe('what Telnyx would never send', () => {
  it.each([
    ['no JSON', '{'],
    ['no object', '7'],
    ['an unknown event', '{"event":"dance"}'],
    ['a second start', start()],
    ['another encoding', start({ media_format: { encoding: 'G722', sample_rate: 16000 } })],
    ['media without a payload', '{"event":"media","media":{"chunk":"1","timestamp":"0"}}'],
    ['media without a chunk', '{"event":"media","media":{"timestamp":"0","payload":"//8="}}'],
    ['media without a timestamp', '{"event":"media","media":{"chunk":"1","payload":"//8="}}'],
    ['a mark without a name', '{"event":"mark","mark":{}}'],
    ['a key that is none', '{"event":"dtmf","dtmf":{"digit":"x"}}'],
    ['an error', '{"event":"error","payload":{"code":100003,"title":"malformed_frame"}}'],
  ])('%s is refused', (_, text) => {
    expect(() => startedCodec().decode(text)).toThrow(ProtocolViolation);
  });

  it('media before start is refused', () => {
    expect(() => new TelnyxMediaStreamCodec().decode(media(1))).toThrow(/before start/);
  });
});
