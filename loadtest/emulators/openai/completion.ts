import { randomUUID } from 'node:crypto';
import type { ChatRequest } from './request.js';
import type { Answer } from './script.js';

/** Characters of a tool call's arguments in one fragment. */
const FRAGMENT_LENGTH = 7;

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** One step of a streamed answer: a chunk, and whether it counts as a token that takes its time. */
export interface Step {
  readonly chunk: unknown;
  readonly token: boolean;
}

/** Estimates tokens as the vendor's tokenizers make them of English: four characters each. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

function usageOf(request: ChatRequest, answer: Answer): Usage {
  const prompt = tokensOf(JSON.stringify([request.messages, request.tools ?? []]));
  const completion = tokensOf(answer.text + JSON.stringify(answer.toolCalls));
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** Splits a text as a model streams it: words with the space before them. */
function tokenise(text: string): string[] {
  return text.match(/\s*\S+/g) ?? [];
}

function fragments(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += FRAGMENT_LENGTH) pieces.push(text.slice(at, at + FRAGMENT_LENGTH));
  return pieces;
}

/** Builds the chunks of a streamed answer in their order, without the closing `[DONE]`. */
export function* streamSteps(request: ChatRequest, answer: Answer, createdAt: number): Generator<Step> {
  const withUsage = request.stream_options?.include_usage === true;
  const base = {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion.chunk',
    created: Math.floor(createdAt / 1000),
    model: request.model,
    service_tier: 'default',
    system_fingerprint: 'fp_emulator',
    ...(withUsage ? { usage: null } : {}),
  };
  const step = (delta: unknown, token: boolean, finish: string | null = null): Step => ({
    chunk: { ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] },
    token,
  });

  yield step({ role: 'assistant', content: answer.text === '' ? null : '', refusal: null }, false);
  for (const content of tokenise(answer.text)) yield step({ content }, true);
  for (const [index, call] of answer.toolCalls.entries()) {
    const head = { name: call.name, arguments: '' };
    yield step({ tool_calls: [{ index, id: toolCallId(), type: 'function', function: head }] }, true);
    for (const piece of fragments(JSON.stringify(call.arguments))) {
      yield step({ tool_calls: [{ index, function: { arguments: piece } }] }, true);
    }
  }
  yield step({}, false, finishReason(answer));
  if (withUsage) yield { chunk: { ...base, choices: [], usage: usageOf(request, answer) }, token: false };
}

/** Builds the whole answer at once. */
export function completionOf(request: ChatRequest, answer: Answer, createdAt: number): unknown {
  const toolCalls = answer.toolCalls.map((call) => ({
    id: toolCallId(),
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
  const message = {
    role: 'assistant',
    content: answer.text === '' ? null : answer.text,
    refusal: null,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
  return {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: Math.floor(createdAt / 1000),
    model: request.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(answer) }],
    usage: usageOf(request, answer),
  };
}

function finishReason(answer: Answer): string {
  return answer.toolCalls.length === 0 ? 'stop' : 'tool_calls';
}

function toolCallId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}
