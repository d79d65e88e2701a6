import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { STORE_USER, socketPath } from '@voice/shared/embedded-store/access';
import { Access } from './access/access.js';
import { ScramCredential } from './access/scram.js';
import { Cursors } from './commands/cursors.js';
import { answer } from './commands/registry.js';
import { sweepExpired } from './expiry/ttl.js';
import { Store } from './storage/store.js';
import { serveConnection } from './wire/connection.js';
import { listenOnSocket } from './wire/unix-socket.js';

/** How often expired documents are removed and idle cursors closed, in ms; MongoDB's interval. */
const SWEEP_MS = 60_000;
/** Expired documents that are removed at once; commands are answered before the next ones go. */
const SWEEP_BATCH = 500;
const HOST = '127.0.0.1';

export interface EmbeddedStoreOptions {
  /** TCP port on loopback; 0 picks a free one. */
  readonly port: number;
  /** Directory of the database file; created if it is missing. */
  readonly dataDir: string;
  /** Whether it also listens on the Unix socket of its directory, where there can be one (default: no). */
  readonly socket?: boolean;
  /** Asked of every connection; undefined: of none, for tests within one process. */
  readonly password?: string;
  readonly clock?: Clock;
  /** Whether documents that a TTL index lets expire are removed (default); MongoDB's `ttlMonitorEnabled`. */
  readonly ttlMonitor?: boolean;
}

export interface EmbeddedStore {
  readonly port: number;
  /** Connection string for any MongoDB client, without the password. */
  readonly uri: string;
  /** The Unix socket that it listens on, if any. */
  readonly socket: string | undefined;
  close(): Promise<void>;
}

/** Starts a server of MongoDB's wire protocol over a SQLite file. Rejects when the port is taken. */
export async function startEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const clock = options.clock ?? systemClock;
  const store = new Store(options.dataDir);
  const cursors = new Cursors(clock);
  const sockets = new Set<Socket>();
  let connections = 0;
  const { password } = options;
  const credential = password === undefined ? undefined : new ScramCredential(STORE_USER, password);
  const onConnection = (socket: Socket) => {
    const connectionId = ++connections;
    const { remoteAddress, remotePort } = socket;
    const address = remoteAddress === undefined ? 'anonymous unix socket' : `${remoteAddress}:${remotePort}`;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    const access = credential && new Access(credential);
    const context = { store, cursors, clock, connectionId, address, access };
    serveConnection(socket, (message) => answer(message, context));
  };
  const server = createServer(onConnection);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, HOST, resolve);
    });
  } catch (error) {
    store.close();
    throw error;
  }
  const path = socketPath(options.dataDir);
  // What a killed store left would be taken for this one's. The directory's lock is held: no other one listens there.
  rmSync(path, { force: true });
  const local = options.socket === true ? await listenOnSocket(path, onConnection) : undefined;
  let sweep = clock.schedule(SWEEP_MS, sweepAgain);
  function sweepAgain(): void {
    let isMoreLeft = false;
    try {
      if (options.ttlMonitor !== false) {
        isMoreLeft = sweepExpired(store, clock.now(), SWEEP_BATCH) >= SWEEP_BATCH;
      }
      cursors.expire();
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error)); // the next sweep tries again
    }
    sweep = clock.schedule(isMoreLeft ? 0 : SWEEP_MS, sweepAgain);
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  let closing: Promise<void> | undefined;
  return {
    port,
    uri: `mongodb://${HOST}:${port}`,
    socket: local && path,
    close() {
      closing ??= (async () => {
        sweep.cancel();
        const closed = Promise.all([server, local].map((listening) => listening && closedServer(listening)));
        for (const socket of sockets) socket.destroy();
        await closed;
        store.close();
      })();
      return closing;
    },
  };
}

/** Resolves when it has stopped listening and its connections have ended. */
function closedServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
