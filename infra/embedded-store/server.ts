import { createServer, type Socket } from 'node:net';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { STORE_USER } from '@voice/shared/embedded-store/access';
import { Access } from './access/access.js';
import { ScramCredential } from './access/scram.js';
import { Cursors } from './commands/cursors.js';
import { answer } from './commands/registry.js';
import { sweepExpired } from './expiry/ttl.js';
import { Store } from './storage/store.js';
import { serveConnection } from './wire/connection.js';

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
  const server = createServer((socket) => {
    const connectionId = ++connections;
    const address = `${socket.remoteAddress}:${socket.remotePort}`;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    const access = credential && new Access(credential);
    const context = { store, cursors, clock, connectionId, address, access };
    serveConnection(socket, (message) => answer(message, context));
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, HOST, resolve);
    });
  } catch (error) {
    store.close();
    throw error;
  }
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
    close() {
      closing ??= new Promise((resolve) => {
        sweep.cancel();
        server.close(() => {
          store.close();
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      });
      return closing;
    },
  };
}
