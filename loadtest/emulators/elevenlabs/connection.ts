import type { Timer } from '@voice/shared/clock/clock';
import type { WebSocket } from 'ws';
import { type ConnectionContext, SpeechContext } from './context.js';
import {
  contextOf,
  isCloseSocket,
  type MultiStreamInputQuery,
  parseContextMessage,
  parseInitialisation,
  type Refusal,
} from './request.js';

/** Contexts that a connection may have open at once; one that is closed counts until its final message is sent. */
const MOST_CONTEXTS = 5;

/** Serves one accepted WebSocket: several contexts, each a turn of speech. */
export class MultiStreamConnection {
  readonly #socket: WebSocket;
  readonly #query: MultiStreamInputQuery;
  readonly #context: ConnectionContext;
  readonly #headerKey: string | undefined;
  readonly #contexts = new Map<string, SpeechContext>();
  #closing = false;
  #isEnding = false;
  /** Runs while there is no context that could have one of its own. */
  #inactivity: Timer | undefined;

  constructor(
    socket: WebSocket,
    query: MultiStreamInputQuery,
    headerKey: string | undefined,
    context: ConnectionContext,
  ) {
    this.#socket = socket;
    this.#query = query;
    this.#headerKey = headerKey;
    this.#context = context;
    context.counters.connections += 1;
    context.counters.open += 1;
    socket.on('message', (data: Buffer, isBinary) => this.#received(data, isBinary));
    socket.on('error', () => {});
    socket.on('close', () => this.#closed());
    this.#settle();
  }

  /** Sends the reason and closes with 1008, as the service does. */
  refuse({ error, message }: Refusal): void {
    if (this.#closing) return;
    this.#context.counters.violations += 1;
    this.#send({ message, error, code: 1008 });
    this.#close(1008, message);
  }

  #received(data: Buffer, isBinary: boolean): void {
    if (this.#closing) return;
    if (isBinary) {
      this.refuse(invalid('messages are JSON text'));
      return;
    }
    let json: unknown;
    try {
      json = JSON.parse(data.toString('utf8'));
    } catch {
      this.refuse(invalid('the message is not JSON'));
      return;
    }
    if (this.#isEnding) this.refuse(invalid('the socket was already asked to close'));
    else if (isCloseSocket(json)) this.#end();
    else this.#take(json);
  }

  #take(json: unknown): void {
    const id = contextOf(json);
    const context = id === undefined ? undefined : this.#contexts.get(id);
    if (!context) {
      this.#initialise(json);
      return;
    }
    const message = parseContextMessage(json);
    if ('error' in message) this.refuse(message);
    else if (context.isClosed) this.refuse(invalid(`the context ${id} was already closed`));
    else context.take(message);
  }

  #initialise(json: unknown): void {
    const first = parseInitialisation(json);
    if ('error' in first) {
      this.refuse(first);
    } else if (!this.#context.accepts(this.#headerKey ?? first.xi_api_key)) {
      this.refuse({ error: 'invalid_api_key', message: 'Invalid API key' });
    } else if (this.#contexts.size >= MOST_CONTEXTS) {
      this.refuse({
        error: 'max_active_conversations',
        message: `Maximum simultaneous contexts per WebSocket connection exceeded (${MOST_CONTEXTS}). Please close an existing context before opening a new one.`,
      });
    } else {
      this.#open(first.context_id);
    }
  }

  #open(id: string): void {
    this.#context.counters.contexts += 1;
    const context = new SpeechContext(id, this.#query, this.#context, {
      send: (message) => this.#send(message),
      sendText: (text) => this.#socket.send(text),
      tear: () => {
        this.#closing = true;
        this.#socket.terminate();
      },
      close: (code, reason) => this.#close(code, reason),
      onFinal: () => {
        this.#contexts.delete(id);
        this.#settle();
      },
      onInactive: (timeoutMs) => this.#timeOut(timeoutMs),
    });
    this.#contexts.set(id, context);
    this.#settle();
  }

  #end(): void {
    this.#isEnding = true;
    for (const context of this.#contexts.values()) {
      if (!context.isClosed) context.take({ context_id: context.id, flush: true, close_context: true });
    }
    this.#settle();
  }

  #settle(): void {
    this.#inactivity?.cancel();
    if (this.#closing || this.#contexts.size > 0) return;
    if (this.#isEnding) {
      this.#close(1000, '');
      return;
    }
    const { inactivity_timeout: seconds } = this.#query;
    const timeoutMs = seconds === undefined ? this.#context.inactivityTimeoutMs : seconds * 1000;
    this.#inactivity = this.#context.clock.schedule(timeoutMs, () => this.#timeOut(timeoutMs));
  }

  #timeOut(timeoutMs: number): void {
    this.refuse({
      error: 'input_timeout_exceeded',
      message: `Have not received a new text input within the timeout of ${timeoutMs / 1000} seconds.`,
    });
  }

  #send(message: unknown): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #close(code: number, reason: string): void {
    this.#closing = true;
    this.#stop();
    this.#socket.close(code, reason.slice(0, 120));
  }

  #closed(): void {
    this.#context.counters.open -= 1;
    for (const context of this.#contexts.values()) context.abandoned(this.#closing);
    this.#closing = true;
    this.#stop();
  }

  #stop(): void {
    this.#inactivity?.cancel();
    for (const context of this.#contexts.values()) context.stop();
  }
}

const invalid = (message: string): Refusal => ({ error: 'invalid_message', message });
