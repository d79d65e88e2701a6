import type { Log } from '@voice/shared/log/log';
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { talkPage } from './agent-testing/talk/page.js';
import { providerMatrixSection } from './agents/provider-matrix.js';
import { dashboardPage } from './identity/dashboard/page.js';
import { docsEndpoints } from './platform/docs/endpoints.js';
import { healthEndpoints, metricsEndpoint } from './platform/health/health.js';
import type { WorkerRoom } from './platform/health/worker-room.js';
import { addressSubject, countRequest } from './platform/http/admission.js';
import {
  type CredentialLookup,
  type CredentialRecall,
  isHttps,
  type TenantSessions,
} from './platform/http/authentication.js';
import { apiError } from './platform/http/error-codes.js';
import { IdempotencyStore } from './platform/http/idempotency.js';
import { ImportLeases } from './platform/http/import-leases.js';
import { InterPlaneRequests } from './platform/http/inter-plane.js';
import { observe } from './platform/http/observe.js';
import { openApiDocument } from './platform/http/openapi/document.js';
import { RateLimiter, uncountedRateHeaders } from './platform/http/rate-limits.js';
import { mountRoutes, refuse } from './platform/http/router.js';
import type { ServeOptions } from './platform/http/serve.js';
import { StoreWatch } from './platform/http/store-watch.js';
import { writeError } from './platform/http/wire-answers.js';
import type { Module, Platform } from './platform/module.js';
import { openApiWebhooks } from './webhooks/openapi-webhooks.js';
import { webhooksSection } from './webhooks/section.js';

export interface AppOptions {
  readonly platform: Platform;
  readonly modules: readonly Module[];
  readonly lookup: CredentialLookup;
  readonly sessions: TenantSessions;
  readonly recall: CredentialRecall;
  /** Whether the store is up to date; no route is served before, for unique indexes are part of what they do right. */
  readonly migrated: () => boolean;
  /** Whether this process wants work: started, and not shutting down. `/readyz` says so. */
  readonly accepting: () => boolean;
  /** Whether calls can be taken now; `/readyz` says so. */
  readonly workerRoom: () => Promise<WorkerRoom>;
  /** Whether every answer is held against its declaration; for tests. */
  readonly checkResponses?: boolean;
}

/** The two HTTP surfaces of a replica. */
export interface Apps {
  /** For everybody: the public API, its description, the pages, and what carriers and providers send. */
  readonly api: Express;
  /** For workers and the operator: what is between the planes, and the metrics. */
  readonly internal: Express;
}

/** Begins the paths of what carriers, the payment provider and the identity provider send. */
export const INTAKE_PATH = /^\/internal\/(carriers|payments|identity)\//;

/** Browsers that came by https once come by nothing else for a year. */
const HSTS = 'max-age=31536000';

/** Builds the OpenAPI description of the modules' public routes. */
export function describeApi(platform: Platform, modules: readonly Module[]): Record<string, unknown> {
  const { productHeaderPrefix } = platform.config;
  return openApiDocument(
    modules.flatMap((module) => module.routes ?? []),
    {
      serverUrl: platform.publicUrl(),
      sections: [webhooksSection(productHeaderPrefix), providerMatrixSection()],
      webhooks: (schemas) => openApiWebhooks(productHeaderPrefix, schemas),
    },
  );
}

/** Builds both surfaces; a route is on one of them alone. */
export function createApps(options: AppOptions): Apps {
  const { platform, modules, lookup, sessions, recall, checkResponses = false } = options;
  const { clock, log, store, config } = platform;
  const serving: ServeOptions = {
    clock,
    log,
    lookup,
    sessions,
    recall,
    limiter: new RateLimiter({ store, limits: config.rateLimits, clock }),
    idempotency: new IdempotencyStore({ store, clock, secrets: platform.secrets }),
    imports: new ImportLeases({ store, clock }),
    interPlane: new InterPlaneRequests({ store, clock, secret: config.internalSecret }),
    storeWatch: new StoreWatch(store, clock),
    checkResponses,
  };
  const routes = modules.flatMap((module) => module.routes ?? []);
  const intakeRoutes = modules.flatMap((module) => module.intakeRoutes ?? []);
  const internalRoutes = modules.flatMap((module) => module.internalRoutes ?? []);
  const strayIntake = intakeRoutes.find(({ path }) => !INTAKE_PATH.test(path));
  if (strayIntake) throw new Error(`not a path of an intake: ${strayIntake.path}`);
  const stray = internalRoutes.find(({ path }) => !path.startsWith('/internal/') || INTAKE_PATH.test(path));
  if (stray) throw new Error(`not a path of the internal listener: ${stray.path}`);

  const health = {
    store,
    migrated: options.migrated,
    accepting: options.accepting,
    workerRoom: options.workerRoom,
    filesDir: config.s3 ? undefined : config.dataDir,
  };
  const onceMigrated = refuseUntil(options.migrated, log);
  const observed = observe({ clock, log, metrics: platform.metrics });
  const begin = (): Express => {
    const app = express();
    app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
    app.set('query parser', 'simple');
    app.set('trust proxy', config.trustProxy);
    app.use(observed);
    // Every answer has them; what is counted writes its own count over these.
    app.use((_request, response, next) => {
      response.set(uncountedRateHeaders(config.rateLimits.default, clock.now()));
      next();
    });
    return app;
  };

  const api = begin();
  api.use((_request, response, next) => {
    if (isHttps(platform.publicUrl())) response.set('Strict-Transport-Security', HSTS);
    next();
  });
  healthEndpoints(api, health);
  docsEndpoints(api, {
    document: () => describeApi(platform, modules),
    admit: (request, response) => countRequest(response, serving, addressSubject(request), 'default'),
    log,
  });
  dashboardPage(api);
  talkPage(api);
  api.use(['/api', '/internal'], notStored, onceMigrated);
  mountRoutes(api, routes, serving);
  mountRoutes(api, intakeRoutes, serving);
  refuseTheRest(api, serving);

  const internal = begin();
  healthEndpoints(internal, health);
  metricsEndpoint(internal, platform.metrics);
  internal.use(notStored, onceMigrated);
  mountRoutes(internal, internalRoutes, serving);
  refuseTheRest(internal, serving);
  return { api, internal };
}

function notStored(_request: Request, response: Response, next: NextFunction): void {
  response.set('Cache-Control', 'no-store');
  next();
}

/** Refuses requests while the store is brought up to date; callers of any kind come again. */
function refuseUntil(migrated: () => boolean, log: Log): RequestHandler {
  return (_request, response, next) => {
    if (migrated()) {
      next();
      return;
    }
    const reason = 'The database is being brought up to date; try again.';
    writeError(
      response,
      apiError('store_unavailable', reason, { retryable: true, retryAfterSeconds: 2 }),
      log,
    );
  };
}

function refuseTheRest(app: Express, serving: ServeOptions): void {
  app.use((request: Request, response: Response) => {
    void refuse(
      request,
      response,
      serving,
      apiError('not_found', `No route ${request.method} ${request.path}.`),
    );
  });
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    if (error instanceof URIError) void refuse(request, response, serving, apiError('malformed_request'));
    else writeError(response, error, serving.log);
  });
}
