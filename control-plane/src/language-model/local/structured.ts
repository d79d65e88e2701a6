import { z } from 'zod';
import { invalidAnswer } from '../failures.js';
import type { StructuredAnswer, StructuredRequest } from '../port.js';
import { analyseByRules } from './analysis.js';
import { criteriaByRules } from './criteria.js';
import { propertiesOf, shapeOf } from './json-schema.js';

/** A usual estimate for English text. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Returns the keyless stand-in: no model, but rules for the questions it knows (`analysis`, `criteria`). To any other
 * it has nothing to say, and says so by an empty list where the schema allows one.
 */
export function answerByRules<T>(request: StructuredRequest<T>): StructuredAnswer<T> {
  const schema = z.toJSONSchema(request.schema, { io: 'output', unrepresentable: 'any' });
  const answer = ruled(request.purpose, schema, request.user);
  const first = request.schema.safeParse(answer);
  const parsed = first.success ? first : request.schema.safeParse(withoutMisfits(answer, first.error.issues));
  if (!parsed.success) {
    const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
    throw invalidAnswer(`the local rules have no answer for ${fields || request.purpose}`, parsed.error);
  }
  return {
    value: parsed.data,
    inputTokens: Math.ceil((request.system.length + request.user.length) / CHARACTERS_PER_TOKEN),
    outputTokens: Math.ceil(JSON.stringify(answer).length / CHARACTERS_PER_TOKEN),
  };
}

/** What the rules found for a field and its own schema does not take counts as not found. */
function withoutMisfits(answer: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const { extracted_data: found, ...rest } = answer as { extracted_data?: Record<string, unknown> };
  if (found === undefined) return answer;
  const misfits = issues.flatMap(({ path }) => (path[0] === 'extracted_data' ? [String(path[1])] : []));
  return {
    ...rest,
    extracted_data: { ...found, ...Object.fromEntries(misfits.map((name) => [name, null])) },
  };
}

function ruled(purpose: string, schema: unknown, user: string): unknown {
  switch (purpose) {
    case 'analysis':
      return analyseByRules(schema, user);
    case 'criteria':
      return criteriaByRules(schema, user);
    default:
      if (shapeOf(schema).type === 'array') return [];
      return Object.fromEntries(
        propertiesOf(schema).flatMap(([name, of]) => (shapeOf(of).type === 'array' ? [[name, []]] : [])),
      );
  }
}
