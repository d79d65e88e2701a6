import { PCMU_8K } from '@voice/shared/audio/format';
import { FRAME_BYTES, FRAME_MS } from '@voice/shared/audio/g711';
import { z } from 'zod';
import { type MediaStreamCodec, type MediaStreamEvent, ProtocolViolation } from '../codec.js';
import {
  AudioPayload,
  base64Of,
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
import { LostAudio } from '../lost-audio.js';
import { MediaFrameReader } from '../media-frame-reader.js';

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

export class TwilioMediaStreamCodec implements MediaStreamCodec {
  #streamSid: string | undefined;
  readonly #audio = new AudioPayload();
  readonly #usual = new MediaFrameReader({ quotedChunks: true });
  readonly #unknown = new UnknownEvents();
  #mediaPrefix = '';
  readonly #lost = new LostAudio(PCMU_8K);
  #nextChunk = Number.NaN;
  /** Where the stream is by what has come of it, lost frames included, in ms. */
  #positionMs: number | undefined;

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
        return { type: 'stopped' };
      default:
        return this.#unknown.report(frame);
    }
  }

  next(): MediaStreamEvent | undefined {
    return this.#lost.next();
  }

  encodeAudio(frame: Uint8Array): string {
    return `${this.#mediaPrefix}${base64Of(frame)}"}}`;
  }

  encodeMark(name: string): string {
    return JSON.stringify({ event: 'mark', streamSid: this.#streamSid, mark: { name } });
  }

  encodeClear(): string {
    return JSON.stringify({ event: 'clear', streamSid: this.#streamSid });
  }

  #decodeStart(frame: JsonFrame): MediaStreamEvent {
    if (this.#streamSid !== undefined) throw new ProtocolViolation('a second start');
    const { start } = parseStart(startMessage, frame);
    this.#streamSid = start.streamSid;
    this.#mediaPrefix = `{"event":"media","streamSid":${JSON.stringify(start.streamSid)},"media":{"payload":"`;
    return {
      type: 'started',
      streamId: start.streamSid,
      carrierCallId: start.callSid,
      parameters: start.customParameters,
      format: PCMU_8K,
    };
  }

  #decodeMedia(media: MediaFields): MediaStreamEvent | undefined {
    if (!isInbound(media)) return undefined;
    const timestampMs = timestampOf(media);
    const frame = this.#audio.decode(media);
    const missing = this.#missingBefore(numberOf(media.chunk), timestampMs);
    const lastsMs = (frame.length / FRAME_BYTES) * FRAME_MS;
    this.#positionMs = (this.#positionMs ?? timestampMs) + missing * FRAME_MS + lastsMs;
    return this.#lost.offer(frame, timestampMs, missing);
  }

  /** Returns how many frames are missing before this one: its time says so, or half as much of it and its number. */
  #missingBefore(chunk: number, timestampMs: number): number {
    const gap = (timestampMs - (this.#positionMs ?? timestampMs)) / FRAME_MS;
    const isSkipped = chunk > this.#nextChunk;
    this.#nextChunk = chunk + 1;
    return Math.max(0, isSkipped ? Math.round(gap) : Math.floor(gap));
  }

  #requireStarted(event: string): void {
    if (this.#streamSid === undefined) throw new ProtocolViolation(`${event} before start`);
  }
}
