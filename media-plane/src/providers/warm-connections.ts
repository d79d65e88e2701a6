import type { LookupFunction, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { Agent, buildConnector } from 'undici';
import { heardConnections } from './heard-connections.js';
import { createPreparation, type Preparation } from './preparation.js';

/**
 * How long an idle connection is kept, in ms. A conversation's turns are often more than the 4 s apart
 * after which fetch would drop it, and a new TLS handshake would be on the caller's time.
 */
const KEEP_ALIVE_MS = 60_000;
/** Longest wait for a handshake, in ms. */
const CONNECT_TIMEOUT_MS = 5000;
/** Spare connections of a host at most. */
const MOST_SPARES = 4;
/** Servers close a connection over which no request comes, many of them after a minute; before that it is replaced. */
const SPARE_LIFE_MS = 30_000;
/** How long a host that could not be reached, or does not keep what is opened, is left alone, in ms. */
const REST_MS = 5000;

type ConnectOptions = Parameters<buildConnector.connector>[0];
type OnConnected = Parameters<buildConnector.connector>[1];

export interface WarmConnectionsOptions {
  readonly clock: Clock;
  /** Resolves the host's name; the egress guard's for addresses that tenants name. */
  readonly lookup?: LookupFunction;
  /** Certificates of the servers' authorities; by default those that Node knows. */
  readonly ca?: string;
  /** Opens a connection; over TCP and TLS by default, with HTTP/2 where the server has it. */
  readonly connect?: buildConnector.connector;
}

/** A connection that waits for its first request. */
interface Spare {
  readonly openedAt: number;
  socket: Socket | TLSSocket | undefined;
  /** A request that wants it as soon as it is open. */
  wanted: OnConnected | undefined;
  dropped: boolean;
  life: Timer | undefined;
  /** Stops watching it. */
  unwatch: () => void;
}

interface Host {
  readonly target: ConnectOptions;
  holders: number;
  readonly spares: Set<Spare>;
  isHttp2: boolean;
  rest: Timer | undefined;
  /** Those who wait for the next connection to open, or to fail. */
  waiting: { resolve: () => void; reject: (error: Error) => void }[];
}

/**
 * Keeps HTTP connections open ahead of the requests, for all calls of the worker. An aborted request leaves an HTTP/2
 * connection as it was and destroys an HTTP/1.1 connection: so each host that calls hold has spare ones, which a request
 * takes instead of opening one, and which are replaced at once. One that left a request unanswered is destroyed, too.
 */
export class WarmConnections {
  readonly dispatcher: Agent;
  readonly #clock: Clock;
  readonly #connect: buildConnector.connector;
  readonly #hosts = new Map<string, Host>();

  constructor({ clock, lookup, ca, connect }: WarmConnectionsOptions) {
    this.#clock = clock;
    this.#connect =
      connect ??
      buildConnector({
        allowH2: true,
        timeout: CONNECT_TIMEOUT_MS,
        ...(lookup ? { lookup } : {}),
        ...(ca === undefined ? {} : { ca }),
      });
    this.dispatcher = new Agent({
      keepAliveTimeout: KEEP_ALIVE_MS,
      connections: null,
      allowH2: true,
      factory: (origin, options) =>
        heardConnections(origin, options, {
          clock,
          connect: (target, onConnected) => this.#take(target, onConnected),
          onSilent: (since) => this.#distrust(new URL(origin), since),
        }),
    });
  }

  /** Keeps connections to the address's host open until it is released. */
  hold({ protocol, hostname, host: name, port }: URL): Preparation {
    const key = `${protocol}//${name}`;
    const host: Host = this.#hosts.get(key) ?? {
      target: { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), host: name, port },
      holders: 0,
      spares: new Set(),
      isHttp2: false,
      rest: undefined,
      waiting: [],
    };
    this.#hosts.set(key, host);
    host.holders += 1;
    this.#refill(host);
    const isReady = [...host.spares].some(({ socket }) => socket);
    const ready = isReady
      ? Promise.resolve()
      : new Promise<void>((resolve, reject) => host.waiting.push({ resolve, reject }));
    let held = true;
    return createPreparation(ready, () => {
      if (!held) return;
      held = false;
      // Gone already when all were closed.
      if (host.holders === 0) return;
      host.holders -= 1;
      if (host.holders === 0) this.#forget(key, host);
      else this.#trim(host);
    });
  }

  /** Closes all connections; for a clean end of the process. */
  async close(): Promise<void> {
    for (const [key, host] of this.#hosts) this.#forget(key, host);
    await this.dispatcher.destroy();
  }

  /** Gives a request the spare connection that is open for the longest, or the one that will be first, or a new one. */
  #take(target: ConnectOptions, onConnected: OnConnected): void {
    const { protocol, host: name, hostname, servername } = target;
    const host = this.#hosts.get(`${protocol}//${name}`);
    const isOwnName = !servername || servername === hostname;
    const spares = isOwnName && host ? [...host.spares] : [];
    const spare = spares.find(({ socket }) => socket) ?? spares[0];
    if (!host || !spare) {
      this.#connect(target, onConnected);
      return;
    }
    host.spares.delete(spare);
    const { socket } = spare;
    if (socket) {
      this.#stopWatching(spare);
      // Never within the call: the client is not ready to be called back yet.
      queueMicrotask(() => onConnected(null, socket));
    } else {
      spare.wanted = onConnected;
    }
    this.#refill(host);
  }

  /** Replaces the spare connections to a server of which nothing has come since. */
  #distrust({ origin }: URL, since: number): void {
    const host = this.#hosts.get(origin);
    if (!host) return;
    for (const spare of host.spares) if (spare.openedAt <= since) this.#drop(host, spare);
    this.#refill(host);
  }

  #refill(host: Host): void {
    while (host.spares.size < this.#wantedSpares(host) && !host.rest) this.#open(host);
  }

  /**
   * Over HTTP/2 nothing is destroyed by an abort: one is for the moment when all others are in use. In the clear it is a
   * server of one's own: near, and some of them give each connection a thread, of which they have few.
   */
  #wantedSpares({ holders, isHttp2, target }: Host): number {
    return Math.min(holders, isHttp2 || target.protocol === 'http:' ? 1 : MOST_SPARES);
  }

  #open(host: Host): void {
    const spare: Spare = {
      openedAt: this.#clock.monotonic(),
      socket: undefined,
      wanted: undefined,
      dropped: false,
      life: undefined,
      unwatch: () => {},
    };
    host.spares.add(spare);
    this.#connect(host.target, (error, socket) => {
      if (error) this.#failed(host, spare, error);
      else this.#opened(host, spare, socket);
    });
  }

  #opened(host: Host, spare: Spare, socket: Socket | TLSSocket): void {
    host.isHttp2 = 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
    for (const { resolve } of host.waiting.splice(0)) resolve();
    if (spare.wanted) {
      spare.wanted(null, socket);
    } else if (spare.dropped) {
      socket.on('error', () => {}).destroy();
    } else {
      spare.socket = socket;
      this.#watch(host, spare, socket);
      this.#trim(host);
    }
  }

  #failed(host: Host, spare: Spare, error: Error): void {
    for (const { reject } of host.waiting.splice(0)) reject(error);
    host.spares.delete(spare);
    spare.wanted?.(error, null);
    if (!spare.dropped) this.#rest(host);
  }

  /** Replaces a spare connection that the server closes, or that has waited for long. */
  #watch(host: Host, spare: Spare, socket: Socket | TLSSocket): void {
    const lost = () => {
      this.#drop(host, spare);
      if (this.#clock.monotonic() - spare.openedAt < REST_MS) this.#rest(host);
      else this.#refill(host);
    };
    const onError = () => {};
    // A server of HTTP/1.1 has nothing to say before it is asked: it closes. One of HTTP/2 introduces itself; that is
    // read, for its end shows only behind it, and given back to who takes the connection.
    const introduction: Buffer[] = [];
    const onReadable = () => {
      const data: Buffer | null = socket.read();
      if (data === null) return;
      if (host.isHttp2) introduction.push(data);
      else lost();
    };
    socket.on('error', onError).on('close', lost).on('end', lost).on('readable', onReadable);
    spare.unwatch = () => {
      socket.off('close', lost).off('end', lost).off('readable', onReadable).off('error', onError);
      if (introduction.length > 0 && !socket.readableEnded) socket.unshift(Buffer.concat(introduction));
    };
    spare.life = this.#clock.schedule(SPARE_LIFE_MS, lost);
  }

  #stopWatching(spare: Spare): void {
    spare.life?.cancel();
    spare.unwatch();
  }

  #drop(host: Host, spare: Spare): void {
    host.spares.delete(spare);
    spare.dropped = true;
    this.#stopWatching(spare);
    spare.socket?.on('error', () => {}).destroy();
  }

  #trim(host: Host): void {
    const wanted = this.#wantedSpares(host);
    for (const spare of host.spares) if (host.spares.size > wanted) this.#drop(host, spare);
  }

  #rest(host: Host): void {
    if (host.holders === 0) return;
    host.rest ??= this.#clock.schedule(REST_MS, () => {
      host.rest = undefined;
      this.#refill(host);
    });
  }

  #forget(key: string, host: Host): void {
    host.holders = 0;
    this.#hosts.delete(key);
    host.rest?.cancel();
    host.rest = undefined;
    for (const spare of host.spares) this.#drop(host, spare);
    for (const { resolve } of host.waiting.splice(0)) resolve();
  }
}
