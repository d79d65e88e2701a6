import { randomUUID } from 'node:crypto';
import type { ChatMessage } from '../openai/request.js';
import { type Answer, answerTo, type ScriptRule } from '../openai/script.js';
import { type Block, blocksOf, type ConversationTurn, type MessagesRequest } from './request.js';

/** Characters of a tool call's input in one fragment. */
const FRAGMENT_LENGTH = 7;

/** One event of a streamed answer, and whether it counts as a token that takes its time. */
export interface Step {
  /** Undefined: the token is written, and held back. */
  readonly event: ({ readonly type: string } & Readonly<Record<string, unknown>>) | undefined;
  readonly isToken: boolean;
}

/** Returns the script's answer: the rules are those of the other emulated models. */
export function scriptedAnswer(
  { model, messages, tools }: MessagesRequest,
  script: readonly ScriptRule[],
): Answer {
  const offered = tools?.map(({ name, input_schema }) => ({
    type: 'function' as const,
    function: { name, parameters: input_schema },
  }));
  const chat = { model, messages: messages.flatMap(chatMessages), stream: true };
  return answerTo(offered ? { ...chat, tools: offered } : chat, script);
}

function chatMessages(turn: ConversationTurn): ChatMessage[] {
  const blocks = blocksOf(turn);
  const content = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ');
  if (turn.role === 'assistant') {
    const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [chatCall(block)] : []));
    return [{ role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
  }
  const results = blocks.flatMap((block): ChatMessage[] => {
    if (block.type !== 'tool_result') return [];
    return [{ role: 'tool', tool_call_id: block.tool_use_id, content: resultText(block.content) }];
  });
  return [...(content === '' ? [] : [{ role: 'user' as const, content }]), ...results];
}

function chatCall({ id, name, input }: Extract<Block, { type: 'tool_use' }>) {
  return { id, type: 'function' as const, function: { name, arguments: JSON.stringify(input) } };
}

function resultText(content: string | readonly { readonly text: string }[] | undefined): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('\n');
}

/** Estimates tokens as tokenizers make them of English: four characters each. */
const tokensOf = (text: string) => Math.ceil(text.length / 4);

function usageOf(request: MessagesRequest) {
  const all = tokensOf(JSON.stringify([request.system ?? '', request.tools ?? [], request.messages]));
  const isCached = JSON.stringify(request).includes('"cache_control":{');
  // A prompt too short for the cache is not kept; half of the others is.
  const cached = isCached && all > 1024 ? Math.floor(all / 2) : 0;
  return {
    input_tokens: all - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: 1,
  };
}

function head(request: MessagesRequest) {
  return { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: request.model };
}

const outputTokens = (answer: Answer) => tokensOf(answer.text + JSON.stringify(answer.toolCalls));
const stopReason = ({ toolCalls }: Answer) => (toolCalls.length === 0 ? 'end_turn' : 'tool_use');
const toolId = () => `toolu_${randomUUID().replaceAll('-', '').slice(0, 24)}`;

/** Builds the events of a streamed answer in their order (platform.claude.com, "Streaming messages"). */
export function* streamSteps(request: MessagesRequest, answer: Answer): Generator<Step> {
  const step = (event: Step['event'], isToken = false): Step => ({ event, isToken });
  const usage = usageOf(request);
  yield step({
    type: 'message_start',
    message: { ...head(request), content: [], stop_reason: null, stop_sequence: null, usage },
  });
  yield step({ type: 'ping' });
  let index = 0;
  if (answer.text !== '') {
    yield step({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
    for (const text of answer.text.match(/\s*\S+/g) ?? []) {
      yield step({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } }, true);
    }
    yield step({ type: 'content_block_stop', index });
    index += 1;
  }
  for (const call of answer.toolCalls) {
    const block = { type: 'tool_use', id: toolId(), name: call.name, input: {} };
    yield step({ type: 'content_block_start', index, content_block: block }, true);
    const json = JSON.stringify(call.arguments);
    // platform.claude.com, "Fine-grained tool streaming": without, a parameter is sent when it is whole.
    const isEager = request.tools?.some((tool) => tool.name === call.name && tool.eager_input_streaming);
    for (let at = 0; at < json.length; at += FRAGMENT_LENGTH) {
      const end = at + FRAGMENT_LENGTH;
      const delta = { type: 'input_json_delta', partial_json: json.slice(isEager ? at : 0, end) };
      const isSent = isEager || end >= json.length;
      yield step(isSent ? { type: 'content_block_delta', index, delta } : undefined, true);
    }
    yield step({ type: 'content_block_stop', index });
    index += 1;
  }
  yield step({
    type: 'message_delta',
    delta: { stop_reason: stopReason(answer), stop_sequence: null },
    usage: { output_tokens: outputTokens(answer) },
  });
  yield step({ type: 'message_stop' });
}
