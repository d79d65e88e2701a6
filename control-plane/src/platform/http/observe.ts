import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import type { RequestHandler } from 'express';
import { Counter, Histogram, type Registry } from 'prom-client';
import { REQUEST_ID_HEADER, requestIdFrom } from './request-id.js';

/** Asked every few seconds by machines: logged at debug level while all is well. */
const ROUTINE: readonly string[] = ['/healthz', '/readyz', '/metrics', '/internal/workers/heartbeat'];

/** Gives every request its id, and records every answer: one wide log event and two metrics. */
export function observe(options: { clock: Clock; log: Log; metrics: Registry }): RequestHandler {
  const labelNames = ['method', 'route', 'status'] as const;
  const answers = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by route.',
    labelNames,
    registers: [options.metrics],
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to the last byte of the answer, by route.',
    labelNames,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [options.metrics],
  });
  return (request, response, next) => {
    const requestId = requestIdFrom(request.get(REQUEST_ID_HEADER));
    const startedAt = options.clock.monotonic();
    response.locals.requestId = requestId;
    response.set(REQUEST_ID_HEADER, requestId).set('X-Content-Type-Options', 'nosniff');
    response.on('close', () => {
      const durationMs = options.clock.monotonic() - startedAt;
      const route = typeof response.locals.route === 'string' ? response.locals.route : 'none';
      const labels = { method: request.method, route, status: String(response.statusCode) };
      answers.inc(labels);
      durations.observe(labels, durationMs / 1000);
      const routine = ROUTINE.includes(route) && response.statusCode < 400;
      options.log[routine ? 'debug' : 'info'](
        {
          request_id: requestId,
          method: request.method,
          route,
          status: response.statusCode,
          duration_ms: Math.round(durationMs * 10) / 10,
          tenant: response.locals.tenant,
          error_code: response.locals.errorCode,
          aborted: !response.writableFinished,
        },
        'request',
      );
    });
    next();
  };
}
