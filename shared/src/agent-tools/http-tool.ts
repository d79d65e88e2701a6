import { createHmac } from 'node:crypto';
import type { Clock } from '../clock/clock.js';
import type { AgentTool } from '../contracts/agent.js';
import type { AddressPolicy } from '../egress/address-policy.js';
import { guardedRequest } from '../egress/guarded-request.js';

/** Calls a tenant's HTTP tool. Resolves with what the model gets to read; throws when it failed. */
export type HttpTool = (
  tool: Extract<AgentTool, { type: 'http' }>,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<string>;

/** What the model can read of an answer, in bytes; the rest is cut off. */
const MAX_RESULT_BYTES = 16 * 1024;
const MAX_RESPONSE_BYTES = 1024 * 1024;

/**
 * Creates the call of a tenant's HTTP tool through the egress guard: arguments as JSON, or in the query for GET and
 * DELETE. With a secret, `X-Service-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">` as for webhooks.
 */
export function createHttpTool(options: { policy: AddressPolicy; clock: Clock }): HttpTool {
  return async (tool, args, signal) => {
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
      const t = Math.floor(options.clock.now() / 1000);
      const v1 = createHmac('sha256', tool.secret).update(`${t}.${body}`).digest('hex');
      headers['x-service-signature'] = `t=${t},v1=${v1}`;
    }
    const response = await guardedRequest({
      url: url.toString(),
      method: tool.method,
      headers,
      ...(inQuery ? {} : { body }),
      timeoutMs: tool.timeout_ms,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      policy: options.policy,
      signal,
    });
    const text = response.body.subarray(0, MAX_RESULT_BYTES).toString('utf8');
    if (response.status < 200 || response.status > 299) {
      throw new Error(`The tool answered with status ${response.status}: ${text.slice(0, 500)}`);
    }
    return text === '' ? 'Done.' : text;
  };
}
