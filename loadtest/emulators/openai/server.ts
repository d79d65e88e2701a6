import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { listen, listenOverTls, type RunningEmulator, readBody, requestUrl } from '../serving/http-server.js';
import type { Certificate } from '../serving/self-signed.js';
import { completionOf, streamSteps } from './completion.js';
import { type ChatRequest, parseChatRequest } from './request.js';
import { type Answer, answerTo, DEFAULT_SCRIPT, type ScriptRule } from './script.js';

const MAX_BODY_BYTES = 4_000_000;

export interface OpenAiEmulatorOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  readonly script?: readonly ScriptRule[];
  /** From the whole request to the first token, in ms. */
  readonly firstTokenDelayMs?: number;
  /** Between tokens, in ms. */
  readonly tokenDelayMs?: number;
  /** The accepted keys; any when undefined. */
  readonly apiKeys?: readonly string[];
  /** As Ollama, llama.cpp and vLLM by default: no key is asked for. */
  readonly keyless?: boolean;
  /** Serves HTTP/2 over TLS, as the vendor does; without it HTTP/1.1 in the clear, as many compatible servers. */
  readonly tls?: Certificate;
  readonly clock?: Clock;
}

/** What goes wrong; all off by default, and changeable while it runs. */
interface OpenAiFaults {
  /** Answers this many requests with `failStatus`. */
  failNext: number;
  failStatus: 401 | 429 | 500 | 503;
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
}

interface OpenAiCounters {
  requests: number;
  /** Requests that were refused for what they were (4xx). */
  refused: number;
  /** Answers that were given whole. */
  completed: number;
  /** Answers that the client gave up. */
  aborted: number;
  /** TCP connections that were ever opened. */
  connections: number;
  /** Of those, the ones that are open now. */
  open: number;
  /** Answers that are being given now. */
  active: number;
}

export interface OpenAiEmulator extends RunningEmulator {
  /** What `base_url` must be. */
  readonly baseUrl: string;
  readonly counters: Readonly<OpenAiCounters>;
  readonly faults: OpenAiFaults;
  /** The bodies of the accepted requests, newest last; at most the last hundred. */
  readonly requests: readonly ChatRequest[];
  /** Ends all connections, as a server does with those that are idle for long. */
  endConnections(): void;
}

