import type { AudioFormat } from '@voice/shared/audio/format';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { ProviderError } from '../../provider-error.js';
import { type ConnectionEnd, ProviderSocket } from '../../provider-socket.js';
import { type ContextListener, SpeechContext } from './context.js';
import { errorOfEnd, errorOfMessage, ttsError } from './errors.js';
import { keepAlive, parseServerMessage } from './messages.js';

/** The vendor closes a context after 20 s (`inactivity_timeout`) without a message for it. */
const KEEP_ALIVE_MS = 12_000;
/** The vendor closes a connection with more contexts. One that was closed counts until its final message has come. */
const MOST_CONTEXTS = 5;

export interface ConnectionTarget {
  readonly url: URL;
  readonly apiKey: string;
  /** Builds a context's first message. */
  readonly initialisation: (contextId: string) => string;
  /** Of the audio that the vendor sends. */
  readonly sends: AudioFormat;
  /** Of the audio that is wanted. */
  readonly format: AudioFormat;
  readonly clock: Clock;
}

/** What becomes of a connection, once. */
interface ConnectionEvents {
  /** It has ended. Called before its contexts learn of it. */
  onEnd(error: ProviderError): void;
  /** It takes text and gives no sound, or no end of it: the next turn should have another. */
  onSuspect(): void;
}

/**
 * Holds one socket of `multi-stream-input`: each turn speaks in a context of its own, and what is cut is closed alone.
 * A context is always open, so that there is one to keep alive and the next turn's is there.
 */
export class SpeechConnection {
  readonly #target: ConnectionTarget;
  readonly #events: ConnectionEvents;
  readonly #socket: ProviderSocket;
  /** All that the vendor counts. */
  readonly #contexts = new Map<string, SpeechContext>();
  #spare: SpeechContext | undefined;
  #numbered = 0;
  /** Messages that wait for the handshake. */
  #waiting: { readonly context: SpeechContext; readonly message: string }[] = [];
  #keepAlive: Timer | undefined;
  #openedAt: number | undefined;
  #isRetired = false;
  #over = false;

  constructor(target: ConnectionTarget, events: ConnectionEvents) {
    this.#target = target;
    this.#events = events;
    this.#socket = new ProviderSocket({
      url: target.url,
      headers: { 'xi-api-key': target.apiKey },
      events: {
        onOpen: () => this.#opened(),
        onText: (text) => this.#received(text),
        onEnd: (end) => this.#ended(end),
      },
    });
  }

  /** Returns whether it has ended, by either side. */
  get over(): boolean {
    return this.#over;
  }

  /** Returns how long it has been open, in ms; undefined before the handshake's end. */
  get openMs(): number | undefined {
    return this.#openedAt === undefined ? undefined : this.#target.clock.monotonic() - this.#openedAt;
  }

  /** Returns whether another turn can speak over it. */
  get hasRoom(): boolean {
    return !this.#over && (this.#spare !== undefined || this.#contexts.size < MOST_CONTEXTS);
  }

  /** Gives a turn a context; there must be room. */
  take(listener: ContextListener): SpeechContext {
    const context = this.#spare ?? this.#openContext();
    this.#spare = undefined;
    context.listen(listener);
    return context;
  }

  /** Ends the connection as soon as no turn speaks over it. */
  retire(): void {
    this.#isRetired = true;
    this.#settle();
  }

  /** Ends the connection and with it the vendor's work; no event follows. */
  terminate(): void {
    if (this.#over) return;
    this.#release();
    this.#socket.terminate();
  }

  #openContext(): SpeechContext {
    this.#numbered += 1;
    const id = `turn-${this.#numbered}`;
    const context: SpeechContext = new SpeechContext({
      id,
      clock: this.#target.clock,
      connection: {
        send: (message) => this.#send(context, message),
        onClosed: () => this.#settle(),
        onSuspect: () => this.#events.onSuspect(),
      },
    });
    this.#contexts.set(id, context);
    this.#send(context, this.#target.initialisation(id));
    return context;
  }

  #opened(): void {
    this.#openedAt = this.#target.clock.monotonic();
    for (const { message } of this.#waiting.splice(0)) this.#socket.send(message);
    this.#settle();
    this.#scheduleKeepAlive();
  }

  #send(context: SpeechContext, message: string): void {
    if (this.#over) return;
    if (this.#openedAt === undefined) this.#waiting.push({ context, message });
    else this.#socket.send(message);
  }

  /** Ends when nothing is left to do; keeps a context open otherwise. */
  #settle(): void {
    if (this.#over) return;
    if (this.#openedAt === undefined) this.#forgetUnsent();
    const contexts = [...this.#contexts.values()];
    const isSpeaking = contexts.some((context) => context !== this.#spare && !context.isClosed);
    if (this.#isRetired && !isSpeaking) this.terminate();
    else if (!this.#isRetired && this.#openedAt !== undefined && !isSpeaking && this.hasRoom) {
      this.#spare ??= this.#openContext();
    }
  }

  /** Forgets contexts that were given up before the vendor heard of them. */
  #forgetUnsent(): void {
    for (const [id, context] of this.#contexts) if (context.isClosed) this.#contexts.delete(id);
    this.#waiting = this.#waiting.filter(({ context }) => !context.isClosed);
  }

  #scheduleKeepAlive(): void {
    this.#keepAlive = this.#target.clock.schedule(KEEP_ALIVE_MS, () => {
      for (const [id, context] of this.#contexts) if (!context.isClosed) this.#socket.send(keepAlive(id));
      // One that died unseen is replaced before somebody waits for its voice.
      this.#socket.probe(this.#target.clock);
      this.#scheduleKeepAlive();
    });
  }

  #received(text: string): void {
    const message = parseServerMessage(text);
    if (message === undefined) {
      const cause = new Error(text);
      this.#fail(ttsError('protocol_violation', 'elevenlabs sent something unreadable', true, cause));
    } else if (message.error !== undefined) {
      this.#fail(errorOfMessage(message));
    } else {
      // What still comes of a context that was cut, nobody listens to.
      const context = this.#contexts.get(message.contextId ?? '');
      context?.received(message);
      if (!message.isFinal || !context) return;
      this.#contexts.delete(context.id);
      if (context === this.#spare) this.#spare = undefined;
      this.#settle();
    }
  }

  #ended(end: ConnectionEnd): void {
    if (!this.#over) this.#lose(errorOfEnd(end));
  }

  #fail(error: ProviderError): void {
    if (this.#over) return;
    this.#socket.terminate();
    this.#lose(error);
  }

  #lose(error: ProviderError): void {
    const contexts = [...this.#contexts.values()];
    this.#release();
    this.#events.onEnd(error);
    for (const context of contexts) context.failed(error);
  }

  #release(): void {
    this.#over = true;
    this.#keepAlive?.cancel();
    this.#waiting = [];
    this.#contexts.clear();
    this.#spare = undefined;
  }
}
