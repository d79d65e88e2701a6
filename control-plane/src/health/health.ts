import type { Express } from 'express';
import type { Connection } from 'mongoose';
import type { Registry } from 'prom-client';

const READY_TIMEOUT_MS = 2000;

interface HealthDeps {
  readonly store: Connection;
  readonly metrics: Registry;
  readonly accepting: () => boolean;
}

async function storeAnswers(store: Connection): Promise<boolean> {
  try {
    await store.db?.command({ ping: 1 }, { timeoutMS: READY_TIMEOUT_MS });
    return store.db !== undefined;
  } catch {
    return false;
  }
}

/**
 * `/healthz`: the process runs. `/readyz`: it should be given requests (the store answers, no shutdown
 * is under way). `/metrics`: Prometheus text.
 */
export function healthEndpoints(app: Express, { store, metrics, accepting }: HealthDeps): void {
  app.get('/healthz', (_request, response) => {
    response.locals.route = '/healthz';
    response.json({ status: 'ok' });
  });
  app.get('/readyz', async (_request, response) => {
    response.locals.route = '/readyz';
    const checks = { store: await storeAnswers(store), accepting: accepting() };
    const ready = checks.store && checks.accepting;
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not_ready', checks });
  });
  app.get('/metrics', async (_request, response) => {
    response.locals.route = '/metrics';
    response.type(metrics.contentType).send(await metrics.metrics());
  });
}
