import { z } from 'zod';
import { type MediaStreamCodec, type MediaStreamEvent, ProtocolViolation } from '../port.js';
import { type FrameInOrder, FrameOrder } from './frame-order.js';

/**
 * Telnyx media streaming over WebSocket, bidirectional in RTP mode: JSON text frames with base64 mu-law
 * (PCMU) at 8,000 Hz. Source: developers.telnyx.com, "Stream call media over WebSocket".
 */
const startMessage = z.object({
  stream_id: z.string().min(1),
  start: z.object({
    call_control_id: z.string().min(1),
    /** Base64 of what the dialing or answering command was given: here JSON with `call_id` and `token`. */
    client_state: z.string().default(''),
    media_format: z.object({
      encoding: z.literal('PCMU'),
      sample_rate: z.literal(8000),
      channels: z.literal(1).default(1),
    }),
  }),
});
const clientState = z.record(z.string(), z.unknown());

/** The longest audio that one message may carry, in bytes: a second, fifty times what Telnyx sends. */
const MAX_AUDIO_BYTES = 8000;

interface MediaMessage {
  readonly track?: unknown;
  readonly chunk?: unknown;
  readonly timestamp?: unknown;
  readonly payload?: unknown;
}

export class TelnyxMediaStreamCodec implements MediaStreamCodec {
  #streamId: string | undefined;
  readonly #order = new FrameOrder();
  /** Nothing more comes: frames that still wait do so in vain. */
  #stopped = false;
  #stopTold = false;
  /** Reused for every frame: the receiver copies what it keeps. */
  readonly #audio = Buffer.alloc(MAX_AUDIO_BYTES);
  readonly #frame = new Uint8Array(this.#audio.buffer, this.#audio.byteOffset, MAX_AUDIO_BYTES);

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
        this.#stopped = true;
        return this.next();
      case 'error':
        throw new ProtocolViolation(`the carrier reports an error: ${errorTitle(message)}`);
      default:
        throw new ProtocolViolation(`an event that Telnyx does not document: ${String(message.event)}`);
    }
  }

  next(): MediaStreamEvent | undefined {
    const frame = this.#order.take(this.#stopped);
    if (frame) return audio(frame);
    if (!this.#stopped || this.#stopTold) return undefined;
    this.#stopTold = true;
    return { type: 'stopped' };
  }

  encodeAudio(frame: Uint8Array): string {
    const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
    return `{"event":"media","media":{"payload":"${bytes.toString('base64')}"}}`;
  }

  encodeMark(name: string): string {
    return JSON.stringify({ event: 'mark', mark: { name } });
  }

  encodeClear(): string {
    return '{"event":"clear"}';
  }

  #decodeStart(message: Record<string, unknown>): MediaStreamEvent {
    if (this.#streamId !== undefined) throw new ProtocolViolation('a second start');
    const parsed = startMessage.safeParse(message);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new ProtocolViolation(`start is not as documented: ${issue?.path.join('.')} ${issue?.message}`);
    }
    const { start, stream_id: streamId } = parsed.data;
    this.#streamId = streamId;
    return {
      type: 'started',
      streamId,
      carrierCallId: start.call_control_id,
      parameters: parametersOf(start.client_state),
    };
  }

  #decodeMedia(media: MediaMessage | undefined): MediaStreamEvent | undefined {
    if (typeof media?.payload !== 'string') throw new ProtocolViolation('media without a payload');
    if (media.track !== undefined && media.track !== 'inbound') return undefined;
    const [chunk, timestampMs] = [Number(media.chunk), Number(media.timestamp)];
    if (!Number.isInteger(chunk)) throw new ProtocolViolation('media without a chunk number');
    if (!Number.isFinite(timestampMs)) throw new ProtocolViolation('media without a timestamp');
    if (media.payload.length > (MAX_AUDIO_BYTES / 3) * 4)
      throw new ProtocolViolation('media of over a second');
    const length = this.#audio.write(media.payload, 'base64');
    const due = this.#order.offer(chunk, this.#frame.subarray(0, length), timestampMs);
    return due && audio(due);
  }

  #requireStarted(event: string): void {
    if (this.#streamId === undefined) throw new ProtocolViolation(`${event} before start`);
  }
}

function audio({ frame, timestampMs }: FrameInOrder): MediaStreamEvent {
  return { type: 'audio', frame, timestampMs };
}

/** What the dialing command put into the client state; nothing when it is not ours. */
function parametersOf(state: string): Record<string, string> {
  try {
    const parsed = clientState.parse(JSON.parse(Buffer.from(state, 'base64').toString('utf8')));
    return Object.fromEntries(
      Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return {};
  }
}

function errorTitle(message: Record<string, unknown>): string {
  const payload = message.payload as { code?: unknown; title?: unknown } | undefined;
  return `${String(payload?.code ?? '')} ${String(payload?.title ?? 'without a title')}`.trim();
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
