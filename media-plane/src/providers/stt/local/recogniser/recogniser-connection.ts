import { connect, type Socket } from 'node:net';
import type { AudioFormat } from '@voice/shared/audio/format';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { frameMessage, MessageReader, type RecognitionReply, recognitionReply } from './messages.js';
import type { Recogniser } from './recogniser-process.js';

/** Waits before each new attempt to connect, in ms: a started process needs a second on a busy machine. */
const RECONNECT_MS = [50, 100, 200, 400, 800, 1600];

export interface RecogniserConnectionOptions {
  readonly recogniser: Recogniser;
  readonly format: AudioFormat;
  readonly clock: Clock;
  /** Receives each request's answer, once, in the order in which the recogniser served them. */
  onReply(reply: RecognitionReply): void;
  /** Called when it cannot be reached, or speaks nonsense. Nothing follows. */
  onLost(cause: unknown): void;
}

/**
 * Connects a call to the recogniser: connects at once, starts the process where none serves, and asks again what was
 * not answered when the connection is torn.
 */
export class RecogniserConnection {
  readonly #options: RecogniserConnectionOptions;
  readonly #unanswered = new Map<number, Buffer>();
  #socket: Socket | undefined;
  #open = false;
  #attempts = 0;
  #retry: Timer | undefined;
  #closed = false;
  #lastId = 0;

  constructor(options: RecogniserConnectionOptions) {
    this.#options = options;
    this.#connect();
  }

  /** Asks for the text of a piece of audio; the id is the reply's. */
  ask(kind: 'interim' | 'final', audio: Uint8Array): number {
    const { encoding, sampleRate } = this.#options.format;
    const id = ++this.#lastId;
    const message = frameMessage({ id, kind, encoding, sample_rate: sampleRate }, audio);
    this.#unanswered.set(id, message);
    if (this.#open) this.#socket?.write(message);
    return id;
  }

  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
    this.#unanswered.clear();
    this.#socket?.destroy();
  }

  #connect(): void {
    const socket = connect(this.#options.recogniser.socketPath);
    this.#socket = socket;
    const reader = new MessageReader((header) => this.#receive(header));
    let cause: unknown = new Error('the connection was closed');
    socket.on('connect', () => {
      this.#open = true;
      this.#options.recogniser.keep();
      for (const message of this.#unanswered.values()) socket.write(message);
    });
    socket.on('data', (chunk) => {
      try {
        reader.push(chunk);
      } catch (error) {
        cause = error;
        socket.destroy();
      }
    });
    socket.on('error', (error) => {
      cause = error;
    });
    socket.on('close', () => this.#torn(cause));
  }

  #receive(header: unknown): void {
    const reply = recognitionReply.parse(header);
    this.#attempts = 0;
    if (this.#closed || !this.#unanswered.delete(reply.id)) return;
    this.#options.onReply(reply);
  }

  #torn(cause: unknown): void {
    this.#open = false;
    if (this.#closed) return;
    const wait = RECONNECT_MS[this.#attempts++];
    if (wait === undefined) {
      this.close();
      this.#options.onLost(cause);
      return;
    }
    this.#options.recogniser.start();
    this.#retry = this.#options.clock.schedule(wait, () => this.#connect());
  }
}
