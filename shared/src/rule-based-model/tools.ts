import { z } from 'zod';
import type { LlmMessage, LlmTool } from '../language-model/conversation.js';
import { type Circumstances, fitted, madeUpMembers } from './fitting.js';
import { nameIn, sharedSubjects, subjectsOf } from './understanding.js';

const property = z
  .object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    description: z.string().optional(),
    format: z.string().optional(),
    default: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
  })
  .loose();
const objectSchema = z
  .object({
    properties: z.record(z.string(), property).default({}),
    required: z.array(z.string()).default([]),
  })
  .loose();
type Property = z.infer<typeof property>;

const DAY =
  /\b(?:\d{4}-\d{2}-\d{2}|(?:(?:next|this) )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|today|tomorrow)\b/i;
const TIME =
  /\b(?:\d{1,2}:\d{2}(?:\s?[ap]\.?m\.?)?|\d{1,2}\s?[ap]\.?m\.?|\d{1,2} o'clock|noon|morning|afternoon|evening)/i;
/** Begins where a word begins and has no part without a limit: the time it takes is linear in the text. */
const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/;
const PHONE = /(?<!\d)\+?\d[\d\s-]{5,24}\d/;
const NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** Sorts the tools by what they are for; the port has only names and descriptions. */
export function toolsByPurpose(tools: readonly LlmTool[]) {
  const endCall = tools.find((tool) => /end_?call|hang_?up/i.test(tool.name));
  const transfer = tools.find((tool) => /transfer/i.test(tool.name));
  const others = tools.filter((tool) => tool !== endCall && tool !== transfer && !/dtmf/i.test(tool.name));
  return { endCall, transfer, others };
}

/** Returns the caller's words, and what the agent had asked before each of them. */
function answersIn(messages: readonly LlmMessage[]): { asked: string; said: string }[] {
  let asked = '';
  return messages.flatMap((message) => {
    if (message.role === 'assistant') asked = message.content;
    return message.role === 'user' ? [{ asked, said: message.content }] : [];
  });
}

/** Finds a tool that the caller has asked for and that was not called since; with what is missing to call it. */
export function wantedTool(
  tools: readonly LlmTool[],
  messages: readonly LlmMessage[],
  circumstances?: Circumstances,
): { tool: LlmTool; arguments: Record<string, unknown>; missing: string[] } | undefined {
  const answers = answersIn(messages);
  for (const tool of tools) {
    const calledAt = messages.findLastIndex(
      (message) => message.role === 'assistant' && message.toolCalls?.some((call) => call.name === tool.name),
    );
    const purpose = `${tool.name.replace(/_/g, ' ')} ${tool.description}`;
    const since = answersIn(messages.slice(calledAt + 1));
    if (!since.some(({ said }) => sharedSubjects(said, purpose) >= Math.min(2, subjectsOf(purpose).size)))
      continue;
    return { tool, ...argumentsFor(tool, answers, circumstances) };
  }
  return undefined;
}

/**
 * Returns the arguments as far as the caller's words give them, and the names of the required ones that they do not.
 */
export function argumentsFor(
  tool: LlmTool,
  answers: readonly { asked: string; said: string }[],
  circumstances: Circumstances = { said: [], now: 0, offered: [] },
): { arguments: Record<string, unknown>; missing: string[]; askable: string[] } {
  const schema = objectSchema.safeParse(tool.parameters);
  const properties = schema.success ? schema.data.properties : {};
  const required = schema.success ? schema.data.required : [];
  const found: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries(properties)) {
    // The newest words count.
    for (const answer of answers.toReversed()) {
      const words = valueIn(name, definition, answer);
      const value = words === undefined ? undefined : fitted(words, definition, circumstances);
      if (value === undefined) continue;
      found[name] = value;
      break;
    }
  }
  const missing = required.filter((name) => found[name] === undefined);
  // Not the caller's to know: times to look between, amounts, switches, what has a default.
  const askable = missing.filter((name) => {
    const { type, format, enum: choices, default: usual } = properties[name] ?? {};
    return type === 'string' && format !== 'date-time' && choices === undefined && usual === undefined;
  });
  return { arguments: found, missing, askable };
}

