import type { Clock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { MediaStreamEvent } from '../../codec.js';
import { TelnyxMediaStreamCodec } from '../media-stream-codec.js';

/** Encodes a client state as the dialing command does. */
export const state = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

/** Builds the message that begins a stream. */
export const start = (changes: object = {}) =>
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

/** Builds a message of 20 ms whose bytes carry its number. */
export const media = (chunk: number, track = 'inbound') =>
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

/** Opens a codec whose stream has begun. */
export function startedCodec(clock: Clock = new ScriptedClock()): TelnyxMediaStreamCodec {
  const codec = new TelnyxMediaStreamCodec({ clock });
  codec.decode('{"event":"connected","version":"1.0.0"}');
  codec.decode(start());
  return codec;
}

/** Simplifies an event: audio as the number that its bytes carry, what was made up as `lost`. */
function asHeard(event: MediaStreamEvent): number | 'lost' | MediaStreamEvent {
  if (event.type !== 'audio') return event;
  return event.concealed ? 'lost' : event.frame[0]!;
}

/** Returns the events that a frame causes, in their order. */
export function heard(codec: TelnyxMediaStreamCodec, text: string) {
  const first = codec.decode(text);
  return [...(first ? [asHeard(first)] : []), ...due(codec)];
}

/** Returns what has become due without a frame. */
export function due(codec: TelnyxMediaStreamCodec) {
  const events = [];
  for (let event = codec.next(); event; event = codec.next()) events.push(asHeard(event));
  return events;
}
