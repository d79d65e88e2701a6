import type { AudioFormat } from '@voice/shared/audio/format';

/** What a carrier's media stream reports. Decoded and in order, whatever the carrier's format. */
export type MediaStreamEvent =
  | {
      readonly type: 'started';
      readonly streamId: string;
      readonly carrierCallId: string;
      readonly parameters: Readonly<Record<string, string>>;
      /** Of the audio, both ways; mu-law at 8,000 Hz where a codec says nothing. */
      readonly format?: AudioFormat;
    }
  /**
   * In the stream's format, usually 20 ms; `timestampMs` is the position in the stream, which never goes back.
   * `concealed`: it never came and was made up. The bytes may be reused after the return.
   */
  | {
      readonly type: 'audio';
      readonly frame: Uint8Array;
      readonly timestampMs: number;
      readonly concealed?: boolean;
    }
  | { readonly type: 'dtmf'; readonly digit: string }
  /** All audio before the mark has been played, or was cleared (the carrier does not say which). */
  | { readonly type: 'mark'; readonly name: string }
  /** Something that the carrier reports, or that is new of it: for the log. The stream goes on. */
  | { readonly type: 'notice'; readonly code: string; readonly message: string }
  | { readonly type: 'stopped' };

/**
 * A carrier is a codec plus a connection: text frames in, events out; commands in, text frames out.
 * Pure, so that it can be tested with the carrier's documented frames. One instance a connection
 * (it keeps the order of frames). Throws `ProtocolViolation` for what the carrier would never send.
 */
export interface MediaStreamCodec {
  /** Decodes a frame, as text or as its bytes; undefined for those that mean nothing to us (`connected`). */
  decode(message: string | Uint8Array): MediaStreamEvent | undefined;
  /** Returns a further event that the last frame made due, of a carrier that does not keep the order. */
  next?(): MediaStreamEvent | undefined;
  /** Returns when `next` has something to give although no frame comes, monotonic ms; undefined: never. */
  nextAt?(): number | undefined;
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
