import { PCMU_8K } from '@voice/shared/audio/format';
import { describe, expect, it } from 'vitest';
import { ProtocolViolation } from '../codec.js';
import { PlivoMediaStreamCodec } from './media-stream-codec.js';

const CALL_ID = '0198f0c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f';
const TOKEN = 'a-one_time.token';
const HEADERS = `callId=${CALL_ID.replaceAll('-', '')};token=${Buffer.from(TOKEN).toString('hex')}`;

const start = (changes: object = {}) =>
  JSON.stringify({
    event: 'start',
    sequenceNumber: 1,
    start: {
      callId: 'c1',
      streamId: 's1',
      accountId: 'MA1',
      tracks: ['inbound'],
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 },
      ...changes,
    },
    extra_headers: HEADERS,
  });
const media = (chunk: number, bytes: Uint8Array = new Uint8Array(160), track = 'inbound') =>
  JSON.stringify({
    event: 'media',
    streamId: 's1',
    media: { track, chunk, timestamp: '1705312200000', payload: Buffer.from(bytes).toString('base64') },
  });

function startedCodec(): PlivoMediaStreamCodec {
  const codec = new PlivoMediaStreamCodec();
  codec.decode(start());
  return codec;
}

describe("Plivo's audio stream", () => {
  it('reads the ids and the parameters of start', () => {
    expect(new PlivoMediaStreamCodec().decode(start())).toEqual({
      type: 'started',
      streamId: 's1',
      carrierCallId: 'c1',
      parameters: { call_id: CALL_ID, token: TOKEN },
      format: PCMU_8K,
    });
  });

  it('decodes media into mu-law bytes, placed by how much came before', () => {
    const codec = startedCodec();
    const bytes = Uint8Array.from({ length: 160 }, (_, i) => i);
    const first = codec.decode(media(7, bytes));
    expect(first).toMatchObject({ type: 'audio', timestampMs: 0 });
    expect([...(first as { frame: Uint8Array }).frame]).toEqual([...bytes]);
    expect(codec.decode(media(8, new Uint8Array(320)))).toMatchObject({ timestampMs: 20 });
    expect(codec.decode(media(9))).toMatchObject({ timestampMs: 60 });
    expect(codec.decode(media(13, undefined, 'outbound'))).toBeUndefined();
  });

  it('puts made-up frames in the place of chunks that are missing', () => {
    const codec = startedCodec();
    codec.decode(media(9));
    const events = [codec.decode(media(12)), codec.next(), codec.next(), codec.next()];
    expect(events).toMatchObject([
      { type: 'audio', timestampMs: 20, concealed: true },
      { type: 'audio', timestampMs: 40, concealed: true },
      { type: 'audio', timestampMs: 60 },
      undefined,
    ]);
    expect(events[2]).not.toHaveProperty('concealed');
  });

  it('decodes dtmf and the checkpoints that come back', () => {
    const codec = startedCodec();
    const dtmf = '{"event":"dtmf","streamId":"s1","dtmf":{"track":"inbound","digit":"#","timestamp":"1"}}';
    expect(codec.decode(dtmf)).toEqual({ type: 'dtmf', digit: '#' });
    codec.encodeMark('turn-1');
    const played = '{"event":"playedStream","streamId":"s1","name":"turn-1"}';
    expect(codec.decode(played)).toEqual({ type: 'mark', name: 'turn-1' });
    expect(codec.decode(played)).toBeUndefined();
    expect(codec.decode('{"event":"stop"}')).toEqual({ type: 'stopped' });
  });

  it('gives back the checkpoints that Plivo drops with what is cleared', () => {
    const codec = startedCodec();
    for (const name of ['a', 'b', 'c']) codec.encodeMark(name);
    codec.decode('{"event":"playedStream","streamId":"s1","name":"a"}');
    codec.encodeClear();
    expect(codec.next()).toBeUndefined();
    expect(codec.decode('{"event":"clearedAudio","streamId":"s1"}')).toBeUndefined();
    expect([codec.next(), codec.next(), codec.next()]).toEqual([
      { type: 'mark', name: 'b' },
      { type: 'mark', name: 'c' },
      undefined,
    ]);
  });

  it('encodes audio, checkpoint and clear as Plivo documents them', () => {
    const codec = startedCodec();
    expect(JSON.parse(codec.encodeAudio(new Uint8Array(160).fill(0xff)))).toEqual({
      event: 'playAudio',
      media: {
        contentType: 'audio/x-mulaw',
        sampleRate: 8000,
        payload: Buffer.alloc(160, 0xff).toString('base64'),
      },
    });
    expect(JSON.parse(codec.encodeMark('m'))).toEqual({ event: 'checkpoint', streamId: 's1', name: 'm' });
    expect(JSON.parse(codec.encodeClear())).toEqual({ event: 'clearAudio', streamId: 's1' });
  });

  it('survives an event that it does not know, and reports it once', () => {
    const codec = startedCodec();
    expect(codec.decode('{"event":"dance"}')).toMatchObject({ type: 'notice' });
    expect(codec.decode('{"event":"dance"}')).toBeUndefined();
  });

  it.each([
    ['not JSON', 'hello'],
    ['media before start', media(1)],
    [
      'a format that was not asked for',
      start({ mediaFormat: { encoding: 'audio/x-l16', sampleRate: 8000 } }),
    ],
  ])('refuses %s', (_, frame) => {
    expect(() => new PlivoMediaStreamCodec().decode(frame)).toThrow(ProtocolViolation);
  });

  it.each([
    ['a second start', start()],
    ['media without a chunk number', '{"event":"media","media":{"track":"inbound","payload":"//8="}}'],
    [
      'a chunk number that no call comes to',
      '{"event":"media","media":{"track":"inbound","chunk":9007199254740990,"payload":"//8="}}',
    ],
    ['media without a payload', '{"event":"media","media":{"track":"inbound","chunk":1}}'],
    ['an impossible digit', '{"event":"dtmf","dtmf":{"digit":"x"}}'],
    ['playedStream without a name', '{"event":"playedStream","streamId":"s1"}'],
  ])('refuses %s after start', (_, frame) => {
    expect(() => startedCodec().decode(frame)).toThrow(ProtocolViolation);
  });
});
