import type { Clock } from '@voice/shared/clock/clock';
import type { ProviderError } from '../../provider-error.js';
import { closeContext, flush, type ServerMessage, textMessage } from './messages.js';

/** What the vendor owes for so long will hardly come, in ms. */
const SUSPECT_MS = 1000;

export interface ContextListener {
  onMessage(message: ServerMessage): void;
  onFinal(): void;
  onError(error: ProviderError): void;
}

/** What a context needs of its connection. */
interface ContextConnection {
  send(message: string): void;
  /** The context was closed by us; the vendor's final message is still to come. */
  onClosed(): void;
  onSuspect(): void;
}

export interface SpeechContextOptions {
  readonly id: string;
  readonly clock: Clock;
  readonly connection: ContextConnection;
}

/** Speaks one turn in a context of its own. */
export class SpeechContext {
  readonly id: string;
  readonly #clock: Clock;
  readonly #connection: ContextConnection;
  #listener: ContextListener | undefined;
  /** Since when the vendor owes sound or the final message, and sends nothing; monotonic ms. */
  #owedSince: number | undefined;
  #textEnded = false;
  #audible = false;
  #isClosed = false;

  constructor({ id, clock, connection }: SpeechContextOptions) {
    this.id = id;
    this.#clock = clock;
    this.#connection = connection;
  }

  /** Returns whether it was closed, by either side. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  listen(listener: ContextListener): void {
    this.#listener = listener;
  }

  say(sentence: string): void {
    if (this.#isClosed) return;
    this.#owedSince ??= this.#clock.monotonic();
    this.#connection.send(textMessage(this.id, sentence));
  }

  endOfText(): void {
    if (this.#isClosed) return;
    this.#textEnded = true;
    this.#owedSince ??= this.#clock.monotonic();
    this.#connection.send(flush(this.id));
    this.#closeWhenAudible();
  }

  /** Gives the turn up and stops the vendor's work for it; no event follows. */
  cancel(): void {
    this.#listener = undefined;
    const since = this.#owedSince;
    this.#owedSince = undefined;
    if (!this.#isClosed) this.#close();
    if (since !== undefined && this.#clock.monotonic() - since >= SUSPECT_MS) this.#connection.onSuspect();
  }

  received(message: ServerMessage): void {
    this.#audible ||= Boolean(message.audio);
    // Between sentences it waits for text; behind the last one its final message is still to come.
    const isOwed = this.#textEnded && !message.isFinal && this.#listener !== undefined;
    this.#owedSince = isOwed ? this.#clock.monotonic() : undefined;
    this.#listener?.onMessage(message);
    if (message.isFinal) {
      this.#isClosed = true;
      this.#take()?.onFinal();
    } else if (this.#textEnded) {
      this.#closeWhenAudible();
    }
  }

  failed(error: ProviderError): void {
    this.#isClosed = true;
    this.#owedSince = undefined;
    this.#take()?.onError(error);
  }

  /**
   * Closes the context behind its text: only then comes its final message. Not before its first audio: the vendor has
   * been seen to drop text that it had not begun with (github.com/pipecat-ai/pipecat/issues/4681).
   */
  #closeWhenAudible(): void {
    if (this.#audible && !this.#isClosed) this.#close();
  }

  #close(): void {
    this.#isClosed = true;
    this.#connection.send(closeContext(this.id));
    this.#connection.onClosed();
  }

  #take(): ContextListener | undefined {
    const listener = this.#listener;
    this.#listener = undefined;
    return listener;
  }
}
