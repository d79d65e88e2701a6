import { z } from 'zod';

/** Reads an integer in the query; `default` when it is left out. */
export function queryInt(options: { min: number; max?: number; default: number; description?: string }) {
  const number = z
    .number()
    .int()
    .min(options.min)
    .max(options.max ?? Number.MAX_SAFE_INTEGER);
  return z
    .string()
    .regex(/^-?\d{1,15}$/, 'must be an integer')
    .transform(Number)
    .pipe(number)
    .default(options.default)
    .describe(options.description ?? '');
}

/** `true`, `1`, `false` or `0` in the query. */
export function queryBoolean(options: { default: boolean; description?: string }) {
  return z
    .stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], case: 'insensitive' })
    .default(options.default)
    .describe(options.description ?? '');
}

/** What is skipped is read: who goes deeper uses a cursor. */
const DEEPEST_OFFSET = 10_000;

/** A cursor as a list gave it. */
export const queryCursor = z
  .string()
  .min(1)
  .max(1024)
  .optional()
  .describe('The `next_cursor` of the page before. Opaque; wins over `offset`.');

export const queryOffset = queryInt({
  min: 0,
  max: DEEPEST_OFFSET,
  default: 0,
  description:
    'Entries to skip. For older clients: a cursor is stable while entries are added, and reaches any depth at one cost.',
});
