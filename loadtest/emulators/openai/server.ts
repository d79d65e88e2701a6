import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import {
  type AnswerCounters,
  type AnsweringOptions,
  type AnsweringVendor,
  bearerKey,
  noAnswers,
  noRequestFaults,
  type Refusal,
  type RequestFaults,
  sendJson,
  startAnswering,
} from '../serving/answering.js';
import { type RunningEmulator, requestUrl } from '../serving/http-server.js';
import {
  breakOffOf,
  delay,
  noTokenStreamFaults,
  stallIfFaulty,
  streamTokens,
  type TokenPace,
  type TokenStreamFaults,
  takeTokenStreamFault,
} from '../serving/token-stream.js';
import { completionOf, streamSteps } from './completion.js';
import { type ChatRequest, parseChatRequest } from './request.js';
import { type Answer, answerTo, DEFAULT_SCRIPT, type ScriptRule } from './script.js';

export interface OpenAiEmulatorOptions extends AnsweringOptions, TokenPace {
  readonly script?: readonly ScriptRule[];
  /** The accepted keys; any when undefined. */
  readonly apiKeys?: readonly string[];
  /** As Ollama, llama.cpp and vLLM by default: no key is asked for. */
  readonly keyless?: boolean;
  readonly clock?: Clock;
}

type FailStatus = 401 | 429 | 500 | 503;

interface OpenAiFaults extends RequestFaults<FailStatus>, TokenStreamFaults {}

export interface OpenAiEmulator extends RunningEmulator {
  /** What `base_url` must be. */
  readonly baseUrl: string;
  readonly counters: Readonly<AnswerCounters>;
  readonly faults: OpenAiFaults;
  /** The bodies of the accepted requests, newest last; at most the last hundred. */
  readonly requests: readonly ChatRequest[];
  /** Ends all connections, as a server does with those that are idle for long. */
  endConnections(): void;
}

/** Serves OpenAI's chat completions on loopback, answering from a script. */
export async function startOpenAiEmulator(options: OpenAiEmulatorOptions = {}): Promise<OpenAiEmulator> {
  const emulation = new Emulation(options);
  const { running, requests, sockets } = await startAnswering(options, emulation);
  return {
    ...running,
    baseUrl: `${running.url}/v1`,
    counters: emulation.counters,
    faults: emulation.faults,
    requests,
    endConnections() {
      for (const socket of sockets) socket.end();
    },
  };
}

class Emulation implements AnsweringVendor<ChatRequest, number> {
  readonly maxBodyBytes = 4_000_000;
  readonly counters = noAnswers();
  readonly faults: OpenAiFaults = { ...noRequestFaults(), ...noTokenStreamFaults() };
  readonly #options: OpenAiEmulatorOptions;
  readonly #clock: Clock;

  constructor(options: OpenAiEmulatorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  refusalOf(request: IncomingMessage): Refusal<number> | undefined {
    const key = bearerKey(request);
    const { apiKeys, keyless = false } = this.#options;
    if (key === undefined && !keyless)
      return { status: 401, message: "You didn't provide an API key.", code: null };
    if (apiKeys && (key === undefined || !apiKeys.includes(key)))
      return { status: 401, message: 'Incorrect API key provided.' };
    const { pathname } = requestUrl(request);
    if (pathname !== '/v1/chat/completions')
      return { status: 404, message: `Invalid URL (${request.method} ${pathname})` };
    if (request.method !== 'POST')
      return { status: 405, message: `Not allowed to ${request.method} on ${pathname}` };
    if (!request.headers['content-type']?.startsWith('application/json'))
      return { status: 415, message: 'The request must be application/json.' };
    return undefined;
  }

  parse(body: string): ReturnType<AnsweringVendor<ChatRequest, number>['parse']> {
    const asked = parseChatRequest(body);
    return 'param' in asked
      ? { refusal: { status: 400, message: asked.message, param: asked.param } }
      : { asked };
  }

  sendError(response: ServerResponse, refusal: Refusal<number>): void {
    const { status } = refusal;
    const type = status === 429 ? 'requests' : status >= 500 ? 'server_error' : 'invalid_request_error';
    sendJson(response, status, errorBody({ code: codeOf(status), ...refusal }, type));
  }

  async answer(request: ChatRequest, response: ServerResponse, gone: AbortSignal): Promise<void> {
    const answer = answerTo(request, this.#options.script ?? DEFAULT_SCRIPT);
    await stallIfFaulty(this.faults, response, gone);
    if (request.stream) await this.#stream(request, answer, response, gone);
    else await this.#whole(request, answer, response, gone);
  }

  async #whole(
    request: ChatRequest,
    answer: Answer,
    response: ServerResponse,
    gone: AbortSignal,
  ): Promise<void> {
    const { firstTokenDelayMs = 0, tokenDelayMs = 0 } = this.#options;
    await delay(this.#clock, firstTokenDelayMs + answer.text.length * tokenDelayMs, gone);
    sendJson(response, 200, completionOf(request, answer, this.#clock.now()));
    this.counters.completed += 1;
  }

  async #stream(
    request: ChatRequest,
    answer: Answer,
    response: ServerResponse,
    gone: AbortSignal,
  ): Promise<void> {
    const fault = takeTokenStreamFault(this.faults);
    const stream = {
      pieces: pieces(request, answer, this.#clock),
      pace: this.#options,
      clock: this.#clock,
      breakOff: fault && breakOffOf(fault, FAILED),
      afterTokens: this.faults.cutAfterTokens,
    };
    if (!(await streamTokens(response, stream, gone))) return;
    response.end('data: [DONE]\n\n');
    this.counters.completed += 1;
  }
}

function codeOf(status: number): string | null {
  if (status === 401) return 'invalid_api_key';
  return status === 429 ? 'rate_limit_exceeded' : null;
}

type ErrorDetail = Pick<Refusal<number>, 'message' | 'param' | 'code'>;

function errorBody({ message, param = null, code = null }: ErrorDetail, type: string) {
  return { error: { message, type, param, code } };
}

const textOf = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\n\n`;
const FAILED = textOf(errorBody({ message: 'failed on purpose' }, 'server_error'));

/** Dates the answer by its first token, when the generation begins. */
function* pieces(request: ChatRequest, answer: Answer, clock: Clock) {
  for (const { chunk, token } of streamSteps(request, answer, clock.now())) {
    yield { text: textOf(chunk), isToken: token };
  }
}
