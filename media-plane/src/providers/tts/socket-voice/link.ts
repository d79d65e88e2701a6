import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import type { ProviderError } from '../../provider-error.js';
import { ProviderSocket } from '../../provider-socket.js';
import type { SpeechOutput, SpeechProtocol, SpeechTarget, TurnOutput } from './protocol.js';

/**
 * Silence in ms after text was sent, or before the end of a turn whose text has ended, from which a connection whose turn is cancelled counts as stuck: the next turn
 * gets another.
 */
const STUCK_MS = 1000;

interface LinkListener {
  onOutput(output: TurnOutput): void;
  /** The turn cannot go on here. Nothing follows. */
  onError(error: ProviderError): void;
}

interface LinkOptions {
  readonly target: SpeechTarget;
  readonly clock: Clock;
  readonly log: Log;
  readonly provider: string;
}

/** Holds one connection, which speaks one turn at a time. */
export class SpeechLink {
  readonly #options: LinkOptions;
  readonly #protocol: SpeechProtocol;
  readonly #socket: ProviderSocket;
  readonly #openedAt: number;
  /** Messages that wait for the handshake. */
  #waiting: string[] = [];
  #listener: LinkListener | undefined;
  /** Since when the vendor has something to do and sends nothing. */
  #askedAt: number | undefined;
  #isTextEnded = false;
  #over = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    const { target, clock } = options;
    this.#protocol = target.createProtocol();
    this.#openedAt = clock.monotonic();
    this.#socket = new ProviderSocket({
      url: target.url,
      headers: target.headers,
      events: {
        onOpen: () => {
          for (const message of this.#waiting) this.#socket.send(message);
          this.#waiting = [];
        },
        onText: (text) => this.#received(this.#protocol.readText(text)),
        onBinary: (bytes) => this.#received(this.#protocol.readBinary(bytes)),
        onEnd: (end) => this.#fail(target.errorOfEnd(end)),
      },
    });
  }

  /** Returns whether another turn may be spoken here. */
  get isUsable(): boolean {
    const ageMs = this.#options.clock.monotonic() - this.#openedAt;
    return !this.#over && !this.#protocol.isWorn && ageMs < this.#options.target.longestMs;
  }

  begin(listener: LinkListener): void {
    this.#listener = listener;
    this.#askedAt = undefined;
    this.#isTextEnded = false;
    this.#protocol.begin();
    // One that died while the agent was silent takes the text and says nothing.
    this.#socket.probe(this.#options.clock);
  }

  say(text: string): void {
    this.#ask(this.#protocol.say(text));
  }

  endOfText(): void {
    this.#isTextEnded = true;
    this.#ask(this.#protocol.endOfText());
    // All of it may have been spoken before its end was known.
    if (this.#protocol.isDone) this.#received([{ type: 'done' }]);
  }

  /** Stops the vendor's work for the turn; no event of it follows. */
  cancel(): void {
    if (this.#over) return;
    this.#listener = undefined;
    if (!this.#socket.open) {
      // The vendor knows nothing of the turn yet.
      this.#waiting = [];
      this.#protocol.begin();
      return;
    }
    if (this.#askedAt !== undefined && this.#options.clock.monotonic() - this.#askedAt >= STUCK_MS) {
      this.close();
      return;
    }
    this.#send(this.#protocol.cancel());
  }

  /** Ends the connection; no event follows. */
  close(): void {
    if (this.#over) return;
    this.#listener = undefined;
    this.#over = true;
    for (const message of this.#protocol.farewell()) this.#socket.send(message);
    this.#socket.close();
  }

  #ask(messages: readonly string[]): void {
    if (messages.length > 0) this.#askedAt ??= this.#options.clock.monotonic();
    this.#send(messages);
  }

  #send(messages: readonly string[]): void {
    if (this.#over) return;
    if (this.#socket.open) for (const message of messages) this.#socket.send(message);
    else this.#waiting.push(...messages);
  }

  #received(outputs: readonly SpeechOutput[]): void {
    for (const output of outputs) {
      if (this.#over) return;
      if (output.type === 'warning') {
        const { log, provider } = this.#options;
        log.warn({ provider, warning: output.message }, 'text-to-speech provider complains');
      } else if (output.type === 'failed') {
        this.#socket.terminate();
        this.#fail(output.error);
      } else if (output.type === 'send') {
        this.#ask(output.messages);
      } else {
        // Between sentences it waits for text; behind the last one the end is still to come.
        const isOwed = this.#isTextEnded && output.type !== 'done';
        this.#askedAt = isOwed ? this.#options.clock.monotonic() : undefined;
        if (output.type === 'done') this.#finish(output);
        else this.#listener?.onOutput(output);
      }
    }
  }

  #finish(output: { readonly type: 'done' }): void {
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.onOutput(output);
  }

  #fail(error: ProviderError): void {
    if (this.#over) return;
    this.#over = true;
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.onError(error);
  }
}
