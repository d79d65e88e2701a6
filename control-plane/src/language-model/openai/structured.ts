import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { z } from 'zod';
import { jsonExcess } from '../../platform/http/json-shape.js';
import { invalidAnswer, languageModelFailure } from '../failures.js';
import type { StructuredAnswer, StructuredRequest } from '../port.js';
import type { ConnectedModel } from './client.js';

/** The first answer and one more, for which the mistakes of the first are listed. */
const ATTEMPTS = 2;
/** Maximum length of the list of mistakes that is sent back, in characters. */
const PROBLEM_LIMIT = 1000;

/** In characters; of models that tenants run themselves, nothing else bounds an answer. */
const LONGEST_ANSWER = 256 * 1024;
const ANSWER_SHAPE = { depth: 64, values: 20_000 };
const FENCE = '```';

type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** Asks a chat-completions model for JSON of the request's schema, and once more when it gave something else. */
export async function answerByOpenAi<T>(
  { client, model, settings }: ConnectedModel,
  request: StructuredRequest<T>,
  signal: AbortSignal,
): Promise<StructuredAnswer<T>> {
  const schema = z.toJSONSchema(request.schema, { io: 'output', unrepresentable: 'any' });
  const { temperature: _t, top_p: _p, ...rest } = settings;
  const messages: ChatCompletionMessageParam[] = [
    { role: 'system', content: request.system },
    { role: 'user', content: request.user },
  ];
  let inputTokens = 0;
  let outputTokens = 0;
  let problem = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const completion = await client.chat.completions
      .create(
        {
          ...rest,
          model,
          messages,
          response_format: {
            type: 'json_schema',
            // Not strict: tenants' schemas use more of JSON Schema than strict mode allows. We check ourselves.
            json_schema: { name: request.purpose, schema: schema as Record<string, unknown>, strict: false },
          },
        },
        { signal },
      )
      .catch((error: unknown) => {
        throw languageModelFailure(error);
      });
    inputTokens += completion.usage?.prompt_tokens ?? 0;
    outputTokens += completion.usage?.completion_tokens ?? 0;
    const content = completion.choices[0]?.message.content ?? '';
    const reading = read(content, request.schema);
    if (reading.ok) return { value: reading.value, model, inputTokens, outputTokens };
    problem = reading.problem;
    messages.push(
      { role: 'assistant', content },
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
