import { createHmac } from 'node:crypto';
import type { Clock } from '../clock/clock.js';
import type { AgentTool } from '../contracts/agent.js';
import type { AddressPolicy } from '../egress/address-policy.js';
import { type GuardedResponse, guardedRequest } from '../egress/guarded-request.js';

type HttpToolSettings = Extract<AgentTool, { type: 'http' }>;

/** Calls a tenant's HTTP tool. Resolves with what the model gets to read; throws when it failed. */
export type HttpTool = (
  tool: HttpToolSettings,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<string>;

/** What the model can read of an answer, in bytes; the rest is cut off. */
export const MAX_RESULT_BYTES = 16 * 1024;
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** What a request of a tool needs. */
export interface HttpToolOptions {
  readonly policy: AddressPolicy;
  readonly clock: Clock;
}

/**
 * Sends one request of a tenant's HTTP tool through the egress guard: arguments as JSON, or in the query for GET and
 * DELETE. With a secret, `X-Service-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">` as for webhooks.
 * Resolves with the answer, whatever its status; throws as `guardedRequest` does.
 */
export function sendHttpTool(
  { policy, clock }: HttpToolOptions,
  tool: HttpToolSettings,
  args: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<GuardedResponse> {
  const inQuery = tool.method === 'GET' || tool.method === 'DELETE';
  const url = new URL(tool.url);
  if (inQuery) {
    for (const [name, value] of Object.entries(args)) {
      url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
  }
  const body = inQuery ? '' : JSON.stringify(args);
  const headers: Record<string, string> = {
    accept: 'application/json',
    ...tool.headers,
    ...tool.secret_headers,
  };
  if (!inQuery) headers['content-type'] = 'application/json';
  if (tool.secret) {
    const t = Math.floor(clock.now() / 1000);
    const v1 = createHmac('sha256', tool.secret).update(`${t}.${body}`).digest('hex');
    headers['x-service-signature'] = `t=${t},v1=${v1}`;
  }
  return guardedRequest({
    url: url.toString(),
    method: tool.method,
    headers,
    ...(inQuery ? {} : { body }),
    timeoutMs: tool.timeout_ms,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    policy,
    ...(signal ? { signal } : {}),
  });
}

/** Creates the call of a tenant's HTTP tool: any status but 2xx is a failure of the tool. */
export function createHttpTool(options: HttpToolOptions): HttpTool {
  return async (tool, args, signal) => {
    const response = await sendHttpTool(options, tool, args, signal);
    const text = response.body.subarray(0, MAX_RESULT_BYTES).toString('utf8');
    if (response.status < 200 || response.status > 299) {
      throw new Error(`The tool answered with status ${response.status}: ${text.slice(0, 500)}`);
    }
    return text === '' ? 'Done.' : text;
  };
}
