import type { ChatMessage, ChatRequest } from './request.js';
import { sampleOf } from './sample.js';

interface ScriptToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What the emulated model answers; the first rule that applies wins. */
export interface ScriptRule {
  /** Applies when the last message is the user's and matches. */
  readonly whenUserSays?: RegExp;
  /** Applies when the last message is the result of this tool; `*` is any. */
  readonly afterTool?: string;
  /** Applies when the answer must be JSON of a schema of this name; `say` is the JSON. */
  readonly forSchema?: string;
  /**
   * With several, they are taken in turn, by the number of user messages so far. `{{result}}` stands for what the
   * tool of `afterTool` has answered.
   */
  readonly say: string | readonly string[];
  /** Only those that the request offers are called. */
  readonly toolCalls?: readonly ScriptToolCall[];
}

export interface Answer {
  readonly text: string;
  readonly toolCalls: readonly ScriptToolCall[];
}

/** A receptionist who makes an appointment; fits whatever a caller says, and hangs up on a goodbye. */
export const DEFAULT_SCRIPT: readonly ScriptRule[] = [
  {
    whenUserSays: /\b(good ?bye|bye|that is all|that's all|that will be all|have a (nice|good) day)\b/i,
    say: 'Thank you for calling. Have a wonderful day. Goodbye!',
    toolCalls: [{ name: 'end_call', arguments: {} }],
  },
  {
    whenUserSays: /\b(human|real person|operator|representative|someone else)\b/i,
    say: 'Of course, I will put you through to a colleague.',
    toolCalls: [{ name: 'transfer_call', arguments: {} }],
  },
  {
    whenUserSays: /\b(hours|open|close|opening)\b/i,
    say: 'We are open from nine to five, Monday to Friday.',
  },
  {
    whenUserSays: /\b(cost|price|how much|fee)\b/i,
    say: 'A first visit is free of charge. Shall I book one for you?',
  },
  {
    whenUserSays: /\bparking\b/i,
    say: 'Yes, you can park behind the building. Would you prefer the morning or the afternoon?',
  },
  {
    whenUserSays: /\b(where|address|located)\b/i,
    say: 'You will find us at twelve Market Street, next to the library.',
  },
  {
    whenUserSays: /\b(thank you|thanks)\b/i,
    say: 'You are very welcome. Is there anything else that I can do for you?',
  },
  {
    whenUserSays: /./,
    say: [
      'I would be glad to help you with that. Which day would suit you best?',
      'That works for us. Would you prefer the morning or the afternoon?',
      'Very good. May I have your name, please?',
      'Thank you, I have written that down. Is there anything else that I can do for you?',
    ],
  },
  { afterTool: '*', say: 'That is done. Is there anything else that I can do for you?' },
];

/** Returns the script's answer to a request; without a rule that applies, it asks to hear it again. */
export function answerTo(request: ChatRequest, script: readonly ScriptRule[]): Answer {
  const schema = request.response_format?.type === 'json_schema' && request.response_format.json_schema;
  if (schema) {
    const rule = script.find((candidate) => candidate.forSchema === schema.name);
    if (rule) return { text: spoken(rule, request.messages), toolCalls: [] };
    return { text: JSON.stringify(sampleOf(schema.schema ?? { type: 'object' })), toolCalls: [] };
  }
  const rule = script.find((candidate) => applies(candidate, request.messages));
  if (!rule) return { text: 'I am sorry, could you say that again?', toolCalls: [] };
  const offered = new Set(request.tools?.map((tool) => tool.function.name));
  const wanted = request.tool_choice === 'none' ? [] : (rule.toolCalls ?? []);
  return {
    text: spoken(rule, request.messages),
    toolCalls: wanted.filter((call) => offered.has(call.name)),
  };
}

function applies(rule: ScriptRule, messages: readonly ChatMessage[]): boolean {
  if (rule.forSchema !== undefined) return false;
  const last = messages.at(-1);
  if (last?.role === 'tool') {
    return (
      rule.afterTool === '*' || (rule.afterTool !== undefined && rule.afterTool === toolOf(last, messages))
    );
  }
  if (rule.whenUserSays === undefined) return false;
  const user = messages.findLast((message) => message.role === 'user');
  return user !== undefined && rule.whenUserSays.test(user.content);
}

function toolOf(result: { tool_call_id: string }, messages: readonly ChatMessage[]): string | undefined {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []) : [],
  );
  return calls.find((call) => call.id === result.tool_call_id)?.function.name;
}

function spoken({ say }: ScriptRule, messages: readonly ChatMessage[]): string {
  const text = typeof say === 'string' ? say : inTurn(say, messages);
  const last = messages.at(-1);
  return last?.role === 'tool' ? text.replaceAll('{{result}}', () => last.content) : text;
}

function inTurn(says: readonly string[], messages: readonly ChatMessage[]): string {
  const turns = messages.filter((message) => message.role === 'user').length;
  return says[Math.max(0, turns - 1) % says.length]!;
}
