import { AudioConverter } from '@voice/shared/audio/converter';
import { type AudioFormat, L16_8K, L16_16K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { z } from 'zod';
import { type MediaStreamCodec, type MediaStreamEvent, ProtocolViolation } from '../codec.js';
import { Concealment } from '../concealment.js';
import {
  AudioPayload,
  base64Of,
  isCountable,
  isInbound,
  type JsonFrame,
  keyOf,
  type MediaFields,
  markOf,
  numberOf,
  parseFrame,
  parseStart,
  timestampOf,
  UnknownEvents,
} from '../json-frames.js';
import { MediaFrameReader } from '../media-frame-reader.js';
import { type FrameInOrder, FrameOrder } from './frame-order.js';

/**
 * Telnyx media streaming over WebSocket, bidirectional in RTP mode: JSON text frames with base64 audio. We
 * send what the dialing command asked for (`stream_bidirectional_codec`, in the client state as `codec`; PCMU
 * where it says nothing); what we get is in `media_format`, which is the call's own codec where Telnyx could
 * not change it. Source: developers.telnyx.com, "Stream call media over WebSocket".
 */
const mono = z.literal(1).default(1);
const startMessage = z.object({
  stream_id: z.string().min(1),
  start: z.object({
    call_control_id: z.string().min(1),
    /** Base64 of what the dialing or answering command was given: here JSON with `call_id` and `token`. */
    client_state: z.string().default(''),
    media_format: z.discriminatedUnion('encoding', [
      z.object({ encoding: z.literal('PCMU'), sample_rate: z.literal(8000), channels: mono }),
      z.object({ encoding: z.literal('PCMA'), sample_rate: z.literal(8000), channels: mono }),
      z.object({
        encoding: z.literal('L16'),
        sample_rate: z.union([z.literal(8000), z.literal(16_000)]),
        channels: mono,
      }),
    ]),
  }),
});
type MediaFormat = z.output<typeof startMessage>['start']['media_format'];
const clientState = z.record(z.string(), z.unknown());

/**
 * Byte order of L16 in Telnyx's payloads. Its documentation does not say; RTP's own would be big-endian
 * (RFC 3551), but those who use it, Telnyx's demonstration among them, report little-endian. Not verified here.
 */
const L16_BYTE_ORDER = 'little' as 'little' | 'big';

export interface TelnyxMediaStreamCodecOptions {
  readonly clock?: Clock;
}

export class TelnyxMediaStreamCodec implements MediaStreamCodec {
  #streamId: string | undefined;
  readonly #order: FrameOrder;
  /** What we send, and the call gets. */
  #format: AudioFormat = PCMU_8K;
  /** What Telnyx sends. */
  #wireFormat: AudioFormat = PCMU_8K;
  #converter: AudioConverter | undefined;
  #concealment: Concealment | undefined;
  /** Nothing more comes: frames that still wait do so in vain. */
  #stopped = false;
  #stopReported = false;
  readonly #audio = new AudioPayload();
  readonly #usual = new MediaFrameReader({ quotedChunks: true });
  readonly #unknown = new UnknownEvents();

  constructor({ clock = systemClock }: TelnyxMediaStreamCodecOptions = {}) {
    this.#order = new FrameOrder(clock);
  }

  decode(message: string | Uint8Array): MediaStreamEvent | undefined {
    const frame = parseFrame(message, this.#usual);
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
        return {
          type: 'notice',
          code: 'carrier_error',
          message: `The carrier reports an error: ${errorTitle(frame)}`,
        };
      default:
        return this.#unknown.report(frame);
    }
  }

  next(): MediaStreamEvent | undefined {
    for (let due = this.#order.take(this.#stopped); due; due = this.#order.take(this.#stopped)) {
      const event = this.#inOrder(due);
      if (event) return event;
    }
    if (!this.#stopped || this.#stopReported) return undefined;
    this.#stopReported = true;
    return { type: 'stopped' };
  }

  nextAt(): number | undefined {
    return this.#order.givesUpAt;
  }

  encodeAudio(frame: Uint8Array): string {
    return `{"event":"media","media":{"payload":"${base64Of(onWire(this.#format, frame))}"}}`;
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
    const parameters = parametersOf(start.client_state);
    this.#format = askedFormat(parameters.codec);
    this.#converter = new AudioConverter({ from: formatOf(start.media_format), to: this.#format });
    this.#concealment = new Concealment(this.#format);
    this.#wireFormat = formatOf(start.media_format);
    return {
      type: 'started',
      streamId,
      carrierCallId: start.call_control_id,
      parameters,
      format: this.#format,
    };
  }

  #decodeMedia(media: MediaFields): MediaStreamEvent | undefined {
    if (!isInbound(media)) return undefined;
    const chunk = numberOf(media.chunk);
    if (!Number.isInteger(chunk) || !isCountable(chunk))
      throw new ProtocolViolation('media without a chunk number');
    const due = this.#order.offer(chunk, this.#audio.decode(media), timestampOf(media));
    return due && this.#inOrder(due);
  }

  #inOrder(due: FrameInOrder): MediaStreamEvent | undefined {
    const { timestampMs } = due;
    if (due.kind === 'lost') {
      return { type: 'audio', frame: this.#concealment!.conceal(), timestampMs, concealed: true };
    }
    const frame = this.#converter!.convert(onWire(this.#wireFormat, due.frame));
    // The first pieces of a converted stream may not be enough for a sample yet.
    if (frame.length === 0) return undefined;
    this.#concealment!.heard(frame);
    return { type: 'audio', frame, timestampMs };
  }

  #requireStarted(event: string): void {
    if (this.#streamId === undefined) throw new ProtocolViolation(`${event} before start`);
  }
}

function formatOf({ encoding, sample_rate: sampleRate }: MediaFormat): AudioFormat {
  switch (encoding) {
    case 'PCMU':
      return PCMU_8K;
    case 'PCMA':
      return PCMA_8K;
    case 'L16':
      return sampleRate === 8000 ? L16_8K : L16_16K;
  }
}

/** Returns the format that the dialing command asked for. */
function askedFormat(codec: string | undefined): AudioFormat {
  switch (codec) {
    case undefined:
    case 'PCMU':
      return PCMU_8K;
    case 'PCMA':
      return PCMA_8K;
    case 'L16':
      return L16_16K;
    default:
      throw new ProtocolViolation(`a codec in the client state that we never ask for: ${codec}`);
  }
}

/** Converts our little-endian samples to Telnyx's, and back. */
function onWire({ encoding }: AudioFormat, bytes: Uint8Array): Uint8Array {
  if (encoding !== 'l16' || L16_BYTE_ORDER === 'little') return bytes;
  return Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();
}

/** Reads the parameters that the dialing command put into the client state; none when it is not ours. */
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
  const payload = frame.payload as { code?: unknown; title?: unknown } | null | undefined;
  return `${textOf(payload?.code, '')} ${textOf(payload?.title, 'without a title')}`.trim();
}

/** Only what carriers send as text: an object may have no text, and then throws. */
const textOf = (value: unknown, otherwise: string): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise;
