import { hostname } from 'node:os';
import { AdjustedClock } from '@voice/shared/clock/adjusted-clock';
import type { Clock } from '@voice/shared/clock/clock';
import { urlAt } from '@voice/shared/listen/url';
import type { Log } from '@voice/shared/log/log';
import { createTracer } from '@voice/shared/tracing/otlp-tracer';
import { Registry } from 'prom-client';
import { createApps } from './app.js';
import { compose } from './composition.js';
import type { Config } from './config.js';
import { addProcessMetrics } from './platform/health/process-metrics.js';
import { addTracingMetrics } from './platform/health/tracing-metrics.js';
import { CursorCodec } from './platform/http/pagination.js';
import { uncountedRateHeaders } from './platform/http/rate-limits.js';
import { createHttpServer, drain, listen, UPLOAD_LIMIT_MS } from './platform/http/server.js';
import { serveUpgrades } from './platform/http/upgrades.js';
import { migrate } from './platform/migrations/migrate.js';
import type { Module, Platform } from './platform/module.js';
import { SecretBox } from './platform/secrets/secret-box.js';
import { connectStore } from './platform/store/connection.js';
import { followStoreTime } from './platform/store/store-time.js';

export interface ControlPlaneOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** For tests: every answer is held against its declaration. */
  readonly checkResponses?: boolean;
  /** Whether CPU, memory and the event loop are among the metrics. */
  readonly processMetrics?: boolean;
  /** Whether the store's time is taken where it differs from the clock's: by it all replicas agree. */
  readonly followsStoreTime?: boolean;
  /** Called whenever the start has come a step further. */
  readonly onProgress?: () => void;
  /** Called when it listens: it is alive, and not ready before the store is up to date. */
  readonly onListening?: (ports: { readonly port: number; readonly internalPort: number }) => void;
  /** Gives the start up; what was migrated so far stays. */
  readonly signal?: AbortSignal;
}

export interface RunningControlPlane {
  readonly port: number;
  readonly url: string;
  /** Of the internal listener. */
  readonly internalPort: number;
  readonly internalUrl: string;
  readonly platform: Platform;
  readonly modules: readonly Module[];
  /** Takes no new work, finishes what is under way, stops the modules, leaves the store. */
  close(): Promise<void>;
}

/** Starts one replica: connects to the store, listens, brings the store up to date, starts the modules. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<RunningControlPlane> {
  const { config, log } = options;
  const store = await connectStore(config.mongodbUri);
  const adjusted = options.followsStoreTime ? new AdjustedClock(options.clock) : undefined;
  const following = adjusted && (await followStoreTime(adjusted, { store, log }));
  const clock = adjusted ?? options.clock;
  const metrics = new Registry();
  if (options.processMetrics) addProcessMetrics(metrics);
  const tracer = createTracer({
    settings: config.tracing,
    resource: { 'service.name': 'control-plane', 'service.instance.id': `${hostname()}-${process.pid}` },
    clock,
    log,
  });
  addTracingMetrics(metrics, tracer);
  let { port } = config;
  let internalPort = config.internal.port;
  let migrated = false;
  let accepting = false;
  const platform: Platform = {
    config,
    clock,
    log,
    store,
    metrics,
    tracer,
    secrets: new SecretBox(config.secretsKeys),
    cursors: new CursorCodec(config.secretsKeys),
    publicUrl: () => config.publicUrl ?? urlAt({ host: config.host, port }),
    internalUrl: () => config.internal.url ?? urlAt({ host: config.internal.host, port: internalPort }),
  };
  const { modules, lookup, sessions, recall, workerRoom } = compose(platform);
  const { checkResponses } = options;
  const apps = createApps({
    platform,
    modules,
    lookup,
    sessions,
    recall,
    migrated: () => migrated,
    accepting: () => accepting,
    workerRoom,
    checkResponses,
  });
  const server = createHttpServer(apps.api, () =>
    uncountedRateHeaders(config.rateLimits.default, clock.now()),
  );
  serveUpgrades(server, apps.api);
  const internalServer = createHttpServer(apps.internal, undefined, UPLOAD_LIMIT_MS);
  const started: Module[] = [];

  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= (async () => {
      accepting = false;
      for (const module of started) module.endStreams?.();
      await Promise.all([drain(server, clock), drain(internalServer, clock)]);
      for (const module of started.reverse()) {
        await module.stop?.().catch((err: unknown) => log.error({ module: module.name, err }, 'stop failed'));
      }
      following?.stop();
      await tracer.close();
      await store.close();
    })();
    return closed;
  };

  try {
    internalPort = await listen(internalServer, config.internal);
    port = await listen(server, config);
    options.onListening?.({ port, internalPort });
    const { onProgress, signal } = options;
    await migrate({ store, clock, log, onProgress, signal });
    migrated = true;
    for (const module of modules) {
      signal?.throwIfAborted();
      started.push(module);
      await module.start?.();
      onProgress?.();
    }
    signal?.throwIfAborted();
    accepting = true;
  } catch (error) {
    await close();
    throw error;
  }
  return {
    port,
    url: urlAt({ host: config.host, port }),
    internalPort,
    internalUrl: urlAt({ host: config.internal.host, port: internalPort }),
    platform,
    modules,
    close,
  };
}
