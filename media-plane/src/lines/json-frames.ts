import type { z } from 'zod';
import { type MediaStreamEvent, ProtocolViolation } from './codec.js';
import type { MediaFrameReader } from './media-frame-reader.js';

/**
 * What carriers' media streams of JSON text frames have in common: the frame, marks, keys, and base64
 * audio. What is a carrier's own stays in its codec.
 */

/**
 * The longest audio that one message may carry, in bytes: a second of L16 at 16,000 Hz, fifty times what carriers send.
 */
const MAX_AUDIO_BYTES = 32_000;

export interface MediaFields {
  readonly track?: unknown;
  readonly chunk?: unknown;
  readonly timestamp?: unknown;
  /** Base64, or the bytes where they were decoded on the way. */
  readonly payload?: unknown;
}

export interface JsonFrame {
  readonly event?: unknown;
  readonly media?: MediaFields;
  readonly mark?: { readonly name?: unknown };
  readonly dtmf?: { readonly digit?: unknown };
  readonly payload?: unknown;
}

/**
 * Reads a message as text, or as its bytes in UTF-8: then media in its usual form does without JSON's parser.
 * @throws ProtocolViolation for anything but a JSON object
 */
export function parseFrame(message: string | Uint8Array, usual: MediaFrameReader): JsonFrame {
  if (typeof message === 'string') return parseText(message);
  const media = usual.read(message);
  if (media) return { event: 'media', media };
  return parseText(Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString('utf8'));
}

function parseText(text: string): JsonFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProtocolViolation('a frame that is not JSON');
  }
  if (typeof value !== 'object' || value === null) throw new ProtocolViolation('a frame that is no object');
  return value;
}

/** @throws ProtocolViolation naming the first field that is not as documented */
export function parseStart<T>(schema: z.ZodType<T>, frame: JsonFrame): T {
  const parsed = schema.safeParse(frame);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ProtocolViolation(`start is not as documented: ${issue?.path.join('.')} ${issue?.message}`);
}

export function markOf({ mark }: JsonFrame): MediaStreamEvent {
  if (typeof mark?.name !== 'string') throw new ProtocolViolation('a mark without a name');
  return { type: 'mark', name: mark.name };
}

export function keyOf({ dtmf }: JsonFrame): MediaStreamEvent {
  if (typeof dtmf?.digit !== 'string' || !/^[0-9A-D*#]$/.test(dtmf.digit)) {
    throw new ProtocolViolation('dtmf without a valid digit');
  }
  return { type: 'dtmf', digit: dtmf.digit };
}

/** Returns whether the frame is the caller's audio; carriers may send the other track, too. */
export function isInbound({ track }: MediaFields): boolean {
  return track === undefined || track === 'inbound';
}

/** Reads a number, which carriers send as such or as text; NaN where it is neither. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

/** More than any call's frames or ms are: numbers beyond it cannot be counted on one by one. */
const MOST_COUNTED = 2 ** 40;

/** Returns whether it is a number that a stream's frames or its time may have. */
export const isCountable = (value: number): boolean => Math.abs(value) <= MOST_COUNTED;

export function timestampOf({ timestamp }: MediaFields): number {
  const timestampMs = numberOf(timestamp);
  if (!isCountable(timestampMs)) throw new ProtocolViolation('media without a timestamp');
  return timestampMs;
}

/** Decodes base64 audio into one buffer that every frame reuses: the receiver copies what it keeps. */
export class AudioPayload {
  /** There once it is needed: media in its usual form comes decoded. */
  #bytes: Buffer | undefined;

  decode({ payload }: MediaFields): Uint8Array {
    if (payload instanceof Uint8Array) return payload;
    if (typeof payload !== 'string') throw new ProtocolViolation('media without a payload');
    if (payload.length > (MAX_AUDIO_BYTES / 3) * 4) throw new ProtocolViolation('media of over a second');
    this.#bytes ??= Buffer.alloc(MAX_AUDIO_BYTES);
    const length = this.#bytes.write(payload, 'base64');
    // A plain array: a Buffer's `slice` would not copy.
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset, length);
  }
}

export function base64Of(frame: Uint8Array): string {
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString('base64');
}

/** Names of unknown events that are reported; a carrier that invents more is not listened to. */
const MAX_UNKNOWN_EVENTS = 16;

/**
 * Reports events that the carrier's documentation did not have when this was written, each once; the stream goes on.
 */
export class UnknownEvents {
  readonly #reported = new Set<string>();

  /** Returns a notice the first time that an event of this name comes. */
  report({ event }: JsonFrame): MediaStreamEvent | undefined {
    const name = typeof event === 'string' ? event.slice(0, 60) : `(${typeof event})`;
    if (this.#reported.has(name) || this.#reported.size >= MAX_UNKNOWN_EVENTS) return undefined;
    this.#reported.add(name);
    return {
      type: 'notice',
      code: 'carrier_event_unknown',
      message: `The carrier sent an event that is not known here: ${name}`,
    };
  }
}
