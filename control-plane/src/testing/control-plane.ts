import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { newId } from '@voice/shared/ids/ids';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { silentLog } from '@voice/shared/log/log';
import mongoose, { type Connection } from 'mongoose';
import { type Config, readConfig } from '../config.js';
import { type ControlPlaneOptions, type RunningControlPlane, startControlPlane } from '../control-plane.js';
import { uncountedRateHeaders } from '../platform/http/rate-limits.js';
import { type HttpAnswer, sendRequest } from './http-client.js';
import { LoadBalancer } from './load-balancer.js';
import { ShardWatch } from './shard-watch.js';
import { uriWith } from './store-uri.js';
import { MONITORED } from './watched-commands.js';

const INTERNAL_SECRET = 'an internal secret for tests';
/** How many replicas of one store a test's control plane has; more than one stand behind a load balancer. */
export const replicas = (): number => Number(process.env.REPLICAS ?? 1);

/** Variables of a test's environment; undefined takes away what tests have by default. */
export type TestEnvironment = Readonly<Record<string, string | undefined>>;
/** Leaves the rate limits to the configuration's own defaults. */
export const DEFAULT_RATE_LIMITS: TestEnvironment = {
  RATE_LIMIT_DEFAULT: undefined,
  RATE_LIMIT_SESSION: undefined,
  RATE_LIMIT_DIAL: undefined,
};

/** A configuration for tests; `env` adds to or replaces the environment's variables. */
export function testConfig(mongodbUri: string, env: TestEnvironment = {}): Config {
  return readConfig({
    PORT: '0',
    MONGODB_URI: mongodbUri,
    INTERNAL_SECRET,
    SECRETS_KEY: 'a key for secrets at rest, for tests',
    RATE_LIMIT_DEFAULT: '100000',
    RATE_LIMIT_SESSION: '100000',
    RATE_LIMIT_DIAL: '100000',
    LOG_LEVEL: 'silent',
    ...env,
  });
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text, and parsed when it is JSON. */
  readonly text: string;
  readonly json: unknown;
}

export interface TestRequest {
  /** An API key, or none. */
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestControlPlane extends RunningControlPlane {
  /**
   * Connects a test of its own to the store: what it asks by ids alone is not taken for what the control plane asks.
   * Connects when it is asked for, and is closed with the control plane.
   */
  testStore(): Connection;
  /** Sends a request to the public API. */
  request(method: string, path: string, request?: TestRequest): Promise<TestAnswer>;
  /** Sends a request to the internal listener, signed as the other plane or the operator signs it. */
  internal(method: string, path: string, body?: unknown): Promise<TestAnswer>;
  /** Sends a request to the internal listener as a stranger would. */
  atInternal(method: string, path: string, request?: TestRequest): Promise<TestAnswer>;
  /** Uploads to the internal listener as a worker does. */
  upload(path: string, content: Uint8Array, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** A new key; of a new tenant unless one is named. */
  newKey(options?: {
    sandbox?: boolean;
    tenant?: string;
  }): Promise<{ key: string; id: string; tenantId: string }>;
}

function answerOf(answer: HttpAnswer): TestAnswer {
  const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
  return { ...answer, json: isJson ? JSON.parse(answer.text) : undefined };
}

/** That many control planes on one store, at the one address of their load balancer. */
async function startReplicas(
  count: number,
  config: Config,
  start: (own: Config) => Promise<RunningControlPlane>,
): Promise<RunningControlPlane> {
  const balancer = await LoadBalancer.start(config.port, {
    before: 'api',
    unreadableHeaders: () => uncountedRateHeaders(config.rateLimits.default, Date.now()),
  });
  const internal = await LoadBalancer.start(config.internal.port, { before: 'internal' });
  const replicas: RunningControlPlane[] = [];
  const close = async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await Promise.all([balancer.close(), internal.close()]);
  };
  try {
    for (let n = 0; n < count; n++) {
      const replica = await start({
        ...config,
        port: 0,
        publicUrl: config.publicUrl ?? balancer.url,
        internal: { ...config.internal, url: config.internal.url ?? internal.url },
      });
      replicas.push(replica);
      balancer.add(replica);
      internal.add(replica);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const { port, url } = balancer;
  return { ...replicas[0]!, port, url, internalPort: internal.port, internalUrl: internal.url, close };
}

/**
 * A whole control plane over real HTTP, every answer held against its declaration: one replica, or several. Closing it
 * rejects where a command to the store should have named the tenant and did not.
 */
export async function startTestControlPlane(
  mongodbUri: string,
  options: {
    env?: TestEnvironment;
    clock?: Clock;
    onListening?: ControlPlaneOptions['onListening'];
  } = {},
): Promise<TestControlPlane> {
  const clock = options.clock ?? systemClock;
  const config = testConfig(uriWith(mongodbUri, MONITORED), options.env);
  const start = async (own: Config): Promise<RunningControlPlane> => {
    const replica = await startControlPlane({
      config: own,
      clock,
      log: silentLog,
      checkResponses: true,
      onListening: options.onListening,
    });
    const watch = new ShardWatch(replica.platform.store);
    const close = async () => {
      await replica.close();
      watch.check();
    };
    return { ...replica, close };
  };
  const running = replicas() === 1 ? await start(config) : await startReplicas(replicas(), config, start);

  const textOf = (body: unknown) =>
    body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const send = async (
    url: string,
    method: string,
    headers: Record<string, string>,
    sent: string | undefined,
  ) => {
    const type: Readonly<Record<string, string>> =
      sent === undefined ? {} : { 'content-type': 'application/json' };
    return answerOf(await sendRequest(url, { method, headers: { ...type, ...headers }, body: sent }));
  };
  const sign = (method: string, path: string, body: string | Uint8Array | undefined) =>
    interPlaneAuthorization({ secret: INTERNAL_SECRET, method, path, body, now: clock.now() });
  const internal = (method: string, path: string, body?: unknown) => {
    const sent = textOf(body);
    return send(running.internalUrl + path, method, { authorization: sign(method, path, sent) }, sent);
  };
  const unsigned =
    (base: string) =>
    (method: string, path: string, { key, body, headers }: TestRequest = {}) =>
      send(
        base + path,
        method,
        { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
        textOf(body),
      );
  let testStore: Connection | undefined;
  return {
    ...running,
    testStore() {
      testStore ??= mongoose.createConnection(mongodbUri, { autoIndex: false, autoCreate: false });
      return testStore;
    },
    async close() {
      await testStore?.close();
      testStore = undefined;
      await running.close();
    },
    internal,
    request: unsigned(running.url),
    atInternal: unsigned(running.internalUrl),
    upload: (path, content, headers = {}) =>
      fetch(running.internalUrl + path, {
        method: 'PUT',
        headers: { authorization: sign('PUT', path, content), 'content-type': 'audio/mpeg', ...headers },
        body: new Uint8Array(content),
      }),
    async newKey({ sandbox = true, tenant = `tenant ${newId()}` } = {}) {
      const made = await internal('POST', '/internal/keys', { name: 'test', sandbox, tenant });
      if (made.status !== 201) throw new Error(`no key: ${made.status} ${made.text}`);
      const { key, id, tenant_id } = made.json as { key: string; id: string; tenant_id: string };
      return { key, id, tenantId: tenant_id };
    },
  };
}
