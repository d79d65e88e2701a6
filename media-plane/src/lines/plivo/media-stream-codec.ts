import { PCMU_8K } from '@voice/shared/audio/format';
import { FRAME_BYTES, FRAME_MS } from '@voice/shared/audio/g711';
import { z } from 'zod';
import { type MediaStreamCodec, type MediaStreamEvent, ProtocolViolation } from '../codec.js';
import {
  AudioPayload,
  base64Of,
  isCountable,
  isInbound,
  type JsonFrame,
  keyOf,
  type MediaFields,
  parseFrame,
  parseStart,
  UnknownEvents,
} from '../json-frames.js';
import { LostAudio } from '../lost-audio.js';
import { MediaFrameReader } from '../media-frame-reader.js';

/**
 * Plivo's audio streams, bidirectional: JSON text frames with base64 mu-law at 8,000 Hz.
 * Source: Plivo's documentation "Stream Event Protocol".
 */
const startMessage = z.object({
  start: z.object({
    callId: z.string().min(1),
    streamId: z.string().min(1),
    tracks: z.array(z.string()),
    mediaFormat: z.object({ encoding: z.literal('audio/x-mulaw'), sampleRate: z.literal(8000) }),
  }),
  extra_headers: z.string().default(''),
});
const chunkNumber = z.number().int().nonnegative().refine(isCountable);
const named = z.object({ name: z.string() });

/** What carries audio to Plivo, up to the payload. */
const MEDIA_PREFIX =
  '{"event":"playAudio","media":{"contentType":"audio/x-mulaw","sampleRate":8000,"payload":"';

export class PlivoMediaStreamCodec implements MediaStreamCodec {
  #streamId: string | undefined;
  readonly #audio = new AudioPayload();
  readonly #usual = new MediaFrameReader({ quotedChunks: false });
  readonly #unknown = new UnknownEvents();
  /** Checkpoints that have not come back: what is cleared never says so of them. */
  #pending: string[] = [];
  readonly #due: MediaStreamEvent[] = [];
  /** Where the next audio begins, in ms since the stream did: frames carry the time of day instead. */
  #positionMs = 0;
  #nextChunk: number | undefined;
  readonly #lost = new LostAudio(PCMU_8K);

  decode(message: string | Uint8Array): MediaStreamEvent | undefined {
    const frame = parseFrame(message, this.#usual);
    switch (frame.event) {
      case 'media':
        this.#requireStarted('media');
        return this.#decodeMedia(frame.media ?? {});
      case 'playedStream':
        this.#requireStarted('playedStream');
        return this.#played(frame);
      case 'clearedAudio':
        this.#requireStarted('clearedAudio');
        this.#due.push(...this.#pending.map((name) => ({ type: 'mark', name }) as const));
        this.#pending = [];
        return undefined;
      case 'dtmf':
        this.#requireStarted('dtmf');
        return keyOf(frame);
      case 'start':
        return this.#decodeStart(frame);
      case 'stop':
        return { type: 'stopped' };
      default:
        return this.#unknown.report(frame);
    }
  }

  next(): MediaStreamEvent | undefined {
    return this.#lost.next() ?? this.#due.shift();
  }

  encodeAudio(frame: Uint8Array): string {
    return `${MEDIA_PREFIX}${base64Of(frame)}"}}`;
  }

  encodeMark(name: string): string {
    this.#pending.push(name);
    return JSON.stringify({ event: 'checkpoint', streamId: this.#streamId, name });
  }

  encodeClear(): string {
    return JSON.stringify({ event: 'clearAudio', streamId: this.#streamId });
  }

  #decodeStart(frame: JsonFrame): MediaStreamEvent {
    if (this.#streamId !== undefined) throw new ProtocolViolation('a second start');
    const { start, extra_headers: headers } = parseStart(startMessage, frame);
    this.#streamId = start.streamId;
    return {
      type: 'started',
      streamId: start.streamId,
      carrierCallId: start.callId,
      parameters: parametersOf(headers),
      format: PCMU_8K,
    };
  }

  #decodeMedia(media: MediaFields): MediaStreamEvent | undefined {
    if (!isInbound(media)) return undefined;
    const chunk = chunkNumber.safeParse(media.chunk);
    if (!chunk.success) throw new ProtocolViolation('media without a chunk number');
    const frame = this.#audio.decode(media);
    const missing = Math.max(0, chunk.data - (this.#nextChunk ?? chunk.data));
    this.#positionMs += missing * FRAME_MS;
    this.#nextChunk = chunk.data + 1;
    const timestampMs = this.#positionMs;
    this.#positionMs += (frame.length / FRAME_BYTES) * FRAME_MS;
    return this.#lost.offer(frame, timestampMs, missing);
  }

  #played(frame: JsonFrame): MediaStreamEvent | undefined {
    const parsed = named.safeParse(frame);
    if (!parsed.success) throw new ProtocolViolation('playedStream without a name');
    const { name } = parsed.data;
    const at = this.#pending.indexOf(name);
    if (at < 0) return undefined;
    this.#pending.splice(at, 1);
    return { type: 'mark', name };
  }

  #requireStarted(event: string): void {
    if (this.#streamId === undefined) throw new ProtocolViolation(`${event} before start`);
  }
}

/**
 * The parameters in `extra_headers`, such as `callId=0198…;token=6f2a…`: Plivo lets letters and digits through alone,
 * so that both values are in hexadecimal.
 */
function parametersOf(headers: string): Record<string, string> {
  const given = new Map(
    headers.split(/[;,]/).map((pair) => {
      const [name = '', value = ''] = pair.trim().split('=');
      return [name, value] as const;
    }),
  );
  const id = given.get('callId') ?? '';
  return {
    call_id: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    token: Buffer.from(given.get('token') ?? '', 'hex').toString('utf8'),
  };
}
