import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { DEFAULT_SCRIPT, type ScriptRule } from '../openai/script.js';
import { listen, listenOverTls, type RunningEmulator, readBody, requestUrl } from '../serving/http-server.js';
import type { Certificate } from '../serving/self-signed.js';
import { scriptedAnswer, streamSteps } from './answer.js';
import { type MessagesRequest, parseMessagesRequest } from './request.js';

const MAX_BODY_BYTES = 32_000_000;

interface AnthropicEmulatorOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  /** Serves HTTP/2 over TLS, as the vendor does; without it HTTP/1.1 in the clear. */
  readonly tls?: Certificate;
  readonly script?: readonly ScriptRule[];
  /** From the whole request to the first token, in ms. */
  readonly firstTokenDelayMs?: number;
  /** Between tokens, in ms. */
  readonly tokenDelayMs?: number;
  /** The accepted keys; any when undefined. */
  readonly apiKeys?: readonly string[];
  readonly clock?: Clock;
}

/** What goes wrong; all off by default, and changeable while it runs. */
interface AnthropicFaults {
  /** Answers this many requests with `failStatus`. */
  failNext: number;
  failStatus: keyof typeof ERROR_TYPES;
  /** `Retry-After` of those answers, in seconds; null: none. */
  retryAfterSeconds: number | null;
  /** Breaks off this many answers after `cutAfterTokens` tokens: the connection is torn. */
  cutNext: number;
  /** Sends an error event in this many answers after `cutAfterTokens` tokens. */
  streamErrorNext: number;
  /** Falls silent in this many answers after `cutAfterTokens` tokens: the connection stays. */
  freezeNext: number;
  /** Sends what is no JSON in this many answers after `cutAfterTokens` tokens. */
  garbageNext: number;
  cutAfterTokens: number;
  /** Takes this many requests and never answers. */
  stallNext: number;
  /** Ends this many answers as declined. */
  refusalNext: number;
}

/** platform.claude.com/docs/en/api/errors. */
const ERROR_TYPES = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
} as const;

export interface AnthropicEmulator extends RunningEmulator {
  readonly counters: Readonly<{
    requests: number;
    /** Requests that were refused for what they were (4xx). */
    refused: number;
    completed: number;
    aborted: number;
    /** TCP connections that were ever opened. */
    connections: number;
    /** Of those, the ones that are open now. */
    open: number;
    /** Answers that are being given now. */
    active: number;
  }>;
  readonly faults: AnthropicFaults;
  /** The bodies of the accepted requests, newest last; at most the last hundred. */
  readonly requests: readonly MessagesRequest[];
}

