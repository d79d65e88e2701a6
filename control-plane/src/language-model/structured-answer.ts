import { z } from 'zod';
import { jsonExcess } from '../platform/http/json-shape.js';
import { invalidAnswer } from './failures.js';
import type { StructuredAnswer, StructuredRequest } from './port.js';

/** The first answer and one more, for which the mistakes of the first are listed. */
const ATTEMPTS = 2;
/** Maximum length of the list of mistakes that is sent back, in characters. */
const PROBLEM_LIMIT = 1000;

/** In characters; of models that tenants run themselves, nothing else bounds an answer. */
const LONGEST_ANSWER = 256 * 1024;
const ANSWER_SHAPE = { depth: 64, values: 20_000 };
const FENCE = '```';

type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** What was said after the question: answers that did not fit, and what was wrong with them. */
type Correction = { readonly role: 'assistant' | 'user'; readonly content: string };

interface WrittenAnswer {
  readonly content: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Asks a model for JSON of the request's schema, and once more when it gave something else. */
export async function structuredAnswer<T>(
  request: StructuredRequest<T>,
  model: string,
  ask: (
    schema: Readonly<Record<string, unknown>>,
    corrections: readonly Correction[],
  ) => Promise<WrittenAnswer>,
): Promise<StructuredAnswer<T>> {
  const schema = z.toJSONSchema(request.schema, { io: 'output', unrepresentable: 'any' });
  const corrections: Correction[] = [];
  let inputTokens = 0;
  let outputTokens = 0;
  let problem = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = await ask(schema as Record<string, unknown>, corrections);
    inputTokens += answer.inputTokens;
    outputTokens += answer.outputTokens;
    const reading = read(answer.content, request.schema);
    if (reading.ok) return { value: reading.value, model, inputTokens, outputTokens };
    problem = reading.problem;
    corrections.push(
      { role: 'assistant', content: answer.content },
      {
        role: 'user',
        content: `That answer was not valid: ${problem}\nAnswer again, with JSON of the given schema and nothing else.`,
      },
    );
  }
  throw invalidAnswer(problem);
}

/** Holds an answer against its schema. Pure; the time it takes grows with the answer's length and no faster. */
function read<T>(content: string, schema: z.ZodType<T>): Reading<T> {
  if (content.length > LONGEST_ANSWER) {
    return { ok: false, problem: `it is longer than ${LONGEST_ANSWER} characters` };
  }
  const json = withoutFence(content);
  if (jsonExcess(Buffer.from(json), ANSWER_SHAPE)) {
    return { ok: false, problem: 'it is nested too deep or has too many values' };
  }
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { ok: false, problem: 'it is not JSON' };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'answer'}: ${issue.message}`);
  return { ok: false, problem: issues.join('; ').slice(0, PROBLEM_LIMIT) };
}

/** Returns what stands in a code fence, into which servers without JSON mode like to put their JSON. */
function withoutFence(content: string): string {
  const text = content.trim();
  if (!text.startsWith(FENCE) || !text.endsWith(FENCE)) return content;
  const begin = text.indexOf('\n');
  const language = text.slice(FENCE.length, begin).trim();
  const end = text.length - FENCE.length;
  return begin < 0 || begin >= end || (language !== '' && language !== 'json')
    ? content
    : text.slice(begin, end);
}
