import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { Random } from '../system/seeded-random.js';
import { mutateJson, pick } from './mutate.js';
import { type FuzzTarget, load, refusing } from './target.js';

interface Codec {
  decode(message: string | Uint8Array): unknown;
  next?(): unknown;
  nextAt?(): number | undefined;
}
interface CodecModule {
  readonly CARRIER_CODECS: Readonly<Record<string, (options: { clock: ScriptedClock }) => Codec>>;
}

const payload = Buffer.alloc(160, 0x55).toString('base64');
const format = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 };
const state = Buffer.from(JSON.stringify({ call_id: 'c1', token: 'secret' })).toString('base64');

/** Messages as the carriers document them; the first begins a stream. */
const MESSAGES: Readonly<Record<string, readonly object[]>> = {
  twilio: [
    {
      event: 'start',
      sequenceNumber: '1',
      streamSid: 'MZ1',
      start: {
        accountSid: 'AC1',
        streamSid: 'MZ1',
        callSid: 'CA1',
        tracks: ['inbound'],
        mediaFormat: format,
        customParameters: { token: 'secret', call_id: 'c1' },
      },
    },
    { event: 'connected', protocol: 'Call', version: '1.0.0' },
    { event: 'media', streamSid: 'MZ1', media: { track: 'inbound', chunk: '2', timestamp: '25', payload } },
    { event: 'mark', streamSid: 'MZ1', mark: { name: 'turn-1' } },
    { event: 'dtmf', streamSid: 'MZ1', dtmf: { track: 'inbound_track', digit: '#' } },
    { event: 'stop', streamSid: 'MZ1', stop: { accountSid: 'AC1', callSid: 'CA1' } },
  ],
  plivo: [
    {
      event: 'start',
      sequenceNumber: 1,
      start: {
        callId: 'c1',
        streamId: 's1',
        accountId: 'MA1',
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 },
      },
      extra_headers: 'callId=0198f0c41a2b7c3d8e4f5a6b7c8d9e0f;token=61',
    },
    {
      event: 'media',
      streamId: 's1',
      media: { track: 'inbound', chunk: 2, timestamp: '1705312200000', payload },
    },
    { event: 'playedStream', streamId: 's1', name: 'turn-1' },
    { event: 'clearedAudio', streamId: 's1' },
    { event: 'dtmf', streamId: 's1', dtmf: { track: 'inbound', digit: '5', timestamp: '1705312200000' } },
    { event: 'stop', streamId: 's1' },
  ],
  telnyx: [
    {
      event: 'start',
      sequence_number: '1',
      stream_id: 'stream-1',
      start: {
        user_id: 'u1',
        call_control_id: 'v3:call',
        call_session_id: 's1',
        from: '+13122010094',
        to: '+13122123456',
        client_state: state,
        media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 },
      },
    },
    { event: 'connected', version: '1.0.0' },
    {
      event: 'media',
      sequence_number: '4',
      stream_id: 'stream-1',
      media: { track: 'inbound', chunk: '3', timestamp: '60', payload },
    },
    { event: 'mark', stream_id: 'stream-1', mark: { name: 'm1' } },
    { event: 'dtmf', stream_id: 'stream-1', dtmf: { digit: '#' } },
    { event: 'stop', stream_id: 'stream-1', stop: { call_control_id: 'v3:call' } },
  ],
};

/** Messages of one stream before a new one begins: what a codec keeps shows only over many. */
const STREAM_MESSAGES = 2000;
/** A frame that waits to be put in order may not wait for ever. */
const MOST_EVENTS_A_FRAME = 10_000;

export async function carrierFrames(carrier: string): Promise<FuzzTarget> {
  const { CARRIER_CODECS } = await load<CodecModule>('media-plane/dist/lines/carrier-codecs.js');
  const texts = MESSAGES[carrier]!.map((message) => JSON.stringify(message));
  const clock = new ScriptedClock();
  let codec: Codec | undefined;
  let left = 0;
  return {
    begin() {
      codec = undefined;
    },
    run(random) {
      if (!codec || left-- <= 0) {
        codec = CARRIER_CODECS[carrier]!({ clock });
        left = STREAM_MESSAGES;
        if (random() < 0.9) codec.decode(texts[0]!);
      }
      clock.advance(Math.floor(random() * 30));
      const text = input(random, texts);
      // As text and as bytes: media in its usual form is read in two ways.
      const message = random() < 0.5 ? text : Buffer.from(text);
      refusing(['ProtocolViolation'], () => drain(codec!, codec!.decode(message)));
    },
  };
}

/** A message with a change or two; media most of the time, and as often as not only its number is another. */
function input(random: Random, texts: readonly string[]): string {
  const text = random() < 0.6 ? texts.find((one) => one.includes('"media":{'))! : pick(random, texts);
  if (random() < 0.4) {
    const number = Math.floor(random() * (random() < 0.5 ? 50 : 100_000));
    return text.replace(/"chunk":"?\d+"?/, (was) => was.replace(/\d+/, String(number)));
  }
  const once = mutateJson(random, text);
  return random() < 0.3 ? mutateJson(random, once) : once;
}

function drain(codec: Codec, first: unknown): void {
  let events = first === undefined ? 0 : 1;
  while (codec.next?.() !== undefined) {
    events += 1;
    if (events > MOST_EVENTS_A_FRAME) throw new Error(`one frame caused over ${MOST_EVENTS_A_FRAME} events`);
  }
}
