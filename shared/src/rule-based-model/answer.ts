import { systemClock } from '../clock/clock.js';
import type { LlmMessage, LlmTool } from '../language-model/conversation.js';
import { outlineOf, type PromptOutline, type Step } from './prompt.js';
import {
  answersOf,
  argumentsFor,
  circumstancesOf,
  completed,
  questionFor,
  toolsByPurpose,
  wantedTool,
} from './tools.js';
import { closest, hasWords, isQuestion, means, nameIn, sentencesOf, wasSaid } from './understanding.js';

export interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}

/** A reason where a tool wants one. */
const ASKED_FOR = 'the caller asked for it';
const GOODBYE = 'Thank you for your time. Goodbye.';

/** Where the conversation stands, read from what was said: the stand-in itself remembers nothing. */
interface Conversation {
  readonly outline: PromptOutline;
  readonly messages: readonly LlmMessage[];
  readonly tools: readonly LlmTool[];
  /** What the caller has said since the agent's last words. */
  readonly heard: string;
  /** What was asked last. */
  readonly pending: string | undefined;
  /** The first step that was not done. */
  readonly step: Step | undefined;
  /** It, when it is said. */
  readonly next: string | undefined;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * Decides what to say and which tools to call, from the prompt, the conversation and the tools. It works through the
 * prompt's steps and answers questions by the prompt's facts.
 */
export function answer(
  messages: readonly LlmMessage[],
  tools: readonly LlmTool[],
  now: number = systemClock.now(),
): Answer {
  const conversation = read(messages, tools, now);
  const note = unreadNote(messages);
  const reply = decide(conversation);
  return note === undefined ? reply : { ...reply, text: joined(note, reply.text) };
}

function read(messages: readonly LlmMessage[], tools: readonly LlmTool[], now: number): Conversation {
  const prompt = messages.find((message) => message.role === 'system');
  const outline = outlineOf(
    prompt?.content ?? '',
    tools.map(({ name }) => name),
  );
  const said = messages.flatMap((message) => (message.role === 'assistant' ? [message.content] : []));
  const called = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []).map(({ name }) => name) : [],
  );
  const isDone = (step: Step) =>
    step.does === 'say' ? said.some((text) => wasSaid(step.text, text)) : called.includes(step.tool);
  // A tool that is not there cannot be called, and its instruction is not said.
  const steps = outline.steps.filter(
    (step) => step.does === 'say' || tools.some(({ name }) => name === step.tool),
  );
  const step = steps.find((one) => !isDone(one));
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
    pending: steps.flatMap((one) => (one.does === 'say' && isDone(one) ? [one.text] : [])).at(-1),
    step,
    next: step?.does === 'say' ? step.text : undefined,
    now,
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
      joined(
        hasWords(heard) ? 'Of course.' : 'I am sorry, I did not understand.',
        repeatQuestion(conversation),
      ),
    );
  }
  if (means('greeting', heard)) return say(joined('Hello!', repeatQuestion(conversation)));
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
  const known = [...new Set(facts)].join(' ');
  const stated = statements.some((statement) => hasWords(statement) && !means('greeting', statement));
  if (!stated) return say(joined(known, repeatQuestion(conversation)));
  const acknowledged = acknowledgement(statements.join(' '), messages);
  if (conversation.step) return takeNextStep(conversation, joined(acknowledged, known));
  if (questions.length > 0) return say(joined(known, 'Is there anything else?'));
  if (outline.steps.length === 0) return answerWithoutSteps(conversation, acknowledged);
  return finish(conversation, joined(acknowledged, 'That is everything I need. Goodbye.'));
}

