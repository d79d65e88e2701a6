import { type AnswerEvent, AnswerStream, UnreadableEvent } from '@voice/shared/anthropic/answer-stream';
import {
  ANTHROPIC_URL,
  ANTHROPIC_VERSION,
  isAnthropic,
  MESSAGES_PATH,
  messagesRequest,
} from '@voice/shared/anthropic/request';
import { eventData } from '@voice/shared/anthropic/server-sent-events';
import { type AnthropicParams, anthropicParams } from '@voice/shared/catalogue/params/anthropic';
import { fetch, type Response } from 'undici';
import { invalidParams } from '../../invalid-params.js';
import { createPreparation, failedPreparation, type Preparation } from '../../preparation.js';
import type { WarmConnections } from '../../warm-connections.js';
import { limitedAnswer, refusalText } from '../answer-limits.js';
import type { LanguageModel, LlmEvent, LlmRequest, LlmTarget } from '../port.js';
import { VendorConnections, type VendorConnectionsOptions } from '../vendor-connections.js';
import { disconnected, errorOfEvent, errorOfFetch, errorOfResponse, llmError, PROVIDER } from './errors.js';

const DEFAULT_MODEL = 'claude-haiku-5-5';

export interface AnthropicLanguageModel extends LanguageModel {
  /** Closes idle connections; for a clean end of the process. */
  close(): Promise<void>;
}

interface Destination {
  readonly url: URL;
  readonly apiKey: string;
  readonly connections: WarmConnections;
}

/**
 * Creates the language models behind Anthropic's Messages API. An address that an agent names is reached only where the
 * egress policy lets it. The vendor's SDK is left out: the protocol is one request and a stream of events, and the SDK
 * would stand on the path of every token.
 */
export function createAnthropicLanguageModel(options: VendorConnectionsOptions): AnthropicLanguageModel {
  const connections = new VendorConnections(PROVIDER, options);
  return {
    name: PROVIDER,
    defaultModel: DEFAULT_MODEL,
    generate: (request, signal) => generate(request, signal, connections),
    prepare: (target) => prepare(target, connections),
    close: () => connections.close(),
  };
}

function prepare(target: LlmTarget, connections: VendorConnections): Preparation {
  try {
    const destination = destinationOf(target, parseParams(target), connections);
    const held = destination.connections.hold(destination.url);
    const ready = held.ready.catch((error: unknown) => Promise.reject(errorOfFetch(error, false)));
    return createPreparation(ready, () => held.release());
  } catch (error) {
    return failedPreparation(error);
  }
}

async function* generate(
  request: LlmRequest,
  signal: AbortSignal,
  connections: VendorConnections,
): AsyncGenerator<LlmEvent> {
  if (signal.aborted) return;
  const params = parseParams(request);
  const destination = destinationOf(request, params, connections);
  // Ends the connection with the reader, too.
  const left = new AbortController();
  let hasBegun = false;
  try {
    const response = await send(request, params, destination, AbortSignal.any([signal, left.signal]));
    if (!response.ok) throw await refusal(response);
    hasBegun = true;
    yield* read(response);
  } catch (error) {
    if (signal.aborted) return;
    throw errorOfFetch(error, hasBegun);
  } finally {
    left.abort();
  }
}

function parseParams(request: LlmTarget): AnthropicParams {
  const parsed = anthropicParams.safeParse(request.choice.params);
  if (parsed.success) return parsed.data;
  throw invalidParams('llm', PROVIDER, parsed.error);
}

function destinationOf(target: LlmTarget, params: AnthropicParams, all: VendorConnections): Destination {
  const { baseUrl = ANTHROPIC_URL, apiKey, connections } = all.destinationOf(target, params);
  return { url: new URL(baseUrl.replace(/\/$/, '') + MESSAGES_PATH), apiKey, connections };
}

function send(
  { choice, messages, tools }: LlmRequest,
  params: AnthropicParams,
  { url, apiKey, connections }: Destination,
  signal: AbortSignal,
): Promise<Response> {
  const model = choice.model === '' ? DEFAULT_MODEL : choice.model;
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': ANTHROPIC_VERSION,
      'x-api-key': apiKey,
    },
    body: JSON.stringify(
      messagesRequest({ model, params, messages, tools, eagerInput: isAnthropic(url.href) }),
    ),
    signal,
    dispatcher: connections.dispatcher,
    redirect: 'error',
  });
}

async function refusal(response: Response) {
  const body = (response.body ? await refusalText(response.body) : '').slice(0, 2000);
  return errorOfResponse(response.status, body, response.headers.get('retry-after'));
}

async function* read(response: Response): AsyncGenerator<LlmEvent> {
  const answer = new AnswerStream();
  let isWhole = false;
  if (response.body) {
    for await (const data of eventData(limitedAnswer(response.body, unending))) {
      for (const event of events(answer, data)) {
        if (event.type === 'error') throw errorOfEvent(event.errorType, event.message);
        if (event.type !== 'end') yield event;
        else if (event.reason === 'refusal')
          throw llmError('bad_request', 'the model declines to answer', false);
        else isWhole = true;
      }
    }
  }
  if (!isWhole) throw disconnected();
}

const unending = () => llmError('protocol_violation', 'the language model answers without an end', true);

function events(answer: AnswerStream, data: string): readonly AnswerEvent[] {
  try {
    return answer.read(data);
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    throw llmError('protocol_violation', 'the language model answered something unreadable', true, error);
  }
}
