import type { LlmMessage } from '@voice/shared/language-model/conversation';
import { answer } from '@voice/shared/rule-based-model/answer';
import type { ChatMessage } from '../openai/request.js';
import { sampleOf } from '../openai/sample.js';
import { answerTo, type ScriptRule } from '../openai/script.js';
import type { FunctionTool, ToolChoice } from './session-schema.js';

export interface Thought {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

/** What a response is made from. */
export interface Prompt {
  /** Begins with the instructions. */
  readonly messages: readonly LlmMessage[];
  /** Only of this response; undefined: the session's. */
  readonly responseInstructions: string | undefined;
  readonly tools: readonly FunctionTool[];
  readonly toolChoice: ToolChoice;
}

/** "Say exactly …: TEXT", also with the text in quotes or on lines of its own. */
const VERBATIM = /^\s*say exactly\b[^\n:]*:\s*([\s\S]+?)\s*$/i;

/**
 * Decides what the emulated model says and calls: by the script, or without one by the local stand-in for a model.
 */
export function think(prompt: Prompt, script: readonly ScriptRule[] | undefined): Thought {
  const verbatim = VERBATIM.exec(prompt.responseInstructions ?? '')?.[1];
  if (verbatim !== undefined) return { text: verbatim.replace(/^["“]+|["”]+$/g, '').trim(), calls: [] };
  const tools = prompt.toolChoice === 'none' ? [] : prompt.tools;
  const { text, calls } = script ? scripted(prompt, tools, script) : freely(prompt, tools);
  return { text, calls: forced(calls, tools, prompt.toolChoice) };
}

function freely({ messages }: Prompt, tools: readonly FunctionTool[]): Thought {
  const said = answer(
    messages,
    tools.map(({ name, description = '', parameters = {} }) => ({ name, description, parameters })),
  );
  return {
    text: said.text,
    calls: said.calls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) })),
  };
}

function scripted(
  { messages }: Prompt,
  tools: readonly FunctionTool[],
  script: readonly ScriptRule[],
): Thought {
  const said = answerTo(
    {
      model: 'gpt-realtime',
      messages: messages.map(chatMessage),
      stream: false,
      tools: tools.map(({ name, description }) => ({ type: 'function', function: { name, description } })),
    },
    script,
  );
  return {
    text: said.text,
    calls: said.toolCalls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) })),
  };
}

function chatMessage(message: LlmMessage): ChatMessage {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content,
        ...(message.toolCalls === undefined
          ? {}
          : {
              tool_calls: message.toolCalls.map((call) => ({
                id: call.id,
                type: 'function' as const,
                function: { name: call.name, arguments: call.arguments },
              })),
            }),
      };
    case 'tool':
      return { role: 'tool', content: message.content, tool_call_id: message.toolCallId };
  }
}

/** Answers a choice that demands a tool with a call of it, with the plainest arguments that its schema allows. */
function forced(
  calls: Thought['calls'],
  tools: readonly FunctionTool[],
  choice: ToolChoice,
): Thought['calls'] {
  if (choice === 'auto' || choice === 'none') return calls;
  const wanted = choice === 'required' ? undefined : choice.name;
  if (calls.some((call) => wanted === undefined || call.name === wanted)) return calls;
  const tool = tools.find((candidate) => wanted === undefined || candidate.name === wanted);
  if (!tool) return calls;
  return [{ name: tool.name, arguments: JSON.stringify(sampleOf(tool.parameters ?? { type: 'object' })) }];
}
