import type { AnthropicParams } from '../catalogue/params/anthropic.js';
import type { LlmMessage, LlmTool } from '../language-model/conversation.js';
import { type AnthropicMessage, toConversation } from './conversation.js';
import { thinkingOf } from './thinking.js';

/** What a request names itself to be of (platform.claude.com/docs/en/api/versioning). */
export const ANTHROPIC_VERSION = '2023-06-01';
export const ANTHROPIC_URL = 'https://api.anthropic.com';
export const MESSAGES_PATH = '/v1/messages';

/** Returns whether the vendor itself answers at an address; compatible servers refuse fields that they do not know. */
export function isAnthropic(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === 'anthropic.com' || hostname.endsWith('.anthropic.com');
}

const EPHEMERAL = { type: 'ephemeral' } as const;

/** Marks the end of what is kept for the next request (platform.claude.com, "Prompt caching"). */
interface Cacheable {
  readonly cache_control?: typeof EPHEMERAL;
}

export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: true;
  readonly system?: readonly (Cacheable & { readonly type: 'text'; readonly text: string })[];
  readonly messages: readonly AnthropicMessage[];
  readonly tools?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly input_schema: Readonly<Record<string, unknown>>;
    readonly eager_input_streaming?: true;
  }[];
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly service_tier?: 'auto' | 'standard_only';
  readonly thinking?: { readonly type: string };
  readonly output_config?: { readonly effort: string };
}

/** Builds the body of `POST /v1/messages` (platform.claude.com/docs/en/api/messages), streamed. Pure. */
export function messagesRequest({
  model,
  params,
  messages,
  tools,
  eagerInput,
}: {
  readonly model: string;
  readonly params: AnthropicParams;
  readonly messages: readonly LlmMessage[];
  readonly tools: readonly LlmTool[];
  /** Whether tools' input is streamed as it is written, not each parameter when it is whole. */
  readonly eagerInput: boolean;
}): MessagesRequest {
  const { max_tokens, temperature, top_p, top_k, service_tier, prompt_caching } = params;
  const { system, turns } = toConversation(messages);
  const { thinking, effort } = thinkingOf(model, params);
  const cached: Cacheable = prompt_caching ? { cache_control: EPHEMERAL } : {};
  return {
    model,
    max_tokens,
    stream: true,
    // Tools come before it in what is kept, and are kept with it.
    ...(system === '' ? {} : { system: [{ type: 'text', text: system, ...cached }] }),
    messages: prompt_caching ? withCachedEnd(turns) : turns,
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => toTool(tool, eagerInput)) }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(top_k === undefined ? {} : { top_k }),
    ...(service_tier === undefined ? {} : { service_tier }),
    ...(thinking === undefined ? {} : { thinking: { type: thinking } }),
    ...(effort === undefined ? {} : { output_config: { effort } }),
  };
}

/** A parameter that is held back until it is whole is silence, longer than a live connection's may be. */
function toTool({ name, description, parameters }: LlmTool, eagerInput: boolean) {
  return {
    name,
    ...(description === '' ? {} : { description }),
    input_schema: { ...parameters },
    // platform.claude.com, "Fine-grained tool streaming".
    ...(eagerInput ? { eager_input_streaming: true as const } : {}),
  };
}

/** Marks the last block of the conversation: the next turn begins with all of this. */
function withCachedEnd(turns: readonly AnthropicMessage[]): readonly AnthropicMessage[] {
  const last = turns.at(-1)!;
  const content = last.content.map((block, index) =>
    index === last.content.length - 1 ? { ...block, cache_control: EPHEMERAL } : block,
  );
  return [...turns.slice(0, -1), { ...last, content }];
}
