import type { IncomingMessage } from 'node:http';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { BodyTooLarge, listen, type RunningEmulator, readBody, requestUrl } from '../serving/http-server.js';
import { EmulatedCalls } from './calls.js';
import { invalid, notFound, TelnyxError, unauthorized } from './errors.js';
import { EmulatedNumbers } from './numbers.js';
import type { Phones } from './phone.js';
import { signedHeaders, signingKey, Webhooks } from './webhooks.js';

const MAX_BODY_BYTES = 1_000_000;

export interface TelnyxEmulatorOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  readonly apiKey: string;
  /** The one Call Control application of the account. */
  readonly connectionId: string;
  /** Where its webhooks go; may be set later. */
  readonly webhookUrl?: string;
  readonly clock?: Clock;
  /** Who is behind the numbers; without them, phones ring and are answered as the test says. */
  readonly phones?: Phones;
}

export interface TelnyxEmulator extends RunningEmulator {
  readonly calls: EmulatedCalls;
  readonly numbers: EmulatedNumbers;
  readonly webhooks: Webhooks;
  readonly messages: { readonly from: string; readonly to: string; readonly text: string }[];
  /** Base64, as `TELNYX_PUBLIC_KEY` wants it. */
  readonly publicKey: string;
  /** Builds the headers by which Telnyx would send this body at that time (epoch ms). */
  headersFor(body: string, at: number): Record<string, string>;
}

/** Serves Telnyx on loopback: Call Control, numbers, messages, signed webhooks and media streams. */
export async function startTelnyxEmulator(options: TelnyxEmulatorOptions): Promise<TelnyxEmulator> {
  const { server, running } = await listen(options.port ?? 0);
  const { privateKey, publicKey } = signingKey();
  const clock = options.clock ?? systemClock;
  const webhooks = new Webhooks(privateKey, clock);
  if (options.webhookUrl !== undefined) webhooks.url = options.webhookUrl;
  const calls = new EmulatedCalls(options.connectionId, webhooks, clock, options.phones);
  const numbers = new EmulatedNumbers();
  const messages: { from: string; to: string; text: string }[] = [];

  const answer = async (request: IncomingMessage): Promise<unknown> => {
    if (request.headers.authorization !== `Bearer ${options.apiKey}`) throw unauthorized();
    const url = requestUrl(request);
    const path = decodeURIComponent(url.pathname);
    const what = `${request.method} ${path}`;
    const body = request.method === 'POST' ? await bodyOf(request) : {};
    if (what === 'POST /v2/calls') return calls.dial(body);
    if (what === 'GET /v2/available_phone_numbers') return numbers.search(url.searchParams);
    if (what === 'POST /v2/number_orders') return numbers.order(body);
    if (what === 'GET /v2/phone_numbers') return numbers.list(url.searchParams);
    if (what === 'POST /v2/messages') {
      const { from, to, text } = body;
      if (typeof from !== 'string' || typeof to !== 'string' || typeof text !== 'string') {
        throw invalid('from, to and text are needed');
      }
      messages.push({ from, to, text });
      return { record_type: 'message', direction: 'outbound', text };
    }
    const action = /^POST \/v2\/calls\/([^/]+)\/actions\/([a-z_]+)$/.exec(what);
    if (action) return calls.command(action[1]!, action[2]!, body);
    const call = /^GET \/v2\/calls\/([^/]+)$/.exec(what);
    if (call) return calls.resource(call[1]!);
    const number = /^DELETE \/v2\/phone_numbers\/([^/]+)$/.exec(what);
    if (number) return numbers.release(number[1]!);
    throw notFound();
  };

  server.on('request', (request, response) => {
    const send = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    answer(request).then(
      (data) => send(200, { data }),
      (error: unknown) =>
        error instanceof TelnyxError
          ? send(error.status, error)
          : send(500, new TelnyxError(500, '10007', 'Unexpected error', String(error))),
    );
  });
  return {
    ...running,
    calls,
    numbers,
    webhooks,
    messages,
    publicKey,
    headersFor: (body, at) => signedHeaders(privateKey, body, at),
    close() {
      calls.close();
      return running.close();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (!request.headers['content-type']?.startsWith('application/json')) {
    throw new TelnyxError(415, '10011', 'Unsupported media type');
  }
  const body = await readBody(request, MAX_BODY_BYTES).catch((error: unknown) => {
    throw error instanceof BodyTooLarge ? new TelnyxError(413, '10012', 'Payload too large') : error;
  });
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Refused below.
  }
  throw new TelnyxError(400, '10004', 'The body is no JSON object');
}
