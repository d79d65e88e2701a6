import { isOwnOpenAiServer, type OpenAiParams, openAiParams } from '@voice/shared/catalogue/params/openai';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { guardedLookup, parseUrl } from '@voice/shared/egress/guarded-request';
import OpenAI, { APIUserAbortError } from 'openai';
import type {
  ChatCompletionChunk,
  ChatCompletionCreateParamsStreaming,
} from 'openai/resources/chat/completions';
import { Agent, fetch as undiciFetch } from 'undici';
import { missingKey } from '../../provider-socket.js';
import type { LanguageModel, LlmEvent, LlmRequest } from '../port.js';
import { disconnected, invalidRequest, toProviderError } from './errors.js';
import { toChatMessages, toChatTools } from './messages.js';
import { ToolCallAssembly } from './tool-call-assembly.js';

const DEFAULT_MODEL = 'gpt-4.1-mini';
/** Longest wait for the response's head, in ms; tighter limits are the pipeline's. */
const REQUEST_TIMEOUT_MS = 30_000;
/**
 * How long an idle connection is kept, in ms. A conversation's turns are often more than the 4 s apart
 * after which fetch would drop it, and a new TLS handshake would be on the caller's time.
 */
const KEEP_ALIVE_MS = 60_000;

export interface OpenAiLanguageModel extends LanguageModel {
  /** Closes idle connections; for a clean end of the process. */
  close(): Promise<void>;
}

/** Warm connections: to the platform's own address, and to those that tenants name. */
interface Connections {
  readonly policy: AddressPolicy;
  readonly platform: Agent;
  readonly tenants: Agent;
}

/**
 * Creates the language models behind OpenAI's chat-completions API or any server compatible with it. An address that an
 * agent names is reached only where the egress policy lets it: names are checked when they are connected, and the
 * connection stays with the address that was checked.
 */
export function createOpenAiLanguageModel({ egress }: { egress: AddressPolicy }): OpenAiLanguageModel {
  const options = { keepAliveTimeout: KEEP_ALIVE_MS, connections: null };
  const connections: Connections = {
    policy: egress,
    platform: new Agent(options),
    tenants: new Agent({ ...options, connect: { lookup: guardedLookup(egress) } }),
  };
  return {
    name: 'openai',
    defaultModel: DEFAULT_MODEL,
    generate: (request, signal) => generate(request, signal, connections),
    close: async () => {
      await Promise.all([connections.platform.destroy(), connections.tenants.destroy()]);
    },
  };
}

async function* generate(
  request: LlmRequest,
  signal: AbortSignal,
  connections: Connections,
): AsyncGenerator<LlmEvent> {
  if (signal.aborted) return;
  const params = parseParams(request);
  const client = connect(request, params, connections);
  try {
    const stream = await client.chat.completions.create(body(request, params), { signal });
    yield* read(stream);
    // The SDK ends an aborted stream without a word; so do we.
  } catch (error) {
    if (signal.aborted || error instanceof APIUserAbortError) return;
    throw toProviderError(error);
  }
}

function parseParams(request: LlmRequest): OpenAiParams {
  const parsed = openAiParams.safeParse(request.choice.params);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw invalidRequest(`voice_config.llm.params is not valid for openai: ${fields}`, parsed.error);
}

function connect(request: LlmRequest, params: OpenAiParams, connections: Connections): OpenAI {
  const { api_key: platformKey, base_url: platformUrl } = request.credentials;
  const own = params.base_url !== undefined && params.base_url !== platformUrl;
  const apiKey = params.api_key ?? (own ? undefined : platformKey);
  const baseURL = params.base_url ?? platformUrl;
  if (apiKey === undefined && !isOwnOpenAiServer(baseURL)) throw missingKey('llm', 'openai');
  if (own) checkAddress(baseURL, connections.policy);
  const dispatcher = own ? connections.tenants : connections.platform;
  const redirect = own ? 'error' : 'follow';
  return new OpenAI({
    // A compatible server on one's own machine often wants no key; the SDK wants some text.
    apiKey: apiKey ?? 'none',
    ...(baseURL === undefined ? {} : { baseURL }),
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: REQUEST_TIMEOUT_MS,
    logLevel: 'off',
    fetch: (url, init) =>
      undiciFetch(url as string, {
        ...(init as object),
        dispatcher,
        redirect,
      }) as unknown as Promise<Response>,
  });
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

async function* read(stream: AsyncIterable<ChatCompletionChunk> & { controller: AbortController }) {
  const assembly = new ToolCallAssembly();
  let finished = false;
  for await (const chunk of stream) {
    const choice = chunk.choices[0];
    const text = choice?.delta?.content;
    if (text) yield { type: 'text', delta: text } satisfies LlmEvent;
    for (const delta of choice?.delta?.tool_calls ?? []) {
      assembly.add(delta);
      yield { type: 'tool_call_part' } satisfies LlmEvent;
    }
    if (choice?.finish_reason) {
      finished = true;
      for (const call of assembly.take()) yield { type: 'tool_call', call } satisfies LlmEvent;
    }
    if (chunk.usage) yield usage(chunk.usage);
  }
  if (!finished && !stream.controller.signal.aborted) throw disconnected();
}

function usage({ prompt_tokens, completion_tokens }: NonNullable<ChatCompletionChunk['usage']>): LlmEvent {
  return { type: 'usage', inputTokens: prompt_tokens, outputTokens: completion_tokens };
}
