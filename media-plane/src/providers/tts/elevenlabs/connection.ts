import type { AudioFormat } from '@voice/shared/audio/format';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { ProviderError } from '../../provider-error.js';
import { ProviderSocket } from '../../provider-socket.js';
import { errorOfEnd, errorOfMessage, ttsError } from './errors.js';
import { END_OF_TEXT, KEEP_ALIVE, parseServerMessage, type ServerMessage, textMessage } from './messages.js';

/** The vendor closes after 20 s (`inactivity_timeout`) without text. */
const KEEP_ALIVE_MS = 12_000;

export interface ConnectionTarget {
  readonly url: URL;
  readonly apiKey: string;
  readonly initialisation: string;
  /** Of the audio that the vendor sends. */
  readonly sends: AudioFormat;
  /** Of the audio that is wanted. */
  readonly format: AudioFormat;
  readonly clock: Clock;
}

export interface ConnectionListener {
  onMessage(message: ServerMessage): void;
  onFinal(): void;
  onError(error: ProviderError): void;
}

/** Holds one socket, which speaks one turn: opened ahead of it, kept alive until then, closed with it. */
export class SpeechConnection {
  readonly #target: ConnectionTarget;
  readonly #socket: ProviderSocket;
  /** Messages that wait for the handshake. */
  #waiting: string[] = [];
  #listener: ConnectionListener | undefined;
  #keepAlive: Timer | undefined;
  #endOfTextSent = false;
  #over = false;

  constructor(target: ConnectionTarget) {
    this.#target = target;
    this.#socket = new ProviderSocket({
      url: target.url,
      headers: { 'xi-api-key': target.apiKey },
      events: {
        onOpen: () => this.#opened(),
        onText: (text) => this.#received(text),
        onEnd: (end) => {
          if (this.#endOfTextSent && end.closeCode === 1000) this.#finish((listener) => listener.onFinal());
          else this.#finish((listener) => listener.onError(errorOfEnd(end)));
        },
      },
    });
  }

  /** Returns whether it has ended, by either side. */
  get over(): boolean {
    return this.#over;
  }

  listen(listener: ConnectionListener): void {
    this.#listener = listener;
  }

  say(sentence: string): void {
    this.#send(textMessage(sentence));
  }

  endOfText(): void {
    this.#endOfTextSent = true;
    this.#send(END_OF_TEXT);
  }

  /** Ends the connection and with it the vendor's work; no event follows. */
  terminate(): void {
    if (this.#over) return;
    this.#release();
    this.#socket.terminate();
  }

  #opened(): void {
    this.#socket.send(this.#target.initialisation);
    for (const message of this.#waiting) this.#socket.send(message);
    this.#waiting = [];
    this.#restartKeepAlive();
  }

  #send(message: string): void {
    if (this.#over) return;
    if (!this.#socket.open) {
      this.#waiting.push(message);
      return;
    }
    this.#socket.send(message);
    this.#restartKeepAlive();
  }

  #restartKeepAlive(): void {
    this.#keepAlive?.cancel();
    if (this.#endOfTextSent) return;
    this.#keepAlive = this.#target.clock.schedule(KEEP_ALIVE_MS, () => this.#send(KEEP_ALIVE));
  }

  #received(text: string): void {
    const message = parseServerMessage(text);
    if (message === undefined) {
      this.#fail(
        ttsError('protocol_violation', 'elevenlabs sent something unreadable', true, new Error(text)),
      );
    } else if (message.error !== undefined) {
      this.#fail(errorOfMessage(message));
    } else {
      this.#listener?.onMessage(message);
      if (message.isFinal) {
        this.#socket.close();
        this.#finish((listener) => listener.onFinal());
      }
    }
  }

  #fail(error: ProviderError): void {
    this.#socket.terminate();
    this.#finish((listener) => listener.onError(error));
  }

  #finish(notify: (listener: ConnectionListener) => void): void {
    if (this.#over) return;
    const listener = this.#listener;
    this.#release();
    if (listener) notify(listener);
  }

  #release(): void {
    this.#over = true;
    this.#keepAlive?.cancel();
    this.#waiting = [];
    this.#listener = undefined;
  }
}
