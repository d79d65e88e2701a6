import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { DEFAULT_SCRIPT, type ScriptRule } from '../openai/script.js';
import {
  type AnswerCounters,
  type AnsweringOptions,
  type AnsweringVendor,
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
  noTokenStreamFaults,
  stallIfFaulty,
  streamTokens,
  type TokenPace,
  type TokenStreamFaults,
  takeTokenStreamFault,
} from '../serving/token-stream.js';
import { scriptedAnswer, streamSteps } from './answer.js';
import { type MessagesRequest, parseMessagesRequest } from './request.js';

interface AnthropicEmulatorOptions extends AnsweringOptions, TokenPace {
  readonly script?: readonly ScriptRule[];
  /** The accepted keys; any when undefined. */
  readonly apiKeys?: readonly string[];
  readonly clock?: Clock;
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

type Status = keyof typeof ERROR_TYPES;

interface AnthropicFaults extends RequestFaults<Status>, TokenStreamFaults {
  /** Ends this many answers as declined, after `cutAfterTokens` tokens. */
  refusalNext: number;
}

export interface AnthropicEmulator extends RunningEmulator {
  readonly counters: Readonly<AnswerCounters>;
  readonly faults: AnthropicFaults;
  /** The bodies of the accepted requests, newest last; at most the last hundred. */
  readonly requests: readonly MessagesRequest[];
}

/** Serves Anthropic's Messages API on loopback, answering from a script. */
export async function startAnthropicEmulator(
  options: AnthropicEmulatorOptions = {},
): Promise<AnthropicEmulator> {
  const emulation = new Emulation(options);
  const { running, requests } = await startAnswering(options, emulation);
  const { counters, faults } = emulation;
  return { ...running, counters, faults, requests };
}

class Emulation implements AnsweringVendor<MessagesRequest, Status> {
  readonly maxBodyBytes = 32_000_000;
  readonly counters = noAnswers();
  readonly faults: AnthropicFaults = { ...noRequestFaults(), ...noTokenStreamFaults(), refusalNext: 0 };
  readonly #options: AnthropicEmulatorOptions;
  readonly #clock: Clock;

  constructor(options: AnthropicEmulatorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  refusalOf(request: IncomingMessage): Refusal<Status> | undefined {
    const { headers, method } = request;
    const key = headers['x-api-key'];
    const { apiKeys } = this.#options;
    if (typeof key !== 'string' || key === '')
      return { status: 401, message: 'x-api-key header is required' };
    if (apiKeys && !apiKeys.includes(key)) return { status: 401, message: 'invalid x-api-key' };
    if (requestUrl(request).pathname !== '/v1/messages') return { status: 404, message: 'Not found' };
    if (method !== 'POST') return { status: 405, message: 'Method Not Allowed' };
    if (headers['anthropic-version'] !== '2023-06-01')
      return { status: 400, message: 'anthropic-version: header is required' };
    if (!headers['content-type']?.startsWith('application/json'))
      return { status: 400, message: 'content-type must be JSON' };
    return undefined;
  }

  parse(body: string): ReturnType<AnsweringVendor<MessagesRequest, Status>['parse']> {
    const asked = parseMessagesRequest(body);
    return 'problem' in asked ? { refusal: { status: 400, message: asked.problem } } : { asked };
  }

  sendError(response: ServerResponse, { status, message }: Refusal<Status>): void {
    const error = { type: ERROR_TYPES[status], message };
    sendJson(response, status, { type: 'error', error, request_id: 'req_emulated' });
  }

  async answer(request: MessagesRequest, response: ServerResponse, gone: AbortSignal): Promise<void> {
    await stallIfFaulty(this.faults, response, gone);
    if (!request.stream) {
      this.sendError(response, { status: 400, message: 'only streamed answers are emulated' });
      return;
    }
    const answer = scriptedAnswer(request, this.#options.script ?? DEFAULT_SCRIPT);
    const stream = {
      pieces: pieces(request, answer),
      pace: this.#options,
      clock: this.#clock,
      breakOff: this.#takeBreakOff(),
      afterTokens: this.faults.cutAfterTokens,
    };
    if (!(await streamTokens(response, stream, gone))) return;
    response.end();
    this.counters.completed += 1;
  }

  #takeBreakOff() {
    const fault = takeTokenStreamFault(this.faults);
    if (fault) return breakOffOf(fault, OVERLOADED);
    if (this.faults.refusalNext <= 0) return undefined;
    this.faults.refusalNext -= 1;
    return { lastText: DECLINED };
  }
}

type Event = { readonly type: string } & Readonly<Record<string, unknown>>;
const textOf = (event: Event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const OVERLOADED = textOf({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
const DECLINED =
  textOf({ type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: { output_tokens: 2 } }) +
  textOf({ type: 'message_stop' });

function* pieces(...answered: Parameters<typeof streamSteps>) {
  for (const { event, isToken } of streamSteps(...answered))
    yield { text: event ? textOf(event) : '', isToken };
}
