import type { LookupFunction } from 'node:net';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import type { ProviderError } from '../../provider-error.js';
import { ProviderSocket } from '../../provider-socket.js';
import { errorOfEnd, liveError, PROVIDER } from './errors.js';
import { parseServerMessage, type ServerMessage } from './messages.js';

/** Longest wait for the handshake and the set-up together, in ms. */
const SETUP_TIMEOUT_MS = 10_000;
/** Unsent bytes (about 10 s of audio) from which a connection counts as stalled. */
const STALLED_BYTES = 450_000;

export interface LiveConnectionOptions {
  readonly url: URL;
  readonly lookup: LookupFunction | undefined;
  readonly setup: Record<string, unknown>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the set-up is complete. */
  onReady(): void;
  onMessage(message: ServerMessage): void;
  /** Called once, and last; not after `close`. */
  onEnd(error: ProviderError): void;
}

/** Holds one WebSocket to the Live API, from its set-up on. A session may use several of them, one after another. */
export class LiveConnection {
  readonly #options: LiveConnectionOptions;
  readonly #socket: ProviderSocket;
  readonly #deadline: Timer;
  #ready = false;
  #ended = false;

  constructor(options: LiveConnectionOptions) {
    this.#options = options;
    this.#deadline = options.clock.schedule(SETUP_TIMEOUT_MS, () => {
      this.#end(liveError('timed_out', 'gemini did not answer in time', true));
    });
    this.#socket = new ProviderSocket({
      url: options.url,
      events: {
        onOpen: () => this.#socket.send(JSON.stringify(options.setup)),
        onText: (text) => this.#received(text),
        onEnd: (end) => this.#end(errorOfEnd(end)),
      },
      // The service sends its JSON in binary frames.
      binaryText: true,
      lookup: options.lookup,
    });
  }

  get ready(): boolean {
    return this.#ready && !this.#ended;
  }

  send(text: string): void {
    if (this.#ended) return;
    this.#socket.send(text);
    if (this.#socket.buffered <= STALLED_BYTES) return;
    this.#end(liveError('disconnected', 'gemini does not take our audio', true));
  }

  /** Ends the connection if it has died unseen. */
  probe(): void {
    if (!this.#ended) this.#socket.probe(this.#options.clock);
  }

  /** Ends it; no event follows. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#deadline.cancel();
    this.#socket.close();
  }

  #received(text: string): void {
    const message = parseServerMessage(text);
    if (!message) {
      this.#options.log.warn({ provider: PROVIDER }, 'realtime message is not understood');
      return;
    }
    if (message.setupComplete && !this.#ready) {
      this.#ready = true;
      this.#deadline.cancel();
      this.#options.onReady();
    }
    if (!this.#ended) this.#options.onMessage(message);
  }

  #end(error: ProviderError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#deadline.cancel();
    this.#socket.terminate();
    this.#options.onEnd(error);
  }
}
