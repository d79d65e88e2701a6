import type { LlmMessage, LlmTool } from '@voice/shared/language-model/conversation';
import { answer } from '@voice/shared/rule-based-model/answer';
import { answerTo, type ScriptRule } from '../openai/script.js';
import type { Content } from './client-message.js';
import type { ToolList } from './setup-message.js';

export interface ModelCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  /** The service does not let it be said. */
  readonly rejected?: true;
}

/** What the model remembers of a conversation; a session that is resumed takes it along. */
export interface Memory {
  readonly instruction: string;
  readonly messages: readonly LlmMessage[];
}

export const EMPTY_MEMORY: Memory = { instruction: '', messages: [] };

const SAY_EXACTLY = /\bsay exactly\b[^"“]*["“](.*)["”]/is;
const HEARD_ONLY = /\bheard only: ["“](.*?)["”]/is;
const HEARD_NOTHING = /\bheard nothing of your last answer\b/i;

/**
 * Answers in the model's place: repeats the words that it is asked for, else holds its instruction's conversation.
 */
export function think(
  memory: Memory,
  tools: ToolList,
  script: readonly ScriptRule[] | undefined,
): ModelAnswer {
  const last = memory.messages.at(-1);
  const exactly = last?.role === 'user' || last?.role === 'system' ? SAY_EXACTLY.exec(last.content) : null;
  if (exactly) return { text: exactly[1]!, calls: [] };
  const offered = offeredTools(tools);
  if (script) return scripted(memory, offered, script);
  const messages = [{ role: 'system' as const, content: memory.instruction }, ...memory.messages];
  const { text, calls } = answer(messages, offered);
  return { text, calls: calls.map((call) => ({ name: call.name, args: call.arguments })) };
}

function offeredTools(tools: ToolList): LlmTool[] {
  return tools
    .flatMap((tool) => tool.functionDeclarations)
    .map((tool) => ({
      name: tool.name,
      description: tool.description ?? '',
      parameters: (tool.parametersJsonSchema ?? tool.parameters ?? { type: 'object' }) as Record<
        string,
        unknown
      >,
    }));
}

function scripted(
  { messages }: Memory,
  tools: readonly LlmTool[],
  script: readonly ScriptRule[],
): ModelAnswer {
  const request = {
    model: 'gemini',
    stream: true,
    messages: messages.map((message) => {
      if (message.role === 'tool') {
        return { role: 'tool' as const, content: message.content, tool_call_id: message.toolCallId };
      }
      if (message.role !== 'assistant') return message;
      const calls = message.toolCalls?.map((call) => ({
        id: call.id,
        type: 'function' as const,
        function: { name: call.name, arguments: call.arguments },
      }));
      return {
        role: 'assistant' as const,
        content: message.content,
        ...(calls ? { tool_calls: calls } : {}),
      };
    }),
    tools: tools.map((tool) => ({
      type: 'function' as const,
      function: { name: tool.name, description: tool.description, parameters: { type: 'object' as const } },
    })),
  };
  const { text, toolCalls } = answerTo(request, script);
  return { text, calls: toolCalls.map((call) => ({ name: call.name, args: call.arguments })) };
}

/** Adds a turn that was given as content. */
export function withContent(memory: Memory, { role, parts }: Content): Memory {
  let next = memory;
  for (const part of parts) {
    if ('text' in part) next = role === 'model' ? withAnswer(next, part.text) : withUserText(next, part.text);
    else if ('functionCall' in part) {
      const { id = part.functionCall.name, name, args = {} } = part.functionCall;
      next = withCalls(next, '', [{ id, name, args }]);
    } else {
      const { id = part.functionResponse.name, response } = part.functionResponse;
      next = withResult(next, id, response);
    }
  }
  return next;
}

/**
 * Adds the user's text; in square brackets it is a note to the model, and not the caller's words, as a model would
 * understand.
 */
function withUserText(memory: Memory, text: string): Memory {
  const heard = HEARD_ONLY.exec(text)?.[1] ?? (HEARD_NOTHING.test(text) ? '' : undefined);
  const base = heard === undefined ? memory : withLastAnswerCut(memory, heard);
  const aside = /^\s*\[(?:note[^:]*: )?(.*)\]\s*$/is.exec(text)?.[1];
  const message =
    aside === undefined
      ? { role: 'user' as const, content: text }
      : { role: 'system' as const, content: aside };
  return { ...base, messages: [...base.messages, message] };
}

export function withCallerWords(memory: Memory, text: string): Memory {
  return { ...memory, messages: [...memory.messages, { role: 'user', content: text }] };
}

export function withAnswer(memory: Memory, text: string): Memory {
  if (text === '') return memory;
  return { ...memory, messages: [...memory.messages, { role: 'assistant', content: text }] };
}

export function withCalls(
  memory: Memory,
  text: string,
  calls: readonly (ModelCall & { readonly id: string })[],
): Memory {
  const toolCalls = calls.map((call) => ({
    id: call.id,
    name: call.name,
    arguments: JSON.stringify(call.args),
  }));
  return { ...memory, messages: [...memory.messages, { role: 'assistant', content: text, toolCalls }] };
}

export function withResult(memory: Memory, id: string, response: Readonly<Record<string, unknown>>): Memory {
  const output = response.output ?? response.error ?? response;
  const content = typeof output === 'string' ? output : JSON.stringify(output);
  return { ...memory, messages: [...memory.messages, { role: 'tool', toolCallId: id, content }] };
}

function withLastAnswerCut(memory: Memory, heard: string): Memory {
  const index = memory.messages.findLastIndex(
    (message) => message.role === 'assistant' && message.content !== '',
  );
  const said = memory.messages[index];
  if (said?.role !== 'assistant') return memory;
  const cut = heard === '' ? [] : [{ ...said, content: heard }];
  return { ...memory, messages: memory.messages.toSpliced(index, 1, ...cut) };
}
