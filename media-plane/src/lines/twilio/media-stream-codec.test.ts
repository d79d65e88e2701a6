import { PCMU_8K } from '@voice/shared/audio/format';
import { describe, expect, it } from 'vitest';
import { ProtocolViolation } from '../codec.js';
import { TwilioMediaStreamCodec } from './media-stream-codec.js';

const start = JSON.stringify({
  event: 'start',
  sequenceNumber: '1',
  start: {
    accountSid: 'AC1',
    streamSid: 'MZ1',
    callSid: 'CA1',
    tracks: ['inbound'],
    mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
    customParameters: { token: 'secret', call_id: 'c1' },
  },
  streamSid: 'MZ1',
});

function startedCodec(): TwilioMediaStreamCodec {
  const codec = new TwilioMediaStreamCodec();
  codec.decode(JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }));
  codec.decode(start);
  return codec;
}

describe("Twilio's media stream", () => {
  it('decodes the ids and custom parameters of start', () => {
    const codec = new TwilioMediaStreamCodec();
    expect(codec.decode('{"event":"connected","protocol":"Call","version":"1.0.0"}')).toBeUndefined();
    expect(codec.decode(start)).toEqual({
      type: 'started',
      streamId: 'MZ1',
      carrierCallId: 'CA1',
      parameters: { token: 'secret', call_id: 'c1' },
      format: PCMU_8K,
    });
  });

  it('decodes media into mu-law bytes with the position in the stream', () => {
    const bytes = Uint8Array.from({ length: 160 }, (_, i) => i);
    const event = startedCodec().decode(
      JSON.stringify({
        event: 'media',
        sequenceNumber: '3',
        streamSid: 'MZ1',
        media: {
          track: 'inbound',
          chunk: '2',
          timestamp: '25',
          payload: Buffer.from(bytes).toString('base64'),
        },
      }),
    );
    expect(event).toMatchObject({ type: 'audio', timestampMs: 25 });
    expect([...(event as { frame: Uint8Array }).frame]).toEqual([...bytes]);
  });

  describe('when the carrier has lost audio', () => {
    const media = (chunk: number | undefined, timestampMs: number, level = 0x80) =>
      JSON.stringify({
        event: 'media',
        media: {
          track: 'inbound',
          ...(chunk === undefined ? {} : { chunk: String(chunk) }),
          timestamp: String(timestampMs),
          payload: Buffer.alloc(160, level).toString('base64'),
        },
      });
    const heard = (frames: readonly string[]) => {
      const codec = startedCodec();
      return frames.flatMap((frame) => {
        const events: { timestampMs: number; concealed?: boolean; frame: Uint8Array }[] = [];
        for (let event = codec.decode(frame); event; event = codec.next()) {
          if (event.type === 'audio') events.push({ ...event, frame: event.frame.slice() });
        }
        return events;
      });
    };

    it.each([
      ['its chunks and timestamps skip', [media(1, 5), media(4, 65)]],
      ['timestamps alone do', [media(1, 5), media(2, 65)]],
      ['there are no chunks', [media(undefined, 5), media(undefined, 65)]],
    ])('puts made-up frames in its place where %s', (_, frames) => {
      const events = heard(frames);
      expect(events.map(({ timestampMs }) => timestampMs)).toEqual([5, 25, 45, 65]);
      expect(events.map(({ concealed }) => concealed === true)).toEqual([false, true, true, false]);
    });

    it('lets the last sound fade, and is silent after 60 ms', () => {
      const events = heard([media(1, 0), media(7, 120)]);
      expect(events).toHaveLength(7);
      const silent = events.map(({ frame }) => frame.every((byte) => byte === 0xff));
      expect(silent).toEqual([false, false, false, false, true, true, false]);
    });

    it('makes up nothing for timestamps that are not exact', () => {
      const timestamps = [0, 28, 37, 62, 79, 105, 118, 149, 160];
      expect(heard(timestamps.map((ms, n) => media(n + 1, ms)))).toHaveLength(timestamps.length);
    });

    it('leaves a gap of more than a second as it is, and goes on behind it', () => {
      const events = heard([media(1, 0), media(100, 1980), media(101, 2000), media(103, 2040)]);
      expect(events.map(({ timestampMs }) => timestampMs)).toEqual([0, 1980, 2000, 2020, 2040]);
    });
  });

  it('ignores the outbound track', () => {
    const media = { track: 'outbound', timestamp: '0', payload: '//8=' };
    expect(startedCodec().decode(JSON.stringify({ event: 'media', media }))).toBeUndefined();
  });

  it('decodes dtmf, mark and stop', () => {
    const codec = startedCodec();
    expect(codec.decode('{"event":"dtmf","dtmf":{"track":"inbound_track","digit":"#"}}')).toEqual({
      type: 'dtmf',
      digit: '#',
    });
    expect(codec.decode('{"event":"mark","mark":{"name":"turn-1"}}')).toEqual({
      type: 'mark',
      name: 'turn-1',
    });
    expect(codec.decode('{"event":"stop","stop":{"callSid":"CA1"}}')).toEqual({ type: 'stopped' });
  });

  it('survives an event that it does not know, and reports it once', () => {
    const codec = startedCodec();
    expect(codec.decode('{"event":"dance"}')).toMatchObject({
      type: 'notice',
      code: 'carrier_event_unknown',
      message: expect.stringContaining('dance'),
    });
    expect(codec.decode('{"event":"dance"}')).toBeUndefined();
    expect(codec.decode('{"event":7}')).toMatchObject({ type: 'notice' });
    for (let n = 0; n < 100; n++) codec.decode(`{"event":"${n}"}`);
    expect(codec.decode('{"event":"one more"}')).toBeUndefined();
  });

  it('encodes audio, mark and clear as Twilio documents them', () => {
    const codec = startedCodec();
    expect(JSON.parse(codec.encodeAudio(new Uint8Array(160).fill(0xff)))).toEqual({
      event: 'media',
      streamSid: 'MZ1',
      media: { payload: Buffer.alloc(160, 0xff).toString('base64') },
    });
    expect(JSON.parse(codec.encodeMark('m'))).toEqual({
      event: 'mark',
      streamSid: 'MZ1',
      mark: { name: 'm' },
    });
    expect(JSON.parse(codec.encodeClear())).toEqual({ event: 'clear', streamSid: 'MZ1' });
  });

  it.each([
    ['not JSON', 'hello'],
    ['no object', '5'],
    ['media before start', '{"event":"media","media":{"timestamp":"0","payload":"//8="}}'],
  ])('refuses %s', (_, frame) => {
    expect(() => new TwilioMediaStreamCodec().decode(frame)).toThrow(ProtocolViolation);
  });

  it.each([
    ['a second start', start],
    ['media without payload', '{"event":"media","media":{"timestamp":"0"}}'],
    ['media without timestamp', '{"event":"media","media":{"payload":"//8="}}'],
    [
      'media of over a second',
      `{"event":"media","media":{"timestamp":"0","payload":"${'A'.repeat(60_000)}"}}`,
    ],
    ['an impossible digit', '{"event":"dtmf","dtmf":{"digit":"x"}}'],
  ])('refuses %s after start', (_, frame) => {
    expect(() => startedCodec().decode(frame)).toThrow(ProtocolViolation);
  });

  it('refuses a format that was not asked for', () => {
    const linear = start.replace('audio/x-mulaw', 'audio/l16');
    expect(() => new TwilioMediaStreamCodec().decode(linear)).toThrow(/mediaFormat/);
  });
});