/** Serves OpenAI's chat completions on loopback, answering from a script. */
export async function startOpenAiEmulator(options: OpenAiEmulatorOptions = {}): Promise<OpenAiEmulator> {
  const { port = 0, tls } = options;
  const { server, running } = tls ? await listenOverTls(port, tls) : await listen(port);
  const emulation = new Emulation(options);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    emulation.counters.connections += 1;
    emulation.counters.open += 1;
    socket.on('close', () => {
      sockets.delete(socket);
      emulation.counters.open -= 1;
    });
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    emulation.serve(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  return {
    ...running,
    baseUrl: `${running.url}/v1`,
    counters: emulation.counters,
    faults: emulation.faults,
    requests: emulation.requests,
    endConnections() {
      for (const socket of sockets) socket.end();
    },
  };
}

type StreamFault = 'cut' | 'error' | 'freeze' | 'garbage';

class Emulation {
  readonly counters: OpenAiCounters = {
    requests: 0,
    refused: 0,
    completed: 0,
    aborted: 0,
    connections: 0,
    open: 0,
    active: 0,
  };
  readonly faults: OpenAiFaults = {
    failNext: 0,
    failStatus: 500,
    retryAfterSeconds: null,
    cutNext: 0,
    streamErrorNext: 0,
    freezeNext: 0,
    garbageNext: 0,
    cutAfterTokens: 2,
    stallNext: 0,
  };
  readonly requests: ChatRequest[] = [];
  readonly #options: OpenAiEmulatorOptions;
  readonly #clock: Clock;

  constructor(options: OpenAiEmulatorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.counters.requests += 1;
    const body = (await readBody(request, MAX_BODY_BYTES)).toString('utf8');
    if (this.#refuse(request, response)) return;
    const parsed = parseChatRequest(body);
    if ('param' in parsed) {
      this.counters.refused += 1;
      sendError(response, 400, parsed.message, { param: parsed.param });
      return;
    }
    this.requests.push(parsed);
    if (this.requests.length > 100) this.requests.shift();
    await this.#answer(parsed, response);
  }

  #refuse(request: IncomingMessage, response: ServerResponse): boolean {
    const refuse = (status: number, message: string, code: string | null) => {
      this.counters.refused += 1;
      sendError(response, status, message, { code });
      return true;
    };
    const key = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    const { apiKeys, keyless = false } = this.#options;
    if (key === undefined && !keyless) return refuse(401, "You didn't provide an API key.", null);
    if (apiKeys && (key === undefined || !apiKeys.includes(key)))
      return refuse(401, 'Incorrect API key provided.', 'invalid_api_key');
    const { pathname } = requestUrl(request);
    if (pathname !== '/v1/chat/completions')
      return refuse(404, `Invalid URL (${request.method} ${pathname})`, null);
    if (request.method !== 'POST')
      return refuse(405, `Not allowed to ${request.method} on ${pathname}`, null);
    if (!request.headers['content-type']?.startsWith('application/json')) {
      return refuse(415, 'The request must be application/json.', null);
    }
    if (this.faults.failNext > 0) {
      this.faults.failNext -= 1;
      const { retryAfterSeconds } = this.faults;
      if (retryAfterSeconds !== null) response.setHeader('retry-after', retryAfterSeconds);
      sendError(response, this.faults.failStatus, 'failed on purpose', {
        code: faultCode(this.faults.failStatus),
      });
      return true;
    }
    return false;
  }

  async #answer(request: ChatRequest, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort(new Error('the client went away')));
    const answer = answerTo(request, this.#options.script ?? DEFAULT_SCRIPT);
    this.counters.active += 1;
    try {
      if (this.faults.stallNext > 0) {
        this.faults.stallNext -= 1;
        await once(response, 'close');
        this.counters.aborted += 1;
        return;
      }
      if (request.stream) await this.#stream(request, answer, response, gone.signal);
      else await this.#whole(request, answer, response, gone.signal);
    } catch (error) {
      if (!gone.signal.aborted) throw error;
      this.counters.aborted += 1;
    } finally {
      this.counters.active -= 1;
    }
  }

  async #whole(
    request: ChatRequest,
    answer: Answer,
    response: ServerResponse,
    gone: AbortSignal,
  ): Promise<void> {
    const delayMs =
      (this.#options.firstTokenDelayMs ?? 0) + answer.text.length * (this.#options.tokenDelayMs ?? 0);
    await this.#sleep(delayMs, gone);
    sendJson(response, 200, completionOf(request, answer, this.#clock.now()));
    this.counters.completed += 1;
  }

  async #stream(
    request: ChatRequest,
    answer: Answer,
    response: ServerResponse,
    gone: AbortSignal,
  ): Promise<void> {
    const fault = this.#takeStreamFault();
    let tokens = 0;
    await this.#sleep(this.#options.firstTokenDelayMs ?? 0, gone);
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    });
    for (const { chunk, token } of streamSteps(request, answer, this.#clock.now())) {
      if (fault !== undefined && tokens >= this.faults.cutAfterTokens) {
        await this.#breakOff(fault, response);
        return;
      }
      if (token && tokens++ > 0) await this.#sleep(this.#options.tokenDelayMs ?? 0, gone);
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    }
    response.end('data: [DONE]\n\n');
    this.counters.completed += 1;
  }

  async #breakOff(fault: StreamFault, response: ServerResponse): Promise<void> {
    switch (fault) {
      case 'error':
        response.end(`data: ${JSON.stringify(errorBody('failed on purpose', {}))}\n\n`);
        return;
      case 'garbage':
        response.end('data: <html>502 Bad Gateway</html>\n\n');
        return;
      case 'freeze':
        await once(response, 'close');
        return;
      case 'cut':
        response.destroy();
    }
  }

  #takeStreamFault(): StreamFault | undefined {
    if (this.faults.cutNext > 0) {
      this.faults.cutNext -= 1;
      return 'cut';
    }
    if (this.faults.streamErrorNext > 0) {
      this.faults.streamErrorNext -= 1;
      return 'error';
    }
    if (this.faults.freezeNext > 0) {
      this.faults.freezeNext -= 1;
      return 'freeze';
    }
    if (this.faults.garbageNext > 0) {
      this.faults.garbageNext -= 1;
      return 'garbage';
    }
    return undefined;
  }

  async #sleep(ms: number, gone: AbortSignal): Promise<void> {
    if (ms > 0) await this.#clock.sleep(ms, gone);
    gone.throwIfAborted();
  }
}

function faultCode(status: OpenAiFaults['failStatus']): string | null {
  if (status === 401) return 'invalid_api_key';
  return status === 429 ? 'rate_limit_exceeded' : null;
}

interface ErrorDetail {
  readonly param?: string | null;
  readonly code?: string | null;
}

function errorBody(message: string, { param = null, code = null }: ErrorDetail, type = 'server_error') {
  return { error: { message, type, param, code } };
}

function sendError(response: ServerResponse, status: number, message: string, detail: ErrorDetail): void {
  const type = status === 429 ? 'requests' : status >= 500 ? 'server_error' : 'invalid_request_error';
  sendJson(response, status, errorBody(message, detail, type));
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
