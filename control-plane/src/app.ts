import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { providerMatrixSection } from './agents/provider-matrix.js';
import { dashboardPage } from './dashboard/page.js';
import { healthEndpoints } from './health/health.js';
import type { CredentialLookup, TenantSessions } from './http/authentication.js';
import { docsEndpoints } from './http/docs.js';
import { apiError } from './http/error-codes.js';
import { IdempotencyStore } from './http/idempotency.js';
import type { Module, Platform } from './http/module.js';
import { observe } from './http/observe.js';
import { openApiDocument } from './http/openapi/document.js';
import { RateLimiter } from './http/rate-limits.js';
import { mountRoutes, refuse } from './http/router.js';
import { addressSubject, countRequest, type ServeDeps, writeError } from './http/serve.js';
import { openApiWebhooks } from './webhooks/openapi-webhooks.js';
import { webhooksSection } from './webhooks/section.js';

export interface AppOptions {
  readonly platform: Platform;
  readonly modules: readonly Module[];
  readonly lookup: CredentialLookup;
  readonly sessions: TenantSessions;
  /** Whether this process wants work: started, and not shutting down. `/readyz` says so. */
  readonly accepting: () => boolean;
  /** Whether every answer is held against its declaration; for tests. */
  readonly checkResponses?: boolean;
}

/** The whole HTTP surface: health, description, public API, and the routes between the planes. */
export function createApp({
  platform,
  modules,
  lookup,
  sessions,
  accepting,
  checkResponses = false,
}: AppOptions): Express {
  const { clock, log, metrics, store, config } = platform;
  const deps: ServeDeps = {
    clock,
    log,
    lookup,
    sessions,
    limiter: new RateLimiter(store, config.rateLimits, clock),
    idempotency: new IdempotencyStore(store, clock, platform.secrets),
    internalSecret: config.internalSecret,
    checkResponses,
  };
  const routes = modules.flatMap((module) => module.routes ?? []);
  const internalRoutes = modules.flatMap((module) => module.internalRoutes ?? []);
  const stray = internalRoutes.find((route) => !route.path.startsWith('/internal/'));
  if (stray) throw new Error(`not under /internal: ${stray.path}`);

  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.set('query parser', 'simple');
  app.set('trust proxy', config.trustProxy);

  app.use(observe({ clock, log, metrics }));
  healthEndpoints(app, { store, metrics, accepting });
  docsEndpoints(app, {
    document: () =>
      openApiDocument(routes, {
        serverUrl: platform.publicUrl(),
        sections: [webhooksSection(config.productHeaderPrefix), providerMatrixSection()],
        webhooks: openApiWebhooks(config.productHeaderPrefix),
      }),
    admit: (request, response) => countRequest(response, deps, addressSubject(request), 'default'),
    log,
  });
  dashboardPage(app);
  app.use(['/api', '/internal'], (_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });
  mountRoutes(app, routes, deps);
  mountRoutes(app, internalRoutes, deps);

  app.use((request: Request, response: Response) => {
    void refuse(
      request,
      response,
      deps,
      apiError('not_found', `No route ${request.method} ${request.path}.`),
    );
  });
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    if (error instanceof URIError) void refuse(request, response, deps, apiError('malformed_request'));
    else writeError(response, error, log);
  });
  return app;
}
