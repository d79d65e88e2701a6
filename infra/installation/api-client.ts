import { setTimeout as sleep } from 'node:timers/promises';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { z } from 'zod';

/** The API's refusal, or no answer at all. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'ApiError';
  }
}

const errorBody = z.object({
  detail: z.union([z.string(), z.array(z.object({ loc: z.array(z.unknown()), msg: z.string() }))]),
  code: z.string().default('unknown'),
});

const apiKeyCreated = z.object({
  id: z.string(),
  key: z.string(),
  tenant_id: z.string(),
});
export type ApiKeyCreated = z.infer<typeof apiKeyCreated>;

interface SendOptions {
  readonly method: string;
  readonly url: string;
  readonly authorization: string;
  /** JSON. */
  readonly body?: string | undefined;
}

/** Where the operator's requests go (the internal listener) and what signs them. */
export interface InternalAccess {
  readonly internalUrl: string;
  readonly internalSecret: string;
}

const TIMEOUT_MS = 15_000;

const loginLinkCreated = z.object({
  url: z.string(),
  expires_at: z.string(),
  signed_in_before: z.boolean(),
});

/** Creates a key (and the tenant, if it is new) over the inter-plane route. */
export async function createKey(
  system: InternalAccess,
  request: { readonly name: string; readonly sandbox: boolean; readonly tenant?: string },
): Promise<ApiKeyCreated> {
  return apiKeyCreated.parse(await postInternal(system, '/internal/keys', request));
}

/** Where a login link leads to. */
export const LOGIN_PAGES = ['dashboard', 'talk'] as const;
export type LoginPage = (typeof LOGIN_PAGES)[number];

/** Makes a one-time link to a tenant's dashboard or to the page to talk on (and the tenant, if it is new). */
export async function createLoginLink(
  system: InternalAccess,
  request: { readonly tenant?: string | undefined; readonly page?: LoginPage | undefined },
): Promise<z.infer<typeof loginLinkCreated>> {
  return loginLinkCreated.parse(await postInternal(system, '/internal/dashboard/login-links', request));
}

const rotationStatus = z.object({
  key_id: z.string(),
  known_key_ids: z.array(z.string()),
  state: z.enum(['never', 'running', 'done']),
  rewritten: z.number(),
  unreadable: z.number(),
});
export type RotationStatus = z.infer<typeof rotationStatus>;

/** Begins to seal everything anew under the current key. */
export async function rotateSecrets(system: InternalAccess): Promise<RotationStatus> {
  return rotationStatus.parse(await sendInternal(system, 'POST', '/internal/secrets/rotation'));
}

export async function secretsRotation(system: InternalAccess): Promise<RotationStatus> {
  return rotationStatus.parse(await sendInternal(system, 'GET', '/internal/secrets/rotation'));
}

const workerStatus = z.object({
  id: z.string(),
  capacity: z.number(),
  free: z.number(),
  live: z.number(),
  draining: z.boolean(),
  storage_full: z.boolean(),
  held_back: z.boolean(),
  last_seen_at: z.string(),
});
export type WorkerStatus = z.infer<typeof workerStatus>;

/** Lists the media workers as they reported last, by id. */
export async function listWorkers(system: InternalAccess): Promise<readonly WorkerStatus[]> {
  const list = z.object({ workers: z.array(workerStatus) });
  return list.parse(await sendInternal(system, 'GET', '/internal/workers')).workers;
}

/** Gives a worker no new calls, or gives it calls again; its live calls go on. */
export async function holdWorkerBack(
  system: InternalAccess,
  id: string,
  heldBack: boolean,
): Promise<WorkerStatus> {
  const path = `/internal/workers/${encodeURIComponent(id)}/drain`;
  return workerStatus.parse(await postInternal(system, path, { draining: heldBack }));
}

const rollupsChecked = z.object({
  checked: z.object({ id: z.string(), different: z.number(), differences: z.array(z.unknown()) }).nullable(),
});

/** Holds the sums of the next owner against a full count; null after the last. With `repair` they are put right. */
export async function checkRollups(
  system: InternalAccess,
  request: { readonly after: string; readonly repair: boolean },
): Promise<z.infer<typeof rollupsChecked>> {
  return rollupsChecked.parse(await postInternal(system, '/internal/rollups/check', request));
}

/** Reads a call's decision log, as newline-delimited JSON. */
export async function readDecisionLog(
  { internalUrl, internalSecret }: InternalAccess,
  callId: string,
): Promise<string> {
  const path = `/internal/calls/${callId}/decision-log`;
  const authorization = interPlaneAuthorization({
    secret: internalSecret,
    method: 'GET',
    path,
    body: undefined,
    now: Date.now(),
  });
  const { text } = await send({ method: 'GET', url: `${internalUrl}${path}`, authorization });
  return text;
}

const postInternal = (system: InternalAccess, path: string, value: unknown): Promise<unknown> =>
  sendInternal(system, 'POST', path, JSON.stringify(value));

/**
 * Sends a request to the internal listener, signed as the operator's; returns what its JSON says, undefined without a body.
 * @param path with its query
 * @param body JSON
 */
export async function sendInternal(
  { internalUrl, internalSecret }: InternalAccess,
  method: string,
  path: string,
  body?: string,
): Promise<unknown> {
  const authorization = interPlaneAuthorization({
    secret: internalSecret,
    method,
    path,
    body,
    now: Date.now(),
  });
  const { json } = await send({ method, url: `${internalUrl}${path}`, authorization, body });
  return json;
}

/** The public API with one key. Waits, as `Retry-After` says, where the rate limit is reached. */
export class ApiClient {
  constructor(
    private readonly apiUrl: string,
    private readonly key: string,
  ) {}

  async request<Schema extends z.ZodType>(
    schema: Schema,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly value: z.infer<Schema>; readonly remaining: number }> {
    for (;;) {
      const answer = await send({
        method,
        url: `${this.apiUrl}${path}`,
        authorization: `Bearer ${this.key}`,
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      if (answer.retryAfterMs === undefined) {
        return { value: schema.parse(answer.json), remaining: answer.remaining };
      }
      await sleep(answer.retryAfterMs);
    }
  }
}

async function send({ method, url, authorization, body }: SendOptions): Promise<{
  readonly json: unknown;
  /** The body as it came. */
  readonly text: string;
  readonly retryAfterMs: number | undefined;
  /** Requests left in this minute. */
  readonly remaining: number;
}> {
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers: {
        authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (cause) {
    throw new ApiError(
      0,
      'unreachable',
      `${new URL(url).origin} does not answer. Does “npm start” still run?`,
      cause,
    );
  }
  const remaining = Number(response.headers.get('x-ratelimit-remaining') ?? Number.POSITIVE_INFINITY);
  if (response.status === 429) {
    await response.body?.cancel();
    const seconds = Number(response.headers.get('retry-after'));
    return { json: undefined, text: '', retryAfterMs: Math.max(1, seconds || 1) * 1000, remaining };
  }
  const text = await response.text();
  const json = text === '' ? undefined : parseJson(text);
  if (!response.ok) throw refusal(response.status, json);
  return { json, text, retryAfterMs: undefined, remaining };
}

function refusal(status: number, json: unknown): ApiError {
  const parsed = errorBody.safeParse(json);
  if (!parsed.success) return new ApiError(status, 'unknown', `The API answered ${status}.`);
  const { detail, code } = parsed.data;
  const text =
    typeof detail === 'string' ? detail : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  return new ApiError(status, code, `${text} (${status} ${code})`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
