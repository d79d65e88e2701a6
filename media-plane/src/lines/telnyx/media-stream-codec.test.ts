import { convertAudio } from '@voice/shared/audio/converter';
import { type AudioFormat, L16_16K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { decodeMulaw } from '@voice/shared/audio/g711';
import { encodeSamples } from '@voice/shared/audio/samples';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { ProtocolViolation } from '../codec.js';
import { TelnyxMediaStreamCodec } from './media-stream-codec.js';
import { due, heard, media, start, startedCodec, state } from './testing/frames.js';

describe("Telnyx's media stream", () => {
  it('decodes the ids of start and the client state', () => {
    const codec = new TelnyxMediaStreamCodec();
    expect(codec.decode('{"event":"connected","version":"1.0.0"}')).toBeUndefined();
    expect(codec.decode(start())).toEqual({
      type: 'started',
      streamId: 'stream-1',
      carrierCallId: 'v3:call',
      parameters: { call_id: 'c1', token: 'secret' },
      format: PCMU_8K,
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

  it('decodes keys and marks', () => {
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
  /** Sends the chunks 20 ms apart. */
  const hear = (chunks: number[]) => {
    const clock = new ScriptedClock();
    const codec = startedCodec(clock);
    return chunks.flatMap((chunk) => {
      const events = heard(codec, media(chunk));
      clock.advance(20);
      return events;
    });
  };

  it.each<[string, number[], (number | 'lost')[]]>([
    ['in order passes at once', [1, 2, 3], [1, 2, 3]],
    ['two that swapped places swap back', [1, 3, 2, 4], [1, 2, 3, 4]],
    ['one that is three late is waited for', [1, 3, 4, 5, 2, 6], [1, 2, 3, 4, 5, 6]],
    ['a repeat is dropped', [1, 2, 2, 3, 1], [1, 2, 3]],
    ['a repeat of one that waits is dropped', [1, 3, 3, 2], [1, 2, 3]],
    ['one that never comes is given up after 60 ms', [1, 3, 4, 5, 6, 7], [1, 'lost', 3, 4, 5, 6, 7]],
    ['one that comes after it was given up is dropped', [1, 3, 4, 5, 6, 2, 7], [1, 'lost', 3, 4, 5, 6, 7]],
    ['several that never come are each made up', [1, 4, 5, 6, 7, 8], [1, 'lost', 'lost', 4, 5, 6, 7, 8]],
    ['a long gap stays one', [1, 20, 21, 22, 23, 24], [1, 20, 21, 22, 23, 24]],
    ['the first may be overtaken', [2, 3, 1, 4], [1, 2, 3, 4]],
    ['a first that never comes is not made up', [2, 3, 4, 5, 6], [2, 3, 4, 5, 6]],
    ['a numbering may begin anywhere', [200, 202, 201, 203], [200, 201, 202, 203]],
    ['a numbering that starts again goes on', [60, 61, 62, 1, 2, 4, 3, 5], [60, 61, 62, 1, 2, 3, 4, 5]],
    ['also one that was short', [1, 2, 3, 4, 5, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 3, 4, 5]],
  ])('%s', (_, sent, expected) => {
    expect(hear(sent)).toEqual(expected);
  });

  it('waits by time and not by number: a burst is put in order, however long', () => {
    const codec = startedCodec();
    heard(codec, media(1));
    for (let chunk = 3; chunk < 20; chunk++) expect(heard(codec, media(chunk))).toEqual([]);
    expect(heard(codec, media(2))).toEqual(Array.from({ length: 18 }, (_, n) => n + 2));
  });

  it('gives up after 60 ms also when no further frame comes', () => {
    const clock = new ScriptedClock();
    const codec = startedCodec(clock);
    expect(heard(codec, media(1))).toEqual([1]);
    expect(codec.nextAt()).toBeUndefined();
    clock.advance(20);
    expect(heard(codec, media(3))).toEqual([]);
    expect(codec.nextAt()).toBe(80);
    clock.advance(59);
    expect(due(codec)).toEqual([]);
    clock.advance(1);
    expect(due(codec)).toEqual(['lost', 3]);
    expect(codec.nextAt()).toBeUndefined();
  });

  it('keeps the position going, through what was lost and through a numbering that starts again', () => {
    const clock = new ScriptedClock();
    const codec = startedCodec(clock);
    const positions: number[] = [];
    for (const chunk of [100, 101, 103, 104, 105, 106, 1, 2, 3]) {
      for (let event = codec.decode(media(chunk)) ?? codec.next(); event; event = codec.next()) {
        if (event.type === 'audio') positions.push(event.timestampMs);
      }
      clock.advance(20);
    }
    expect(positions).toEqual(Array.from({ length: 10 }, (_, n) => 2000 + n * 20));
  });

  it('makes up what was lost from what came before it, fading to silence', () => {
    const clock = new ScriptedClock();
    const codec = startedCodec(clock);
    const loud = Buffer.alloc(160, 0x10).toString('base64');
    codec.decode(media(1).replace(/"payload":"[^"]*"/, `"payload":"${loud}"`));
    codec.decode(media(8));
    clock.advance(60);
    const levels: number[] = [];
    for (let event = codec.next(); event; event = codec.next()) {
      if (event.type !== 'audio' || !event.concealed) continue;
      const samples = decodeMulaw(event.frame);
      levels.push(Math.abs(samples[0]!), Math.abs(samples[159]!));
    }
    expect(levels).toHaveLength(12);
    expect(levels[0]).toBeGreaterThan(10_000);
    expect(levels).toEqual([...levels].sort((a, b) => b - a));
    expect(levels.slice(6)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('is reported before the end of the stream', () => {
    const codec = startedCodec();
    heard(codec, media(1));
    heard(codec, media(3));
    expect(heard(codec, '{"event":"stop","stream_id":"stream-1","stop":{}}')).toEqual([
      'lost',
      3,
      { type: 'stopped' },
    ]);
  });
});

describe('the codec of the stream', () => {
  const tone = (format: AudioFormat) =>
    encodeSamples(
      format.encoding,
      Int16Array.from({ length: format.sampleRate / 50 }, (_, n) => 9000 * Math.sin(n / 5)),
    );
  const startOf = (encoding: string, sample_rate: number, codec?: string) =>
    start({
      client_state: state({ call_id: 'c1', token: 'secret', codec }),
      media_format: { encoding, sample_rate, channels: 1 },
    });
  const mediaOf = (audio: Uint8Array) =>
    media(1).replace(/"payload":"[^"]*"/, `"payload":"${Buffer.from(audio).toString('base64')}"`);

  it.each<[string, number, AudioFormat]>([
    ['PCMU', 8000, PCMU_8K],
    ['PCMA', 8000, PCMA_8K],
    ['L16', 16_000, L16_16K],
  ])('%s is passed on as it is, both ways', (codec, rate, format) => {
    const stream = new TelnyxMediaStreamCodec({ clock: new ScriptedClock() });
    expect(stream.decode(startOf(codec, rate, codec))).toMatchObject({ format });
    const audio = tone(format);
    const event = stream.decode(mediaOf(audio));
    expect(event).toMatchObject({ type: 'audio', timestampMs: 20 });
    expect(Buffer.from((event as { frame: Uint8Array }).frame).equals(audio)).toBe(true);
    const sent = JSON.parse(stream.encodeAudio(audio)) as { media: { payload: string } };
    expect(Buffer.from(sent.media.payload, 'base64').equals(audio)).toBe(true);
  });

  it('of the call itself is converted to the requested one where Telnyx could not change it', () => {
    const stream = new TelnyxMediaStreamCodec({ clock: new ScriptedClock() });
    expect(stream.decode(startOf('PCMA', 8000))).toMatchObject({ format: PCMU_8K });
    const alaw = tone(PCMA_8K);
    const event = stream.decode(mediaOf(alaw)) as { frame: Uint8Array };
    expect(event.frame).toEqual(convertAudio(alaw, { from: PCMA_8K, to: PCMU_8K }));
  });

  it('is refused when it is one that nobody can have asked for', () => {
    for (const text of [
      startOf('L16', 44_100, 'L16'),
      startOf('PCMU', 16_000),
      startOf('PCMU', 8000, 'G722'),
    ]) {
      expect(() => new TelnyxMediaStreamCodec().decode(text)).toThrow(ProtocolViolation);
    }
  });
});

describe('what Telnyx reports', () => {
  it('as an error is noted, and the stream goes on', () => {
    const codec = startedCodec();
    const error = '{"event":"error","payload":{"code":100003,"title":"malformed_frame"}}';
    expect(heard(codec, error)).toEqual([
      {
        type: 'notice',
        code: 'carrier_error',
        message: 'The carrier reports an error: 100003 malformed_frame',
      },
    ]);
    expect(heard(codec, media(1))).toEqual([1]);
  });

  it('by an event that is not documented is noted once', () => {
    const codec = startedCodec();
    expect(heard(codec, '{"event":"dance"}')).toMatchObject([{ type: 'notice' }]);
    expect(heard(codec, '{"event":"dance"}')).toEqual([]);
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
    // From here on a number and the next are the same: frames could not be counted.
    ['a chunk number that no call comes to', media(2 ** 53)],
    ['one below zero', media(-(2 ** 53))],
    ['a time that no call comes to', media(1).replace('"20"', '"1e300"')],
    ['no JSON', '{'],
    ['no object', '7'],
    ['a second start', start()],
    ['another encoding', start({ media_format: { encoding: 'G722', sample_rate: 16000 } })],
    ['media without a payload', '{"event":"media","media":{"chunk":"1","timestamp":"0"}}'],
    ['media without a chunk', '{"event":"media","media":{"timestamp":"0","payload":"//8="}}'],
    ['media without a timestamp', '{"event":"media","media":{"chunk":"1","payload":"//8="}}'],
    ['a mark without a name', '{"event":"mark","mark":{}}'],
    ['a key that is none', '{"event":"dtmf","dtmf":{"digit":"x"}}'],
  ])('%s is refused', (_, text) => {
    expect(() => startedCodec().decode(text)).toThrow(ProtocolViolation);
  });

  it('media before start is refused', () => {
    expect(() => new TelnyxMediaStreamCodec().decode(media(1))).toThrow(/before start/);
  });
});
