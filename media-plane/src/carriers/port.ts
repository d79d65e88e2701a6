/** What a carrier's media stream tells. Decoded and in order, whatever the carrier's format. */
export type MediaStreamEvent =
  | {
      readonly type: 'started';
      readonly streamId: string;
      readonly carrierCallId: string;
      readonly parameters: Readonly<Record<string, string>>;
    }
  /** Mu-law at 8,000 Hz, usually 20 ms; `timestampMs` is the position in the stream. The bytes may be reused after the return. */
  | { readonly type: 'audio'; readonly frame: Uint8Array; readonly timestampMs: number }
  | { readonly type: 'dtmf'; readonly digit: string }
  /** All audio before the mark has been played, or was cleared (the carrier does not say which). */
  | { readonly type: 'mark'; readonly name: string }
  | { readonly type: 'stopped' };

/** The sending half of a media stream. Synchronous; the connection buffers. */
export interface MediaStreamSink {
  /** Mu-law at 8,000 Hz, 20 ms. False when the connection is so far behind that the frame was dropped. */
  sendAudio(frame: Uint8Array): boolean;
  sendMark(name: string): void;
  /** Discards what the carrier has buffered and not played. */
  clear(): void;
  /** Ends the stream, and with it the carrier's `<Connect>`. Idempotent. */
  close(): void;
}

/**
 * A carrier is a codec plus a connection: text frames in, events out; commands in, text frames out.
 * Pure, so that it can be tested with the carrier's documented frames. One instance a connection
 * (it keeps the order of frames). Throws `ProtocolViolation` for what the carrier would never send.
 */
export interface MediaStreamCodec {
  /** Undefined for frames that mean nothing to us (`connected`). */
  decode(text: string): MediaStreamEvent | undefined;
  /** Of a carrier that does not keep the order: a further event that the last frame made due, if any. */
  next?(): MediaStreamEvent | undefined;
  encodeAudio(frame: Uint8Array): string;
  encodeMark(name: string): string;
  encodeClear(): string;
}

export class ProtocolViolation extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProtocolViolation';
  }
}