/** Takes the next step: its words, or the tool that it names with arguments from the conversation. */
function takeNextStep(conversation: Conversation, before: string): Answer {
  const { step, tools, messages, now } = conversation;
  if (!step || step.does === 'say') {
    return say(joined(before, step?.text ?? 'Is there anything else I can do for you?'));
  }
  const { endCall, transfer } = toolsByPurpose(tools);
  if (step.tool === endCall?.name) return finish(conversation, joined(before, GOODBYE));
  if (step.tool === transfer?.name) return handOver(conversation);
  const tool = tools.find(({ name }) => name === step.tool)!;
  const found = argumentsFor(tool, answersOf(messages), circumstancesOf(messages, now));
  // What the caller knows is asked for once; then it must do as it is.
  const question = found.askable
    .map((name) => questionFor(tool, name))
    .find((text) => !wasAsked(text, messages));
  if (question !== undefined) return say(joined(before, question));
  return {
    text: joined(before, 'One moment, please.'),
    calls: [{ name: tool.name, arguments: completed(tool, found.arguments, circumstancesOf(messages, now)) }],
  };
}

function wasAsked(question: string, messages: readonly LlmMessage[]): boolean {
  return messages.some(({ role, content }) => role === 'assistant' && content.includes(question));
}

function reply(question: string, outline: PromptOutline): string {
  if (means('robot', question)) return 'Yes, I am an automated assistant.';
  return closest(question, outline.facts) ?? 'I am sorry, I do not know that.';
}

/** Answers without steps to follow: a fact about what was mentioned, or an offer. */
function answerWithoutSteps({ outline, heard }: Conversation, acknowledged: string): Answer {
  return say(
    joined(closest(heard, outline.facts) ?? acknowledged, 'Is there anything else I can do for you?'),
  );
}

function useTool(conversation: Conversation): Answer | undefined {
  // Tools that steps name have their turn there.
  const inSteps = conversation.outline.steps.flatMap((step) => (step.does === 'call' ? [step.tool] : []));
  const others = toolsByPurpose(conversation.tools).others.filter(({ name }) => !inSteps.includes(name));
  const { messages, now } = conversation;
  const circumstances = circumstancesOf(messages, now);
  const wanted = wantedTool(others, messages, circumstances);
  if (!wanted) return undefined;
  const [missing] = wanted.missing;
  if (missing === undefined) {
    return {
      text: 'One moment, please.',
      calls: [{ name: wanted.tool.name, arguments: completed(wanted.tool, wanted.arguments, circumstances) }],
    };
  }
  // The steps may ask for it; if none is left, ask ourselves.
  return conversation.step === undefined ? say(questionFor(wanted.tool, missing)) : undefined;
}

function afterTool(conversation: Conversation, result: string): Answer {
  const { outcome, failed } = readResult(result);
  const said = failed ? 'I am sorry, that did not work.' : outcome;
  return takeNextStep(conversation, said);
}

function handOver(conversation: Conversation): Answer {
  const { transfer } = toolsByPurpose(conversation.tools);
  if (!transfer)
    return say(joined('I am sorry, nobody else is free at the moment.', repeatQuestion(conversation)));
  const circumstances = circumstancesOf(conversation.messages, conversation.now);
  const found = argumentsFor(transfer, answersOf(conversation.messages), circumstances);
  return {
    text: 'One moment, I will connect you.',
    calls: [
      {
        name: transfer.name,
        arguments: completed(transfer, found.arguments, { ...circumstances, said: [ASKED_FOR] }),
      },
    ],
  };
}

function finish(conversation: Conversation, text: string): Answer {
  const { endCall } = toolsByPurpose(conversation.tools);
  const circumstances = { said: [ASKED_FOR], now: conversation.now, offered: [] };
  const calls = endCall ? [{ name: endCall.name, arguments: completed(endCall, {}, circumstances) }] : [];
  return { text, calls };
}

/** Returns the question that waits for its answer, or the next one. */
function repeatQuestion({ pending, next }: Conversation): string {
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

/** Returns what an operator's note, that the agent has not answered to, asks to say. */
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
  const outcome = ['message', 'text', 'answer', 'summary', 'result']
    .map((name) => fields[name])
    .find((value) => typeof value === 'string');
  if (typeof outcome === 'string') return { outcome, failed };
  const lists = Object.entries(fields).flatMap(([name, value]) => {
    const items = Array.isArray(value) ? value.filter((item) => typeof item !== 'object') : [];
    return items.length === 0 ? [] : [`${name.replace(/_/g, ' ')}: ${items.slice(0, 2).join(' or ')}.`];
  });
  if (lists.length > 0) return { outcome: lists.join(' '), failed };
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
