import { z } from 'zod';
import {
  AudioPayload,
  base64Of,
  isInbound,
  type JsonFrame,
  keyOf,
  type MediaFields,
  markOf,
  parseFrame,
  parseStart,
  timestampOf,
} from '../json-frames.js';
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

export class TelnyxMediaStreamCodec implements MediaStreamCodec {
  #streamId: string | undefined;
  readonly #order = new FrameOrder();
  /** Nothing more comes: frames that still wait do so in vain. */
  #stopped = false;
  #stopTold = false;
  readonly #audio = new AudioPayload();

  decode(text: string): MediaStreamEvent | undefined {
    const frame = parseFrame(text);
    switch (frame.event) {
      case 'media':
        this.#requireStarted('media');
        return this.#decodeMedia(frame.media ?? {});
      case 'mark':
        this.#requireStarted('mark');
        return markOf(frame);
      case 'dtmf':
        this.#requireStarted('dtmf');
        return keyOf(frame);
      case 'connected':
        return undefined;
      case 'start':
        return this.#decodeStart(frame);
      case 'stop':
        this.#stopped = true;
        return this.next();
      case 'error':
        throw new ProtocolViolation(`the carrier reports an error: ${errorTitle(frame)}`);
      default:
        throw new ProtocolViolation(`an event that Telnyx does not document: ${String(frame.event)}`);
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
    return `{"event":"media","media":{"payload":"${base64Of(frame)}"}}`;
  }

  encodeMark(name: string): string {
    return JSON.stringify({ event: 'mark', mark: { name } });
  }

  encodeClear(): string {
    return '{"event":"clear"}';
  }

  #decodeStart(frame: JsonFrame): MediaStreamEvent {
    if (this.#streamId !== undefined) throw new ProtocolViolation('a second start');
    const { start, stream_id: streamId } = parseStart(startMessage, frame);
    this.#streamId = streamId;
    return {
      type: 'started',
      streamId,
      carrierCallId: start.call_control_id,
      parameters: parametersOf(start.client_state),
    };
  }

  #decodeMedia(media: MediaFields): MediaStreamEvent | undefined {
    if (!isInbound(media)) return undefined;
    const chunk = Number(media.chunk);
    if (!Number.isInteger(chunk)) throw new ProtocolViolation('media without a chunk number');
    const due = this.#order.offer(chunk, this.#audio.decode(media), timestampOf(media));
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

function errorTitle(frame: JsonFrame): string {
  const payload = frame.payload as { code?: unknown; title?: unknown } | undefined;
  return `${String(payload?.code ?? '')} ${String(payload?.title ?? 'without a title')}`.trim();
}
