import { ServiceError } from '@voice/shared/errors/service-error';
import type { z } from 'zod';

export type InputPlace = 'path' | 'query' | 'body' | 'header';

/** One entry of an HTTPValidationError's `detail`. */
export interface ValidationDetail {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** A 422 in the form of HTTPValidationError: `detail` is a list. */
export class ValidationError extends ServiceError {
  readonly detail: readonly ValidationDetail[];

  constructor(detail: readonly ValidationDetail[]) {
    super({
      code: 'validation_error',
      status: 422,
      message: 'The request does not have the documented form.',
    });
    this.name = 'ValidationError';
    this.detail = detail;
  }
}

type Issue = z.core.$ZodIssue;

/** Returns what stands at a path; of a text that is read as a list, the text. */
function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'object') return value;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

/** Of a union that matched nothing, the issues of the member that came nearest say most. */
function nearest(members: readonly (readonly Issue[])[]): readonly Issue[] {
  return [...members].sort((a, b) => a.length - b.length)[0] ?? [];
}

/** Mistakes that are listed for one request; a body of 1 MiB has room for many more. */
const MOST_DETAILS = 1000;

/** What is found where a field is left out: the wrong type, or none of the values or members there are. */
const MISSING_CODES: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

/** A map says of a name only that it takes it not; the name's own schema says why. */
function messageOf(issue: Issue): string {
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
}

function locOf(place: InputPlace, path: readonly PropertyKey[]): (string | number)[] {
  return [place, ...path.map((step) => (typeof step === 'number' ? step : String(step)))];
}

function details(
  place: InputPlace,
  input: unknown,
  issues: readonly Issue[],
  prefix: readonly PropertyKey[],
) {
  const found: ValidationDetail[] = [];
  for (const issue of issues) {
    const path = [...prefix, ...issue.path];
    if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      found.push(...details(place, input, nearest(issue.errors), path));
      continue;
    }
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        found.push({ loc: locOf(place, [...path, key]), msg: 'Unknown field', type: issue.code });
      }
      continue;
    }
    const missing = MISSING_CODES.has(issue.code) && valueAt(input, path) === undefined;
    found.push({
      loc: locOf(place, path),
      msg: missing ? 'Field required' : messageOf(issue),
      type: missing ? 'missing' : issue.code === 'custom' ? 'value_error' : issue.code,
    });
  }
  return found;
}

/** Returns what is wrong with `input`, in the words of HTTPValidationError. */
export function validationDetails(place: InputPlace, input: unknown, error: z.ZodError): ValidationDetail[] {
  return details(place, input, error.issues, []).slice(0, MOST_DETAILS);
}

/** Parses what did not come through a declared route (a merged resource, say); throws `ValidationError`. */
export function parseOrRefuse<S extends z.ZodType>(
  schema: S,
  place: InputPlace,
  input: unknown,
): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new ValidationError(validationDetails(place, input, parsed.error));
}
