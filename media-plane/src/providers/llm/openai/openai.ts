import { isOwnOpenAiServer, type OpenAiParams, openAiParams } from '@voice/shared/catalogue/params/openai';
import { ToolCallAssembly } from '@voice/shared/openai/tool-call-assembly';
import type {
  ChatCompletionChunk,
  ChatCompletionCreateParamsStreaming,
} from 'openai/resources/chat/completions';
import { invalidParams } from '../../invalid-params.js';
import { createPreparation, failedPreparation, type Preparation } from '../../preparation.js';
import type { LanguageModel, LlmEvent, LlmRequest, LlmTarget } from '../port.js';
import { VendorConnections, type VendorConnectionsOptions } from '../vendor-connections.js';
import { type ChatRequest, streamChat } from './chat-stream.js';
import { disconnected, PROVIDER, toProviderError, unreachable } from './errors.js';
import { toChatMessages, toChatTools } from './messages.js';

const DEFAULT_MODEL = 'gpt-4.1-mini';
/** The vendor's own. */
const BASE_URL = 'https://api.openai.com/v1';
/** Reasons of an end that is not the model's own. */
const CUT_OFF_BY: ReadonlySet<string> = new Set(['length', 'content_filter']);

export interface OpenAiLanguageModel extends LanguageModel {
  prepare(target: LlmTarget): Preparation;
  /** Closes all connections; for a clean end of the process. */
  close(): Promise<void>;
}

/**
 * Creates the language models behind OpenAI's chat-completions API or any server compatible with it. An address that an
 * agent names is reached only where the egress policy lets it: names are checked when they are connected, and the
 * connection stays with the address that was checked.
 */
export function createOpenAiLanguageModel(options: VendorConnectionsOptions): OpenAiLanguageModel {
  const connections = new VendorConnections('openai', options);
  return {
    name: 'openai',
    defaultModel: DEFAULT_MODEL,
    generate: (request, signal) => generate(request, signal, connections),
    prepare: (target) => prepare(target, connections),
    close: () => connections.close(),
  };
}

function prepare(target: LlmTarget, connections: VendorConnections): Preparation {
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
  connections: VendorConnections,
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
  throw invalidParams('llm', PROVIDER, parsed.error);
}

function destinationOf(target: LlmTarget, params: OpenAiParams, connections: VendorConnections) {
  const { baseUrl = BASE_URL, ...rest } = connections.destinationOf(target, params, isOwnOpenAiServer);
  return { baseUrl, ...rest };
}

function chatRequest(request: LlmRequest, params: OpenAiParams, all: VendorConnections): ChatRequest {
  const { baseUrl, apiKey, isTenants, connections } = destinationOf(request, params, all);
  const { dispatcher } = connections;
  return { baseUrl, apiKey, body: body(request, params), dispatcher, followsMoves: !isTenants };
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
        const isCutOff = CUT_OFF_BY.has(choice.finish_reason);
        for (const call of assembly.take({ isCutOff })) yield { type: 'tool_call', call };
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
