import type { TemplatedApp } from 'uWebSockets.js';
import type { HeartbeatLoop } from '../control-link/heartbeat.js';
import { handle } from './responses.js';
import { type WorkerMetricsOptions, workerMetrics } from './worker-metrics.js';

export interface HealthRoutesOptions extends WorkerMetricsOptions {
  readonly heartbeat: Pick<HeartbeatLoop, 'reachable'>;
}

/** Adds `/healthz` (the process lives), `/readyz` (it can take a call) and `/metrics` (Prometheus' text format). */
export function addHealthRoutes(app: TemplatedApp, options: HealthRoutesOptions): void {
  const { registry, storage, heartbeat, breakers } = options;
  const { metrics, internalErrors } = workerMetrics(options);
  const onError = () => internalErrors.inc();

  app.get(
    '/healthz',
    handle(0, () => ({ status: 200, body: { status: 'ok' } }), onError),
  );
  app.get(
    '/readyz',
    handle(
      0,
      () => {
        const reasons: string[] = [];
        if (registry.draining) reasons.push('draining');
        if (storage.full) reasons.push('storage full');
        if (heartbeat.reachable !== true) reasons.push('control plane unreachable');
        return {
          status: reasons.length === 0 ? 200 : 503,
          body: {
            status: reasons.length === 0 ? 'ready' : 'not ready',
            reasons,
            // No reason against calls: those with a fallback go on, and the others are no better off elsewhere.
            providers: breakers
              .list()
              .map(({ kind, provider, phase }) => ({ kind, provider, circuit: phase })),
          },
        };
      },
      onError,
    ),
  );
  app.get(
    '/metrics',
    handle(0, async () => ({ status: 200, body: await metrics.metrics() }), onError),
  );
}
