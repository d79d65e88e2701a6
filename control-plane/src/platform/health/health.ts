import { statfs } from 'node:fs/promises';
import type { Express } from 'express';
import type { Connection } from 'mongoose';
import type { Registry } from 'prom-client';
import { isStorageFull } from '../http/errors.js';
import type { WorkerRoom } from './worker-room.js';

const READY_TIMEOUT_MS = 2000;
/** Less than the shortest recording needs. */
const MIN_FREE_BYTES = 256 * 1024;

interface HealthOptions {
  readonly store: Connection;
  readonly migrated: () => boolean;
  readonly accepting: () => boolean;
  readonly workerRoom: () => Promise<WorkerRoom>;
  /** Where this process keeps files of its own; undefined: nowhere. */
  readonly filesDir: string | undefined;
}

/** Rejects when it takes longer than a probe may; the driver's own time-outs do not bind every command. */
async function inTime<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the store does not answer')), READY_TIMEOUT_MS);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function storeAnswers(store: Connection): Promise<boolean> {
  try {
    if (!store.db) return false;
    await inTime(store.db.command({ ping: 1 }));
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks whether a small write finds room; where that is not known, such as with a store that is away, it is not said
 * no.
 */
async function hasStorage(store: Connection, filesDir: string | undefined): Promise<boolean> {
  try {
    const probes = store.db?.collection<{ _id: string; at: Date }>('storage_probes');
    const written = probes?.updateOne({ _id: 'probe' }, { $set: { at: new Date() } }, { upsert: true });
    const free = filesDir === undefined ? null : await statfs(filesDir).catch(() => null);
    await inTime(Promise.resolve(written));
    return free === null || free.bavail * free.bsize >= MIN_FREE_BYTES;
  } catch (error) {
    return !isStorageFull(error);
  }
}

/**
 * `/healthz`: the process runs. `/readyz`: it should be given requests (the store answers, has room and is up to date,
 * no shutdown is under way); it says as well which workers have room, which is no reason to give it none: calls wait for
 * a worker.
 */
export function healthEndpoints(
  app: Express,
  { store, migrated, accepting, workerRoom, filesDir }: HealthOptions,
): void {
  app.get('/healthz', (_request, response) => {
    response.locals.route = '/healthz';
    response.json({ status: 'ok' });
  });
  app.get('/readyz', async (_request, response) => {
    response.locals.route = '/readyz';
    const [answers, storage, workers] = await Promise.all([
      storeAnswers(store),
      hasStorage(store, filesDir),
      inTime(workerRoom()).catch(() => null),
    ]);
    const checks = { store: answers, storage, migrated: migrated(), accepting: accepting() };
    const reasons = [
      ...(checks.store ? [] : ['store_unavailable']),
      ...(checks.storage ? [] : ['storage_full']),
      ...(checks.migrated ? [] : ['migrating']),
      ...(checks.accepting ? [] : ['not_accepting']),
    ];
    const ready = reasons.length === 0;
    response
      .status(ready ? 200 : 503)
      .json({ status: ready ? 'ready' : 'not_ready', reasons, checks, workers });
  });
}

/** `/metrics`: Prometheus text, for the internal listener alone: it shows how much the installation is used. */
export function metricsEndpoint(app: Express, metrics: Registry): void {
  app.get('/metrics', async (_request, response) => {
    response.locals.route = '/metrics';
    response.type(metrics.contentType).send(await metrics.metrics());
  });
}
