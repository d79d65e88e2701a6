import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import mongoose, { type Connection } from 'mongoose';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createApp } from './app.js';
import { compose } from './composition.js';
import type { Config } from './config.js';
import type { Module, Platform } from './http/module.js';
import { CursorCodec } from './http/pagination.js';
import { SecretBox } from './secrets/secret-box.js';

/** How long live requests may take to finish once a stop was asked for, in ms. */
export const DRAIN_LIMIT_MS = 25_000;
/** How long a command waits for a store that does not answer, in ms, unless MONGODB_URI says otherwise. */
const STORE_SELECTION_TIMEOUT_MS = 5000;

export interface ControlPlaneOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** For tests: every answer is held against its declaration. */
  readonly checkResponses?: boolean;
  readonly processMetrics?: boolean;
}

export interface RunningControlPlane {
  readonly port: number;
  readonly url: string;
  readonly platform: Platform;
  readonly modules: readonly Module[];
  /** Takes no new work, finishes what is under way, stops the modules, leaves the store. */
  close(): Promise<void>;
}

async function connectStore(uri: string): Promise<Connection> {
  return mongoose
    .createConnection(uri, {
      ...(uri.includes('serverSelectionTimeoutMS=')
        ? {}
        : { serverSelectionTimeoutMS: STORE_SELECTION_TIMEOUT_MS }),
      bufferCommands: false,
      autoIndex: false,
      autoCreate: false,
    })
    .asPromise();
}

/** Makes every index that the models declare; a unique one is part of the program's correctness. */
export async function ensureIndexes(store: Connection): Promise<void> {
  for (const model of Object.values(store.models)) await model.createIndexes();
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closeServer(server: Server, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const deadline = clock.schedule(DRAIN_LIMIT_MS, () => server.closeAllConnections());
    server.close(() => {
      deadline.cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** One replica: connects to the store, listens, starts the modules. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<RunningControlPlane> {
  const { config, clock, log } = options;
  const store = await connectStore(config.mongodbUri);
  const metrics = new Registry();
  if (options.processMetrics) collectDefaultMetrics({ register: metrics });
  let port = config.port;
  let draining = false;
  const platform: Platform = {
    config,
    clock,
    log,
    store,
    metrics,
    secrets: new SecretBox(config.secretsKey),
    cursors: new CursorCodec(config.secretsKey),
    publicUrl: () => config.publicUrl ?? `http://127.0.0.1:${port}`,
  };
  const { modules, lookup } = compose(platform);
  const app = createApp({
    platform,
    modules,
    lookup,
    draining: () => draining,
    checkResponses: options.checkResponses,
  });
  const server = createServer(app);
  const started: Module[] = [];
  const close = async () => {
    draining = true;
    if (server.listening) await closeServer(server, clock);
    for (const module of started.reverse()) {
      await module.stop?.().catch((err: unknown) => log.error({ module: module.name, err }, 'stop failed'));
    }
    started.length = 0;
    await store.close();
  };
  try {
    await ensureIndexes(store);
    port = await listen(server, config.port);
    for (const module of modules) {
      await module.start?.();
      started.push(module);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { port, url: `http://127.0.0.1:${port}`, platform, modules, close };
}
