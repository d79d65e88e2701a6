import { isOwnOpenAiServer, type OpenAiParams, openAiParams } from '@voice/shared/catalogue/params/openai';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { guardedLookup, parseUrl } from '@voice/shared/egress/guarded-request';
import type {
  ChatCompletionChunk,
  ChatCompletionCreateParamsStreaming,
} from 'openai/resources/chat/completions';
import { createPreparation, failedPreparation, type Preparation } from '../../preparation.js';
import { missingKey } from '../../provider-socket.js';
import { WarmConnections, type WarmConnectionsOptions } from '../../warm-connections.js';
import type { LanguageModel, LlmEvent, LlmRequest, LlmTarget } from '../port.js';
import { type ChatRequest, streamChat } from './chat-stream.js';
import { disconnected, invalidRequest, toProviderError, unreachable } from './errors.js';
import { toChatMessages, toChatTools } from './messages.js';
import { ToolCallAssembly } from './tool-call-assembly.js';

const DEFAULT_MODEL = 'gpt-4.1-mini';
/** The vendor's own. */
const BASE_URL = 'https://api.openai.com/v1';

export interface OpenAiLanguageModel extends LanguageModel {
  prepare(target: LlmTarget): Preparation;
  /** Closes all connections; for a clean end of the process. */
  close(): Promise<void>;
}

export interface OpenAiLanguageModelOptions extends Pick<WarmConnectionsOptions, 'ca' | 'connect'> {
  readonly egress: AddressPolicy;
  readonly clock?: Clock;
}

/** Warm connections: to the platform's own address, and to those that tenants name. */
interface Connections {
  readonly policy: AddressPolicy;
  readonly platform: WarmConnections;
  readonly tenants: WarmConnections;
}

/** Where a request goes, and with which key. */
interface Destination {
  readonly baseUrl: string;
  /** Undefined: the server wants none. */
  readonly apiKey: string | undefined;
  /** Whether an agent names the address. */
  readonly isOwn: boolean;
  readonly connections: WarmConnections;
}

/**
 * Creates the language models behind OpenAI's chat-completions API or any server compatible with it. An address that an
 * agent names is reached only where the egress policy lets it: names are checked when they are connected, and the
 * connection stays with the address that was checked.
 */
export function createOpenAiLanguageModel({
  egress,
  clock = systemClock,
  ...transport
}: OpenAiLanguageModelOptions): OpenAiLanguageModel {
  const connections: Connections = {
    policy: egress,
    platform: new WarmConnections({ clock, ...transport }),
    tenants: new WarmConnections({ clock, lookup: guardedLookup(egress), ...transport }),
  };
  return {
    name: 'openai',
    defaultModel: DEFAULT_MODEL,
    generate: (request, signal) => generate(request, signal, connections),
    prepare: (target) => prepare(target, connections),
    close: async () => {
      await Promise.all([connections.platform.close(), connections.tenants.close()]);
    },
  };
}

function prepare(target: LlmTarget, connections: Connections): Preparation {
  try {
    const destination = destinationOf(target, parseParams(target), connections);
    const held = destination.connections.hold(new URL(destination.baseUrl));
    const ready = held.ready.catch((error: unknown) => Promise.reject(unreachable(error)));
    return createPreparation(ready, () => held.release());
  } catch (error) {
    return failedPreparation(toProviderError(error));
  }
}

async function* generate(
  request: LlmRequest,
  signal: AbortSignal,
  connections: Connections,
): AsyncGenerator<LlmEvent> {
  if (signal.aborted) return;
  const params = parseParams(request);
  const chat = chatRequest(request, params, connections);
  try {
    yield* read(streamChat(chat, signal));
  } catch (error) {
    // An aborted answer ends without a word.
    if (signal.aborted) return;
    throw toProviderError(error);
  }
}

function parseParams(request: LlmTarget): OpenAiParams {
  const parsed = openAiParams.safeParse(request.choice.params);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw invalidRequest(`voice_config.llm.params is not valid for openai: ${fields}`, parsed.error);
}

function destinationOf(target: LlmTarget, params: OpenAiParams, connections: Connections): Destination {
  const { api_key: platformKey, base_url: platformUrl } = target.credentials;
  const own = params.base_url !== undefined && params.base_url !== platformUrl;
  const apiKey = params.api_key ?? (own ? undefined : platformKey);
  const baseURL = params.base_url ?? platformUrl;
  if (apiKey === undefined && !isOwnOpenAiServer(baseURL)) throw missingKey('llm', 'openai');
  if (own) checkAddress(baseURL, connections.policy);
  return {
    baseUrl: baseURL ?? BASE_URL,
    apiKey,
    isOwn: own,
    connections: own ? connections.tenants : connections.platform,
  };
}

function chatRequest(request: LlmRequest, params: OpenAiParams, all: Connections): ChatRequest {
  const { baseUrl, apiKey, isOwn, connections } = destinationOf(request, params, all);
  const { dispatcher } = connections;
  return { baseUrl, apiKey, body: body(request, params), dispatcher, followsMoves: !isOwn };
}

/** Names are checked when they are connected; an address written out must be checked here. */
function checkAddress(baseUrl: string | undefined, policy: AddressPolicy): void {
  try {
    parseUrl(baseUrl ?? '', policy);
  } catch (error) {
    throw invalidRequest('voice_config.llm.params.base_url leads to an address that is not allowed', error);
  }
}

function body(request: LlmRequest, params: OpenAiParams): ChatCompletionCreateParamsStreaming {
  const { base_url: _url, api_key: _key, parallel_tool_calls, ...settings } = params;
  const tools = toChatTools(request.tools);
  return {
    ...settings,
    model: request.choice.model === '' ? DEFAULT_MODEL : request.choice.model,
    messages: toChatMessages(request.messages),
    ...(tools ? { tools } : {}),
    ...(tools && parallel_tool_calls !== undefined ? { parallel_tool_calls } : {}),
    stream: true,
    stream_options: { include_usage: true },
  };
}

/** Text that came together is passed on together: each event goes through every wrapper. */
async function* read(batches: AsyncIterable<readonly ChatCompletionChunk[]>): AsyncGenerator<LlmEvent> {
  const assembly = new ToolCallAssembly();
  let finished = false;
  for await (const chunks of batches) {
    let text = '';
    for (const { choices, usage: used } of chunks) {
      const choice = choices[0];
      text += choice?.delta?.content ?? '';
      const fragments = choice?.delta?.tool_calls ?? [];
      if (text !== '' && (fragments.length > 0 || choice?.finish_reason || used)) {
        yield { type: 'text', delta: text };
        text = '';
      }
      for (const fragment of fragments) {
        assembly.add(fragment);
        yield { type: 'tool_call_part' };
      }
      if (choice?.finish_reason) {
        finished = true;
        for (const call of assembly.take()) yield { type: 'tool_call', call };
      }
      if (used) yield usage(used);
    }
    if (text !== '') yield { type: 'text', delta: text };
  }
  if (!finished) throw disconnected();
}

function usage({ prompt_tokens, completion_tokens }: NonNullable<ChatCompletionChunk['usage']>): LlmEvent {
  return { type: 'usage', inputTokens: prompt_tokens, outputTokens: completion_tokens };
}
