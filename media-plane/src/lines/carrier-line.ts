import { type AudioFormat, bytesPerMs, PCMU_8K } from '@voice/shared/audio/format';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import type { Admission } from './admission.js';
import { type MediaStreamCodec, type MediaStreamEvent, ProtocolViolation } from './codec.js';
import { FrameCutter } from './frame-cutter.js';
import { CLEARABLE_LEAD_MS, type LineListener, type MediaLine } from './port.js';
import {
  CLOSE_INTERNAL,
  CLOSE_NORMAL,
  CLOSE_POLICY,
  type StreamConnection,
  type StreamProtocol,
  type StreamSocket,
} from './stream-server.js';
import type { UnstartedStreams } from './unstarted-streams.js';

export interface CarrierLineOptions {
  readonly unstarted: UnstartedStreams;
  readonly codec: MediaStreamCodec;
  readonly socket: StreamSocket;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly log: Log;
}

/** A connection that has not sent `start` by then is closed, in ms. */
const START_TIMEOUT_MS = 10_000;
/** Larger messages than any carrier's, in bytes. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** Audio in a message, in ms: with a third of the messages the carrier still holds 140 ms before the next one. */
const PIECE_MS = 60;
/** Audio that may wait in this process for a slow connection, in ms; then frames stay with the pacer. */
const MAX_BUFFERED_MS = 200;

/** Serves a carrier's media streams: JSON text frames by the carrier's codec, one WebSocket a call. */
export function carrierStreams(
  path: string,
  createCodec: () => MediaStreamCodec,
  options: Omit<CarrierLineOptions, 'codec' | 'socket'>,
): StreamProtocol {
  return {
    path,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    accept: () => (socket) => new CarrierLine({ ...options, codec: createCodec(), socket }),
  };
}

/** Makes a line of one carrier's media stream: its `start` carries call and token, then audio flows both ways. */
export class CarrierLine implements MediaLine, StreamConnection {
  readonly leadMs = CLEARABLE_LEAD_MS;
  readonly pieceMs = PIECE_MS;
  readonly returnsMarks = true;
  readonly #options: CarrierLineOptions;
  readonly #startTimer: Timer;
  /** Takes it off those that have not sent `start`. */
  readonly #isHeardOf: () => void;
  #started: Extract<MediaStreamEvent, { type: 'started' }> | undefined;
  #format: AudioFormat = PCMU_8K;
  #listener: LineListener | undefined;
  #cutter: FrameCutter | undefined;
  /** Bytes of a message for each ms of its audio: from them follows how much audio waits in the socket. */
  #messageBytesPerMs = 1;
  #nextTimer: Timer | undefined;
  #over = false;

  constructor(options: CarrierLineOptions) {
    this.#options = options;
    const giveUp = (reason: string) => options.socket.end(CLOSE_POLICY, reason);
    this.#startTimer = options.clock.schedule(START_TIMEOUT_MS, () => giveUp('no start message in time'));
    this.#isHeardOf = options.unstarted.add(() =>
      giveUp('too many connections wait for their start message'),
    );
  }

  get streamId(): string {
    return this.#started?.streamId ?? '';
  }

  get carrierCallId(): string {
    return this.#started?.carrierCallId ?? '';
  }

  get format(): AudioFormat {
    return this.#format;
  }

  listen(listener: LineListener): void {
    this.#listener = listener;
    this.#cutter = new FrameCutter(this.#format, (frame, positionMs, concealed) =>
      listener.onAudio(frame, positionMs, concealed),
    );
  }

  sendAudio(piece: Uint8Array): boolean {
    if (this.#over || this.bufferedMs() >= MAX_BUFFERED_MS) return false;
    const message = this.#options.codec.encodeAudio(piece);
    this.#messageBytesPerMs = (message.length * bytesPerMs(this.#format)) / piece.length;
    this.#options.socket.send(message);
    return true;
  }

  bufferedMs(): number {
    return this.#options.socket.bufferedBytes() / this.#messageBytesPerMs;
  }

  sendMark(name: string): void {
    this.#options.socket.send(this.#options.codec.encodeMark(name));
  }

  clear(): void {
    this.#options.socket.send(this.#options.codec.encodeClear());
  }

  close(): void {
    this.#over = true;
    this.#options.socket.end(CLOSE_NORMAL, 'the call has ended');
  }

  received(message: Uint8Array, isBinary: boolean): void {
    if (isBinary) throw new ProtocolViolation('a binary frame');
    const { codec } = this.#options;
    for (let event = codec.decode(message) ?? codec.next?.(); event; event = codec.next?.()) {
      this.#handle(event);
    }
    this.#scheduleNext();
  }

  closed(): void {
    this.#startTimer.cancel();
    this.#isHeardOf();
    this.#end();
  }

  failed(): void {
    this.#options.socket.end(CLOSE_INTERNAL, 'the call could not be served');
    this.#end();
  }

  /**
   * Schedules the codec's next look: one that orders frames may have one to give, or one to give up, although none
   * comes.
   */
  #scheduleNext(): void {
    const { codec, clock } = this.#options;
    if (!codec.nextAt) return;
    this.#nextTimer?.cancel();
    this.#nextTimer = undefined;
    const at = this.#over ? undefined : codec.nextAt();
    if (at === undefined) return;
    this.#nextTimer = clock.schedule(Math.max(0, at - clock.monotonic()), () => {
      this.#nextTimer = undefined;
      for (let event = codec.next?.(); event; event = codec.next?.()) this.#handle(event);
      this.#scheduleNext();
    });
  }

  #handle(event: MediaStreamEvent): void {
    switch (event.type) {
      case 'started':
        this.#start(event);
        break;
      case 'audio':
        this.#cutter?.write(event.frame, event.timestampMs, event.concealed);
        break;
      case 'dtmf':
        this.#listener?.onDtmf(event.digit);
        break;
      case 'mark':
        this.#listener?.onMark(event.name);
        break;
      case 'notice':
        this.#options.log.warn({ stream: this.streamId, reason: event.code }, event.message);
        break;
      case 'stopped':
        this.#end();
        break;
    }
  }

  #start(event: Extract<MediaStreamEvent, { type: 'started' }>): void {
    const { admission, log, socket } = this.#options;
    this.#startTimer.cancel();
    this.#isHeardOf();
    this.#started = event;
    this.#format = event.format ?? PCMU_8K;
    this.#messageBytesPerMs = (bytesPerMs(this.#format) * 4) / 3;
    const { call_id: callId = '', token = '' } = event.parameters;
    const plan = admission.claim(callId, token);
    if (!plan) {
      log.warn({ call_id: callId }, 'a media stream came with no valid token');
      throw new ProtocolViolation('call_id and token do not name a reserved call');
    }
    try {
      admission.startCall(plan, this);
    } catch (error) {
      log.error({ call_id: callId, error: String(error) }, 'a call could not be started');
      socket.end(CLOSE_INTERNAL, 'the call could not be started');
    }
  }

  #end(): void {
    this.#over = true;
    this.#nextTimer?.cancel();
    const listener = this.#listener;
    this.#listener = undefined;
    this.#cutter = undefined;
    listener?.onClosed();
  }
}
