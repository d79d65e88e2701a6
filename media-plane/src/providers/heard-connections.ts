import type { Clock } from '@voice/shared/clock/clock';
import { type buildConnector, Client, DecoratorHandler, type Dispatcher, errors, Pool } from 'undici';

type Handler = Required<Dispatcher.DispatchHandler>;
type OnConnected = Parameters<buildConnector.connector>[1];
type OpenSocket = Parameters<OnConnected>[1];

/** A request of which nothing has come for so long was perhaps sent into a connection that is dead, in ms. */
const SILENT_MS = 1000;

export interface HeardConnectionsOptions {
  readonly clock: Clock;
  readonly connect: buildConnector.connector;
  /** Nothing has come of the server since this moment, monotonic ms: what was open by then may all be dead. */
  readonly onSilent: (since: number) => void;
}

/**
 * Creates the connections to one server, none of which is used again after it left a request without an answer, nor
 * those that were idle meanwhile. What died unseen looks open until TCP gives up, minutes later, and over HTTP/2 an abort
 * leaves it for the next request. A late answer and a dead connection look the same, and another connection is cheap.
 */
export function heardConnections(
  origin: string | URL,
  options: object,
  { clock, connect, onSilent }: HeardConnectionsOptions,
): Pool {
  const server = new HeardServer(clock, onSilent);
  return new Pool(origin, {
    ...options,
    factory: (address, clientOptions) => new HeardClient(address, { ...clientOptions, connect }, server),
  });
}

/** What is known of a server, by all connections to it. */
class HeardServer {
  readonly clock: Clock;
  readonly running = new Set<HeardRequest>();
  readonly #onSilent: (since: number) => void;
  /** When something came of it, monotonic ms. */
  heardAt = Number.NEGATIVE_INFINITY;
  /** When it fell silent last, monotonic ms: connections that were not heard since are used no more. */
  silentSince = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, onSilent: (since: number) => void) {
    this.clock = clock;
    this.#onSilent = onSilent;
  }

  /** Takes into account that a request waits for long: perhaps for nothing, where nothing else has come either. */
  consider(request: HeardRequest): void {
    const since = request.heardAt;
    if (!request.isSilent || this.heardAt > since || this.silentSince >= since) return;
    this.silentSince = since;
    this.#onSilent(since);
  }
}

/** The connection that a client has at the moment. */
class Connection {
  #socket: OpenSocket = null;
  /** When it was opened or something came over it, monotonic ms. */
  heardAt = 0;

  opened(socket: OpenSocket, at: number): void {
    this.#socket = socket;
    this.heardAt = at;
  }

  /** Ends it at once; its client opens another for its next request. */
  giveUp(): void {
    // With an error of undici's own: by it the client asks again over another what it has not sent yet.
    this.#socket?.destroy(new errors.SocketError('nothing comes over this connection'));
    this.#socket = null;
  }
}

/** A client of undici's: one connection, with one request at a time. */
class HeardClient extends Client {
  readonly #server: HeardServer;
  readonly #connection: Connection;

  constructor(
    origin: URL,
    { connect, ...options }: Client.Options & { connect: buildConnector.connector },
    server: HeardServer,
  ) {
    const connection = new Connection();
    const noted: buildConnector.connector = (target, onConnected) =>
      connect(target, (...connected) => {
        connection.opened(connected[1], server.clock.monotonic());
        onConnected(...connected);
      });
    super(origin, { ...options, connect: noted });
    this.#server = server;
    this.#connection = connection;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    for (const running of this.#server.running) this.#server.consider(running);
    if (this.#connection.heardAt <= this.#server.silentSince) this.#connection.giveUp();
    const request = new HeardRequest(new DecoratorHandler(handler), this.#server, this.#connection);
    return super.dispatch(options, request);
  }
}

/** A request that gives its connection up when it ends after a silence. */
class HeardRequest implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #server: HeardServer;
  readonly #connection: Connection;
  #controller: Dispatcher.DispatchController | undefined;
  /** When it was sent or something of its answer came, monotonic ms. */
  heardAt = 0;

  constructor(handler: Dispatcher.DispatchHandler, server: HeardServer, connection: Connection) {
    this.#handler = handler;
    this.#server = server;
    this.#connection = connection;
  }

  /** Returns whether nothing has come for long. While its reader takes nothing, nothing can. */
  get isSilent(): boolean {
    return !this.#controller?.paused && this.#server.clock.monotonic() - this.heardAt >= SILENT_MS;
  }

  onRequestStart(...[controller, context]: Parameters<Handler['onRequestStart']>): void {
    this.#controller = controller;
    this.heardAt = this.#server.clock.monotonic();
    this.#server.running.add(this);
    this.#handler.onRequestStart?.(controller, context);
  }

  onRequestUpgrade(...upgrade: Parameters<Handler['onRequestUpgrade']>): void {
    this.#server.running.delete(this);
    this.#handler.onRequestUpgrade?.(...upgrade);
  }

  onResponseStart(...response: Parameters<Handler['onResponseStart']>): void {
    this.#heard();
    this.#handler.onResponseStart?.(...response);
  }

  onResponseData(...[controller, chunk]: Parameters<Handler['onResponseData']>): void {
    this.#heard();
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...end: Parameters<Handler['onResponseEnd']>): void {
    this.#heard();
    this.#server.running.delete(this);
    this.#handler.onResponseEnd?.(...end);
  }

  onResponseError(...failure: Parameters<Handler['onResponseError']>): void {
    this.#server.running.delete(this);
    // Before anybody asks again.
    if (this.#controller && this.isSilent) {
      this.#server.consider(this);
      this.#connection.giveUp();
    }
    this.#handler.onResponseError?.(...failure);
  }

  #heard(): void {
    this.heardAt = this.#server.clock.monotonic();
    this.#connection.heardAt = this.heardAt;
    this.#server.heardAt = this.heardAt;
  }
}
