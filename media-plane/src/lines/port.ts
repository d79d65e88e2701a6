import type { AudioFormat } from '@voice/shared/audio/format';
import type { LiveEvent } from '@voice/shared/contracts/live-events';

/** What a line reports to its call. Called synchronously, in order; never after `onClosed`. */
export interface LineListener {
  /**
   * Receives one frame of 20 ms of the caller in the line's format, in order. `positionMs` is its place in the caller's
   * stream. `concealed`: it never came and was made up by the line. The bytes may be reused after the return.
   */
  onAudio(frame: Uint8Array, positionMs: number, concealed: boolean): void;
  onDtmf(digit: string): void;
  /** Called when all audio before the mark has been played, or was cleared (lines do not say which). */
  onMark(name: string): void;
  /** Called when the connection is gone and may come back: the call goes on without audio for a while. */
  onInterrupted?(): void;
  /** Called when it is back; audio flows again. */
  onRestored?(): void;
  /** Called when the line is over for good: the other side has hung up, or did not come back in time. */
  onClosed(): void;
}

/**
 * The lead of a line whose other side discards what it holds when it is asked to (`clear`), in ms: neither a stall of
 * this process nor one of the network is heard unless it is longer, and an interruption is none the later for it.
 */
export const CLEARABLE_LEAD_MS = 200;

/**
 * One live audio line, whatever it is made of (Twilio, Telnyx, WebSocket, WebRTC): the codec and the
 * connection together. Sending is synchronous; the connection buffers.
 */
export interface MediaLine {
  /** The stream's id, as the other side names it. */
  readonly streamId: string;
  readonly carrierCallId: string;
  /** Both ways. */
  readonly format: AudioFormat;
  /**
   * How much audio the other side should hold that was not yet heard, in ms: `CLEARABLE_LEAD_MS`, or less where it
   * plays at once and nothing can be taken back.
   */
  readonly leadMs: number;
  /**
   * How much audio a message should carry where there is as much, in ms: whole frames of 20 ms, more than one where the
   * other side takes longer pieces and has a lead to play meanwhile.
   */
  readonly pieceMs: number;
  /** Whether `sendMark` is answered by `onMark`. */
  readonly returnsMarks: boolean;
  /** Starts delivery. Called once, by the call. */
  listen(listener: LineListener): void;
  /**
   * Sends a piece of whole frames of 20 ms, copied; one frame where `pieceMs` is 20, else up to the lead. False when the
   * connection is behind: the piece was not taken, offer it again.
   */
  sendAudio(piece: Uint8Array): boolean;
  /**
   * Returns the audio that was taken and has not left this process, in ms: the true playout position is that much
   * behind the pacer's.
   */
  bufferedMs(): number;
  sendMark(name: string): void;
  /** Discards what the other side has buffered and not played. Always gets through, also under back-pressure. */
  clear(): void;
  /** Sends an event beside the audio, where the line can carry one (the tester's socket). */
  sendEvent?(event: LiveEvent): void;
  /** Returns statistics of the connection (loss, bandwidth, jitter), where the line knows them. */
  statistics?(): LineStatistics;
  /** Ends the line. Idempotent. */
  close(): void;
}

/** Figures since the line began. Times in ms. */
export interface LineStatistics {
  readonly packetsReceived: number;
  readonly packetsLost: number;
  /** Frames made up by concealment. */
  readonly concealed: number;
  readonly jitterMs: number;
  /** The jitter buffer's present delay. */
  readonly bufferMs: number;
  readonly roundTripMs: number | null;
  readonly sentBitsPerSecond: number;
  readonly receivedBitsPerSecond: number;
}