/** Serves Anthropic's Messages API on loopback, answering from a script. */
export async function startAnthropicEmulator(
  options: AnthropicEmulatorOptions = {},
): Promise<AnthropicEmulator> {
  const { port = 0, tls } = options;
  const { server, running } = tls ? await listenOverTls(port, tls) : await listen(port);
  const emulation = new Emulation(options);
  server.on('connection', (socket: Socket) => {
    emulation.counters.connections += 1;
    emulation.counters.open += 1;
    socket.on('close', () => {
      emulation.counters.open -= 1;
    });
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    emulation.serve(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  const { counters, faults, requests } = emulation;
  return { ...running, counters, faults, requests };
}

const STREAM_FAULTS = ['cut', 'streamError', 'freeze', 'garbage', 'refusal'] as const;
type StreamFault = (typeof STREAM_FAULTS)[number];

class Emulation {
  readonly counters = {
    requests: 0,
    refused: 0,
    completed: 0,
    aborted: 0,
    connections: 0,
    open: 0,
    active: 0,
  };
  readonly faults: AnthropicFaults = {
    failNext: 0,
    failStatus: 500,
    retryAfterSeconds: null,
    cutNext: 0,
    streamErrorNext: 0,
    freezeNext: 0,
    garbageNext: 0,
    cutAfterTokens: 2,
    stallNext: 0,
    refusalNext: 0,
  };
  readonly requests: MessagesRequest[] = [];
  readonly #options: AnthropicEmulatorOptions;
  readonly #clock: Clock;

  constructor(options: AnthropicEmulatorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.counters.requests += 1;
    const body = (await readBody(request, MAX_BODY_BYTES)).toString('utf8');
    const refusal = this.#refusal(request);
    if (refusal) {
      this.counters.refused += 1;
      sendError(response, ...refusal);
      return;
    }
    if (this.faults.failNext > 0) {
      this.faults.failNext -= 1;
      const { retryAfterSeconds, failStatus } = this.faults;
      if (retryAfterSeconds !== null) response.setHeader('retry-after', retryAfterSeconds);
      sendError(response, failStatus, 'failed on purpose');
      return;
    }
    const parsed = parseMessagesRequest(body);
    if ('problem' in parsed) {
      this.counters.refused += 1;
      sendError(response, 400, parsed.problem);
      return;
    }
    this.requests.push(parsed);
    if (this.requests.length > 100) this.requests.shift();
    await this.#answer(parsed, response);
  }

  #refusal(request: IncomingMessage): [keyof typeof ERROR_TYPES, string] | undefined {
    const { headers, method } = request;
    const key = headers['x-api-key'];
    const { apiKeys } = this.#options;
    if (typeof key !== 'string' || key === '') return [401, 'x-api-key header is required'];
    if (apiKeys && !apiKeys.includes(key)) return [401, 'invalid x-api-key'];
    if (requestUrl(request).pathname !== '/v1/messages') return [404, 'Not found'];
    if (method !== 'POST') return [405, 'Method Not Allowed'];
    if (headers['anthropic-version'] !== '2023-06-01') return [400, 'anthropic-version: header is required'];
    if (!headers['content-type']?.startsWith('application/json')) return [400, 'content-type must be JSON'];
    return undefined;
  }

  async #answer(request: MessagesRequest, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort(new Error('the client went away')));
    this.counters.active += 1;
    try {
      if (this.faults.stallNext > 0) {
        this.faults.stallNext -= 1;
        await once(response, 'close');
        this.counters.aborted += 1;
        return;
      }
      await this.#stream(request, response, gone.signal);
    } catch (error) {
      if (!gone.signal.aborted) throw error;
      this.counters.aborted += 1;
    } finally {
      this.counters.active -= 1;
    }
  }

  async #stream(request: MessagesRequest, response: ServerResponse, gone: AbortSignal): Promise<void> {
    const { firstTokenDelayMs = 0, tokenDelayMs = 0, script = DEFAULT_SCRIPT } = this.#options;
    if (!request.stream) {
      sendError(response, 400, 'only streamed answers are emulated');
      return;
    }
    const fault = this.#takeStreamFault();
    let tokens = 0;
    await this.#sleep(firstTokenDelayMs, gone);
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    });
    for (const { event, isToken } of streamSteps(request, scriptedAnswer(request, script))) {
      if (fault !== undefined && tokens >= this.faults.cutAfterTokens) {
        await this.#breakOff(fault, response);
        return;
      }
      if (isToken && tokens++ > 0) await this.#sleep(tokenDelayMs, gone);
      write(response, event);
    }
    response.end();
    this.counters.completed += 1;
  }

  async #breakOff(fault: StreamFault, response: ServerResponse): Promise<void> {
    switch (fault) {
      case 'streamError':
        write(response, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
        response.end();
        return;
      case 'garbage':
        response.end('data: <html>502 Bad Gateway</html>\n\n');
        return;
      case 'refusal':
        write(response, {
          type: 'message_delta',
          delta: { stop_reason: 'refusal' },
          usage: { output_tokens: 2 },
        });
        write(response, { type: 'message_stop' });
        response.end();
        return;
      case 'freeze':
        await once(response, 'close');
        return;
      case 'cut':
        response.destroy();
    }
  }

  #takeStreamFault(): StreamFault | undefined {
    const fault = STREAM_FAULTS.find((name) => this.faults[`${name}Next`] > 0);
    if (fault) this.faults[`${fault}Next`] -= 1;
    return fault;
  }

  async #sleep(ms: number, gone: AbortSignal): Promise<void> {
    if (ms > 0) await this.#clock.sleep(ms, gone);
    gone.throwIfAborted();
  }
}

function write(
  response: ServerResponse,
  event: { readonly type: string } & Readonly<Record<string, unknown>>,
): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function sendError(response: ServerResponse, status: keyof typeof ERROR_TYPES, message: string): void {
  const body = { type: 'error', error: { type: ERROR_TYPES[status], message }, request_id: 'req_emulated' };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
