import type { LlmMessage, LlmTool } from './conversation.js';
import { outlineOf, type PromptOutline } from './prompt.js';
import { answersOf, argumentsFor, questionFor, toolsByPurpose, wantedTool } from './tools.js';
import { closest, hasWords, isQuestion, means, nameIn, sentencesOf, wasSaid } from './understanding.js';

export interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}

const GOODBYE = 'Thank you for your time. Goodbye.';

/** Where the conversation stands, read from what was said: the stand-in itself remembers nothing. */
interface Conversation {
  readonly outline: PromptOutline;
  readonly messages: readonly LlmMessage[];
  readonly tools: readonly LlmTool[];
  /** What the caller has said since the agent's last words. */
  readonly heard: string;
  /** The step that was asked last, and the first that was not. */
  readonly pending: string | undefined;
  readonly next: string | undefined;
}

/**
 * The stand-in's whole mind: what to say and which tools to call, from the prompt, the conversation and the
 * tools. A pure function. It works through the prompt's steps and answers questions by the prompt's facts.
 */
export function answer(messages: readonly LlmMessage[], tools: readonly LlmTool[]): Answer {
  const conversation = read(messages, tools);
  const note = unreadNote(messages);
  const reply = decide(conversation);
  return note === undefined ? reply : { ...reply, text: joined(note, reply.text) };
}

function read(messages: readonly LlmMessage[], tools: readonly LlmTool[]): Conversation {
  const prompt = messages.find((message) => message.role === 'system');
  const outline = outlineOf(prompt?.content ?? '');
  const said = messages.flatMap((message) => (message.role === 'assistant' ? [message.content] : []));
  const asked = outline.steps.map((step) => said.some((text) => wasSaid(step, text)));
  const lastWords = messages.findLastIndex(
    (message) => message.role === 'assistant' && message.content !== '',
  );
  const heard = messages
    .slice(lastWords + 1)
    .flatMap((message) => {
      if (message.role === 'user') return [message.content];
      // Keys are an answer like any other.
      const keys =
        message.role === 'system' ? /pressed these keys: (\S+)/.exec(message.content)?.[1] : undefined;
      return keys === undefined ? [] : [`${keys}.`];
    })
    .join(' ');
  return {
    outline,
    messages,
    tools,
    heard,
    pending: outline.steps[asked.lastIndexOf(true)],
    next: outline.steps[asked.indexOf(false)],
  };
}

function decide(conversation: Conversation): Answer {
  const { heard, messages } = conversation;
  const last = messages.at(-1);
  if (last?.role === 'tool') return afterTool(conversation, last.content);
  if (!messages.some((message) => message.role === 'assistant' && message.content !== '') && heard === '') {
    return say(joined('Hello!', conversation.next ?? 'How can I help you?'));
  }
  if (!hasWords(heard) || means('repeat', heard)) {
    return say(
      joined(hasWords(heard) ? 'Of course.' : 'I am sorry, I did not understand.', again(conversation)),
    );
  }
  if (means('greeting', heard)) return say(joined('Hello!', again(conversation)));
  if (means('human', heard)) return handOver(conversation);
  const statements = sentencesOf(heard).filter((part) => !isQuestion(part));
  const questions = sentencesOf(heard).filter(isQuestion);
  if (means('refusal', heard))
    return finish(conversation, 'I understand. I am sorry for the disturbance. Goodbye.');
  if (means('goodbye', heard) && questions.length === 0) return finish(conversation, GOODBYE);
  return useTool(conversation) ?? converse(conversation, statements, questions);
}

/** Acknowledges what was stated, answers what was asked, and goes on with the steps. */
function converse(
  conversation: Conversation,
  statements: readonly string[],
  questions: readonly string[],
): Answer {
  const { outline, messages } = conversation;
  const facts = questions.map((question) => reply(question, outline));
  const told = [...new Set(facts)].join(' ');
  const stated = statements.some((statement) => hasWords(statement) && !means('greeting', statement));
  if (!stated) return say(joined(told, again(conversation)));
  const acknowledged = acknowledgement(statements.join(' '), messages);
  if (conversation.next !== undefined) return say(joined(acknowledged, told, conversation.next));
  if (questions.length > 0) return say(joined(told, 'Is there anything else?'));
  if (outline.steps.length === 0) return freely(conversation, acknowledged);
  return finish(conversation, joined(acknowledged, 'That is everything I need. Goodbye.'));
}

function reply(question: string, outline: PromptOutline): string {
  if (means('robot', question)) return 'Yes, I am an automated assistant.';
  return closest(question, outline.facts) ?? 'I am sorry, I do not know that.';
}

