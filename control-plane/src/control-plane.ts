import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createApp } from './app.js';
import { compose } from './composition.js';
import type { Config } from './config.js';
import type { Module, Platform } from './http/module.js';
import { CursorCodec } from './http/pagination.js';
import { createHttpServer, drain, listen } from './http/server.js';
import { SecretBox } from './secrets/secret-box.js';
import { connectStore, ensureIndexes } from './store/connection.js';

export interface ControlPlaneOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** For tests: every answer is held against its declaration. */
  readonly checkResponses?: boolean;
  /** Whether CPU, memory and the event loop are among the metrics. */
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

/** One replica: connects to the store, listens, starts the modules. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<RunningControlPlane> {
  const { config, clock, log } = options;
  const store = await connectStore(config.mongodbUri);
  const metrics = new Registry();
  if (options.processMetrics) collectDefaultMetrics({ register: metrics });
  let port = config.port;
  let accepting = false;
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
  const { modules, lookup, sessions } = compose(platform);
  const { checkResponses } = options;
  const server = createHttpServer(
    createApp({ platform, modules, lookup, sessions, accepting: () => accepting, checkResponses }),
  );
  const started: Module[] = [];

  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= (async () => {
      accepting = false;
      await drain(server, clock);
      for (const module of started.reverse()) {
        await module.stop?.().catch((err: unknown) => log.error({ module: module.name, err }, 'stop failed'));
      }
      await store.close();
    })();
    return closed;
  };

  try {
    await ensureIndexes(store);
    port = await listen(server, config.port);
    for (const module of modules) {
      started.push(module);
      await module.start?.();
    }
    accepting = true;
  } catch (error) {
    await close();
    throw error;
  }
  return { port, url: `http://127.0.0.1:${port}`, platform, modules, close };
}