/**
 * Completes the arguments with all that the schema requires: what was found, then what can be made of the conversation.
 */
export function completed(
  tool: LlmTool,
  found: Readonly<Record<string, unknown>>,
  circumstances: Circumstances,
): Record<string, unknown> {
  const schema = objectSchema.safeParse(tool.parameters);
  if (!schema.success) return { ...found };
  const { properties, required } = schema.data;
  const wanted = required.filter((name) => found[name] === undefined);
  return { ...found, ...madeUpMembers(wanted, properties, circumstances) };
}

/** Collects what arguments can be made of: the caller's words, the time, and the times that tools have named. */
export function circumstancesOf(messages: readonly LlmMessage[], now: number): Circumstances {
  const results = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
  const times = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})/g;
  return {
    said: messages.flatMap((message) => (message.role === 'user' ? [message.content] : [])),
    now,
    offered: results.flatMap((text) => text.match(times) ?? []),
  };
}

/** Words the question for a required argument. */
export function questionFor(tool: LlmTool, argument: string): string {
  const schema = objectSchema.safeParse(tool.parameters);
  const description = schema.success ? schema.data.properties[argument]?.description : undefined;
  const subject = (description ?? `your ${argument.replace(/_/g, ' ')}`).replace(/[.?]$/, '');
  return `Could you tell me ${subject.charAt(0).toLowerCase()}${subject.slice(1)}?`;
}

export function answersOf(messages: readonly LlmMessage[]) {
  return answersIn(messages);
}

function valueIn(
  name: string,
  definition: Property,
  { asked, said }: { asked: string; said: string },
): unknown {
  if (definition.enum) {
    return definition.enum.find(
      (value) => typeof value === 'string' && said.toLowerCase().includes(value.toLowerCase()),
    );
  }
  const subject = `${name.replace(/_/g, ' ')} ${definition.description ?? ''}`;
  const type = Array.isArray(definition.type) ? definition.type[0] : (definition.type ?? 'string');
  const wasAsked = sharedSubjects(subject, asked) > 0;
  if (type === 'number' || type === 'integer')
    return wasAsked || /\d/.test(said) ? numberIn(said) : undefined;
  if (type === 'boolean') return wasAsked ? booleanIn(said) : undefined;
  if (type !== 'string') return undefined;
  if (/\be-?mail/i.test(subject)) return EMAIL.exec(said)?.[0];
  if (/\bphone/i.test(subject)) return PHONE.exec(said)?.[0].replace(/[\s-]/g, '');
  if (/\b(?:date|day)\b/i.test(subject)) return DAY.exec(said)?.[0];
  if (/\b(?:time|hour)\b/i.test(subject)) return TIME.exec(said)?.[0];
  if (/\bname\b/i.test(subject)) return nameIn(said) ?? (wasAsked ? bare(said) : undefined);
  return wasAsked ? bare(said) : undefined;
}

function bare(text: string): string | undefined {
  const plain = text.replace(/(?<![.!?])[.!?]+$/, '').trim();
  return plain === '' ? undefined : plain;
}

function numberIn(text: string): number | undefined {
  const digits = /-?\d+(?:\.\d+)?/.exec(text)?.[0];
  if (digits !== undefined) return Number(digits);
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  const value = NUMBER_WORDS.indexOf(words.find((word) => NUMBER_WORDS.includes(word)) ?? '');
  return value < 0 ? undefined : value;
}

function booleanIn(text: string): boolean | undefined {
  if (/^\s*(?:yes|yeah|sure|of course)\b/i.test(text)) return true;
  return /^\s*(?:no|nope)\b/i.test(text) ? false : undefined;
}
