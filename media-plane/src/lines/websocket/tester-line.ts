import { randomBytes } from 'node:crypto';
import { type AudioFormat, frameBytes } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { LiveEvent } from '@voice/shared/contracts/live-events';
import type { TesterQuery, TesterServerMessage } from '@voice/shared/contracts/tester-protocol';
import type { Log } from '@voice/shared/log/log';
import { ProtocolViolation } from '../codec.js';
import { CLEARABLE_LEAD_MS, type LineListener, type MediaLine } from '../port.js';
import { CLOSE_INTERNAL, CLOSE_NORMAL, type StreamConnection, type StreamSocket } from '../stream-server.js';
import { lineFormatOf, TesterAudio } from './tester-audio.js';
import { readTesterMessage } from './tester-messages.js';

export interface TesterLineOptions {
  readonly sessionId: string;
  readonly format: TesterQuery;
  readonly clock: Clock;
  readonly log: Log;
  /** The line is over: it cannot be resumed any more. */
  readonly onOver: (line: TesterLine) => void;
}

/** Audio that may wait in this process for a slow connection, in ms; then frames stay with the pacer. */
const MAX_BUFFERED_MS = 400;
/** How long a tester whose connection broke may take to come back, in ms. */
const RESUME_MS = 10_000;
/** How long the call may take to end after a tester's `stop`, in ms. */
const CLOSING_MS = 1500;
/** Text messages that a tester may send at any time, and a second besides: people press keys, marks come with turns. */
const MESSAGES_AT_ONCE = 500;
const MESSAGES_A_SECOND = 50;
/** Messages for a tester that is gone are kept up to this many. */
const MESSAGES_KEPT = 200;

/**
 * Makes a line of a tester's own connection: audio in binary messages both ways, everything else in JSON text
 * (contract: `tester-protocol.ts`). A connection that breaks can be resumed with the token of `started`.
 */
export class TesterLine implements MediaLine {
  readonly leadMs = CLEARABLE_LEAD_MS;
  readonly pieceMs = FRAME_MS;
  readonly returnsMarks = true;
  readonly format: AudioFormat;
  readonly streamId: string;
  readonly carrierCallId: string;
  readonly resumeToken = randomBytes(24).toString('base64url');
  readonly #options: TesterLineOptions;
  readonly #audio: TesterAudio;
  readonly #frameBytes: number;
  readonly #openedAt: number;
  #socket: StreamSocket | undefined;
  #listener: LineListener | undefined;
  #grace: Timer | undefined;
  #missed: TesterServerMessage[] = [];
  #messages = 0;
  #over = false;

  constructor(options: TesterLineOptions) {
    this.#options = options;
    this.streamId = options.sessionId;
    this.carrierCallId = `websocket-${options.sessionId}`;
    this.format = lineFormatOf(options.format);
    this.#frameBytes = frameBytes(this.format);
    this.#openedAt = options.clock.monotonic();
    this.#audio = new TesterAudio(options.format, (frame, positionMs) =>
      this.#listener?.onAudio(frame, positionMs, false),
    );
  }

  /** Connects a socket for the line: its first, or the next after one that broke. */
  connect(socket: StreamSocket): StreamConnection {
    const isFirst = this.#socket === undefined && this.#grace === undefined;
    const previous = this.#socket;
    this.#grace?.cancel();
    this.#grace = undefined;
    this.#socket = socket;
    previous?.end(CLOSE_NORMAL, 'the session goes on over another connection');
    const { encoding, sample_rate } = this.#options.format;
    this.#send({
      type: 'started',
      session_id: this.#options.sessionId,
      encoding,
      sample_rate,
      resume_token: this.resumeToken,
    });
    for (const message of this.#missed.splice(0)) this.#send(message);
    if (!isFirst) this.#listener?.onRestored?.();
    return {
      received: (message, isBinary) => this.#received(message, isBinary),
      closed: () => this.#lost(socket),
      failed: () => {
        socket.end(CLOSE_INTERNAL, 'the call could not be served');
        this.#end();
      },
    };
  }

  listen(listener: LineListener): void {
    this.#listener = listener;
  }

  sendAudio(frame: Uint8Array): boolean {
    // Nobody is there to hear it: the agent waits, as it does for a slow connection.
    if (this.#over || !this.#socket || this.bufferedMs() >= MAX_BUFFERED_MS) return false;
    const bytes = this.#audio.send(frame);
    if (bytes.length > 0) this.#socket.send(bytes);
    return true;
  }

  bufferedMs(): number {
    return this.#socket ? (this.#socket.bufferedBytes() / this.#frameBytes) * FRAME_MS : 0;
  }

  sendMark(name: string): void {
    this.#send({ type: 'mark', name });
  }

  clear(): void {
    this.#send({ type: 'clear' });
  }

  sendEvent(event: LiveEvent): void {
    // A status is the control plane's word on the call.
    if (event.type !== 'status') this.#send(event);
  }

  close(): void {
    if (this.#over) return;
    this.#finish();
    this.#socket?.end(CLOSE_NORMAL, 'the call has ended');
  }

  #send(message: TesterServerMessage): void {
    if (this.#over) return;
    if (this.#socket) this.#socket.send(JSON.stringify(message));
    else if (this.#missed.length < MESSAGES_KEPT) this.#missed.push(message);
  }

  #received(message: Uint8Array, isBinary: boolean): void {
    if (this.#over) return;
    const elapsedMs = this.#options.clock.monotonic() - this.#openedAt;
    if (isBinary) {
      this.#audio.receive(message, elapsedMs);
      return;
    }
    if (++this.#messages > MESSAGES_AT_ONCE + (elapsedMs / 1000) * MESSAGES_A_SECOND)
      throw new ProtocolViolation('more messages than a tester has cause for');
    const text = Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString('utf8');
    const said = readTesterMessage(text);
    switch (said.type) {
      case 'mark':
        this.#listener?.onMark(said.name);
        break;
      case 'dtmf':
        this.#listener?.onDtmf(said.digit);
        break;
      case 'stop':
        // The call's last event still goes out; the call then closes the line.
        this.#listener?.onClosed();
        if (!this.#over) this.#grace = this.#options.clock.schedule(CLOSING_MS, () => this.close());
        break;
    }
  }

  /** Handles a socket that is gone without a close: the tester may come back. */
  #lost(socket: StreamSocket): void {
    if (this.#over || socket !== this.#socket) return;
    this.#socket = undefined;
    this.#listener?.onInterrupted?.();
    this.#grace = this.#options.clock.schedule(RESUME_MS, () => this.#end());
  }

  #end(): void {
    if (this.#over) return;
    const listener = this.#listener;
    // Before the socket ends: its closing is no loss.
    this.#finish();
    this.#socket?.end(CLOSE_NORMAL, 'the call has ended');
    listener?.onClosed();
  }

  #finish(): void {
    this.#over = true;
    this.#grace?.cancel();
    this.#options.onOver(this);
  }
}