/** Without steps to follow: a fact about what was mentioned, or an offer. */
function freely({ outline, heard }: Conversation, acknowledged: string): Answer {
  return say(
    joined(closest(heard, outline.facts) ?? acknowledged, 'Is there anything else I can do for you?'),
  );
}

function useTool(conversation: Conversation): Answer | undefined {
  const { others } = toolsByPurpose(conversation.tools);
  const wanted = wantedTool(others, conversation.messages);
  if (!wanted) return undefined;
  const [missing] = wanted.missing;
  if (missing === undefined) {
    return { text: 'One moment, please.', calls: [{ name: wanted.tool.name, arguments: wanted.arguments }] };
  }
  // The steps may ask for it; if none is left, ask ourselves.
  return conversation.next === undefined ? say(questionFor(wanted.tool, missing)) : undefined;
}

function afterTool(conversation: Conversation, result: string): Answer {
  const { outcome, failed } = readResult(result);
  const said = failed ? 'I am sorry, that did not work.' : outcome;
  return say(joined(said, conversation.next ?? 'Is there anything else I can do for you?'));
}

function handOver(conversation: Conversation): Answer {
  const { transfer } = toolsByPurpose(conversation.tools);
  if (!transfer) return say(joined('I am sorry, nobody else is free at the moment.', again(conversation)));
  const found = argumentsFor(transfer, answersOf(conversation.messages));
  return {
    text: 'One moment, I will connect you.',
    calls: [{ name: transfer.name, arguments: withDefaults(transfer, found.arguments) }],
  };
}

function finish(conversation: Conversation, text: string): Answer {
  const { endCall } = toolsByPurpose(conversation.tools);
  return { text, calls: endCall ? [{ name: endCall.name, arguments: withDefaults(endCall, {}) }] : [] };
}

/** Required arguments that the caller's words cannot give: the first choice, or that the caller asked for it. */
function withDefaults(tool: LlmTool, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const properties = (tool.parameters.properties ?? {}) as Record<
    string,
    { enum?: unknown[]; type?: string }
  >;
  const required = Array.isArray(tool.parameters.required) ? (tool.parameters.required as string[]) : [];
  const filled: Record<string, unknown> = { ...given };
  for (const name of required) {
    const definition = properties[name];
    filled[name] ??=
      definition?.enum?.[0] ?? (definition?.type === 'string' ? 'the caller asked for it' : undefined);
  }
  return filled;
}

/** The question that waits for its answer, or the next one. */
function again({ pending, next }: Conversation): string {
  return pending ?? next ?? 'How can I help you?';
}

function acknowledgement(stated: string, messages: readonly LlmMessage[]): string {
  const name = nameIn(stated)?.split(' ')[0];
  if (name) return `Thank you, ${name}.`;
  if (means('no', stated)) return 'I see.';
  if (means('yes', stated)) return 'Great.';
  const turns = messages.filter((message) => message.role === 'user').length;
  return ['Thank you.', 'All right.', 'Good.'][turns % 3]!;
}

/** An operator's note that the agent has not answered to: what it asks to say is said first. */
function unreadNote(messages: readonly LlmMessage[]): string | undefined {
  const lastWords = messages.findLastIndex((message) => message.role === 'assistant');
  const notes = messages.filter(
    (message, index) => message.role === 'system' && index > Math.max(0, lastWords),
  );
  const spoken = notes.flatMap(({ content }) => {
    const match = /\b(?:say|tell (?:them|him|her|the caller|the customer))(?: that)?:? (.+)$/is.exec(content);
    return match ? [match[1]!.trim()] : [];
  });
  const text = spoken.join(' ');
  if (text === '') return undefined;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function readResult(content: string): { outcome: string; failed: boolean } {
  let result: unknown = content;
  try {
    result = JSON.parse(content);
  } catch {
    // Plain text is a result, too.
  }
  if (typeof result === 'string')
    return { outcome: result, failed: /\b(?:error|failed|timed out)\b/i.test(result) };
  if (typeof result !== 'object' || result === null) return { outcome: 'That is done.', failed: false };
  const fields = result as Record<string, unknown>;
  const failed = fields.error !== undefined || fields.ok === false || fields.success === false;
  const told = ['message', 'text', 'answer', 'summary', 'result']
    .map((name) => fields[name])
    .find((value) => typeof value === 'string');
  if (typeof told === 'string') return { outcome: told, failed };
  const plain = Object.entries(fields).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  );
  if (plain.length === 0) return { outcome: 'That is done.', failed };
  const list = plain.slice(0, 4).map(([name, value]) => `${name.replace(/_/g, ' ')}: ${String(value)}`);
  return { outcome: `${list.join(', ')}.`, failed };
}

function say(text: string): Answer {
  return { text, calls: [] };
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
