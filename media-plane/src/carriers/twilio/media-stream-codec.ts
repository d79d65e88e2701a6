import { z } from 'zod';
import { type MediaStreamCodec, type MediaStreamEvent, ProtocolViolation } from '../port.js';

/**
 * Twilio Media Streams, bidirectional: JSON text frames with base64 mu-law at 8,000 Hz.
 * Source: Twilio's documentation "Media Streams - WebSocket Messages".
 */
const startMessage = z.object({
  streamSid: z.string().min(1),
  start: z.object({
    streamSid: z.string().min(1),
    callSid: z.string().min(1),
    tracks: z.array(z.string()),
    mediaFormat: z.object({
      encoding: z.literal('audio/x-mulaw'),
      sampleRate: z.literal(8000),
      channels: z.literal(1),
    }),
    customParameters: z.record(z.string(), z.string()).default({}),
  }),
});

/** The longest audio that one message may carry, in bytes: a second, fifty times what Twilio sends. */
const MAX_AUDIO_BYTES = 8000;

interface MediaMessage {
  readonly track?: unknown;
  readonly timestamp?: unknown;
  readonly payload?: unknown;
}

export class TwilioMediaStreamCodec implements MediaStreamCodec {
  #streamSid: string | undefined;
  /** Reused for every frame: the receiver copies what it keeps. */
  readonly #audio = Buffer.alloc(MAX_AUDIO_BYTES);
  /** The same bytes as a plain array: a Buffer's `slice` would not copy. */
  readonly #frame = new Uint8Array(this.#audio.buffer, this.#audio.byteOffset, MAX_AUDIO_BYTES);
  #mediaPrefix = '';

  decode(text: string): MediaStreamEvent | undefined {
    const message = parseObject(text);
    switch (message.event) {
      case 'media':
        this.#requireStarted('media');
        return this.#decodeMedia(message.media as MediaMessage | undefined);
      case 'mark': {
        this.#requireStarted('mark');
        const name = (message.mark as { name?: unknown } | undefined)?.name;
        if (typeof name !== 'string') throw new ProtocolViolation('a mark without a name');
        return { type: 'mark', name };
      }
      case 'dtmf': {
        this.#requireStarted('dtmf');
        const digit = (message.dtmf as { digit?: unknown } | undefined)?.digit;
        if (typeof digit !== 'string' || !/^[0-9A-D*#]$/.test(digit)) {
          throw new ProtocolViolation('dtmf without a valid digit');
        }
        return { type: 'dtmf', digit };
      }
      case 'connected':
        return undefined;
      case 'start':
        return this.#decodeStart(message);
      case 'stop':
        return { type: 'stopped' };
      default:
        throw new ProtocolViolation(`an event that Media Streams does not know: ${String(message.event)}`);
    }
  }

  encodeAudio(frame: Uint8Array): string {
    const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
    return `${this.#mediaPrefix}${bytes.toString('base64')}"}}`;
  }

  encodeMark(name: string): string {
    return JSON.stringify({ event: 'mark', streamSid: this.#streamSid, mark: { name } });
  }

  encodeClear(): string {
    return JSON.stringify({ event: 'clear', streamSid: this.#streamSid });
  }

  #decodeStart(message: Record<string, unknown>): MediaStreamEvent {
    if (this.#streamSid !== undefined) throw new ProtocolViolation('a second start');
    const parsed = startMessage.safeParse(message);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new ProtocolViolation(`start is not as documented: ${issue?.path.join('.')} ${issue?.message}`);
    }
    const { start } = parsed.data;
    this.#streamSid = start.streamSid;
    this.#mediaPrefix = `{"event":"media","streamSid":${JSON.stringify(start.streamSid)},"media":{"payload":"`;
    return {
      type: 'started',
      streamId: start.streamSid,
      carrierCallId: start.callSid,
      parameters: start.customParameters,
    };
  }

  #decodeMedia(media: MediaMessage | undefined): MediaStreamEvent | undefined {
    if (typeof media?.payload !== 'string') throw new ProtocolViolation('media without a payload');
    if (media.track !== undefined && media.track !== 'inbound') return undefined;
    const timestampMs = Number(media.timestamp);
    if (!Number.isFinite(timestampMs)) throw new ProtocolViolation('media without a timestamp');
    if (media.payload.length > (MAX_AUDIO_BYTES / 3) * 4)
      throw new ProtocolViolation('media of over a second');
    const length = this.#audio.write(media.payload, 'base64');
    return { type: 'audio', frame: this.#frame.subarray(0, length), timestampMs };
  }

  #requireStarted(event: string): void {
    if (this.#streamSid === undefined) throw new ProtocolViolation(`${event} before start`);
  }
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProtocolViolation('a frame that is not JSON');
  }
  if (typeof value !== 'object' || value === null) throw new ProtocolViolation('a frame that is no object');
  return value as Record<string, unknown>;
}
