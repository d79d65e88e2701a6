import { once } from 'node:events';
import type { Clock } from '@voice/shared/clock/clock';
import type { Response as ClientResponse, Request } from 'express';
import { z } from 'zod';
import type { VendorAccess } from '../../config.js';
import { apiError } from '../../platform/http/error-codes.js';
import { type Route, route, streamed } from '../../platform/http/route.js';
import type { CallTokens } from './call-token.js';
import { UsageMeter } from './usage-meter.js';
import type { ProxiedUsage } from './usage-model.js';

const DEFAULT_URL = 'https://api.openai.com/v1';
/** A long conversation with many tools. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;
/** Longest wait for the head of an answer, in ms. */
const HEAD_LIMIT_MS = 30_000;

const chatRequest = z.looseObject({
  model: z.string().min(1).max(200),
  messages: z.array(z.unknown()).min(1),
  stream: z.boolean().default(false),
  stream_options: z.looseObject({}).nullish(),
});

/** The tenant of a call that is live; null for any other. */
export type LiveCall = (callId: string) => Promise<{ tenantId: string } | null>;

export interface ProxyOptions {
  readonly tokens: CallTokens;
  readonly liveCall: LiveCall;
  readonly usage: Pick<ProxiedUsage, 'count'>;
  readonly vendor: VendorAccess;
  readonly clock: Clock;
}

/** Returns where workers find the proxy, given this service's address: the base of an OpenAI-compatible API. */
export const proxyUrl = (serviceUrl: string) => `${serviceUrl}/internal/llm/v1`;

/**
 * `POST /internal/llm/v1/chat/completions`: OpenAI's API for workers, by a token that is good for one live
 * call. The key stays here, and what is used is counted by call.
 */
export function llmProxyRoute(options: ProxyOptions): Route {
  /** Of which call the request's token is. */
  const callOf = (request: Request): string => {
    const token = /^Bearer (\S+)$/.exec(request.get('authorization') ?? '')?.[1] ?? '';
    const callId = options.tokens.verify(token, options.clock.now());
    if (callId === undefined) throw apiError('invalid_signature');
    return callId;
  };
  return route({
    method: 'post',
    path: '/internal/llm/v1/chat/completions',
    operationId: 'proxyChatCompletion',
    tag: 'Internal',
    summary: "A call's language model, without its key",
    // By the token of the call: workers' SDKs send it as their API key.
    auth: 'none',
    verify: (_rawBody, request) => void callOf(request),
    body: chatRequest,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    responses: { 200: { description: "The model's answer, unchanged; so are its errors." } },
    errors: ['invalid_signature', 'call_not_active', 'language_model_failed'],
    handler: async ({ request, body }) => {
      const { liveCall, clock } = options;
      const callId = callOf(request);
      const gone = new AbortController();
      request.res?.on('close', () => gone.abort());
      const call = await liveCall(callId);
      if (!call) throw apiError('call_not_active');
      const asked = body.stream
        ? { ...body, stream_options: { ...body.stream_options, include_usage: true } }
        : body;
      const sent = JSON.stringify(asked);
      const answer = await ask(sent, options.vendor, gone.signal);
      return streamed(200, async (response) => {
        const meter = new UsageMeter({ streamed: body.stream, inputCharacters: sent.length });
        try {
          await pass(answer, response, { meter, gone: gone.signal });
        } finally {
          if (answer.ok) {
            const { tenantId } = call;
            const used = { callId, tenantId, model: body.model };
            await options.usage.count(used, meter.result(), new Date(clock.now()));
          }
        }
      });
    },
  });
}

async function ask(body: string, { apiKey, url = DEFAULT_URL }: VendorAccess, gone: AbortSignal) {
  const head = new AbortController();
  const limit = setTimeout(() => head.abort(new Error('no answer in time')), HEAD_LIMIT_MS);
  try {
    return await fetch(`${url.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body,
      signal: AbortSignal.any([gone, head.signal]),
    });
  } catch (cause) {
    throw apiError('language_model_failed', 'The language model could not be reached.', {
      cause,
      retryable: true,
    });
  } finally {
    clearTimeout(limit);
  }
}

/** Passes the answer on as it comes, at the pace at which it is taken. */
async function pass(
  answer: Response,
  response: ClientResponse,
  { meter, gone }: { meter: UsageMeter; gone: AbortSignal },
): Promise<void> {
  response.status(answer.status);
  for (const name of ['content-type', 'retry-after', 'x-request-id']) {
    const value = answer.headers.get(name);
    if (value !== null) response.set(name, value);
  }
  response.flushHeaders();
  try {
    for await (const bytes of answer.body ?? []) {
      meter.see(bytes);
      // What is closed never drains.
      if (!response.write(bytes)) await once(response, 'drain', { signal: gone });
    }
    response.end();
  } catch {
    // Torn on either side: the worker sees a torn stream, as it would without us.
    response.destroy();
  }
}
