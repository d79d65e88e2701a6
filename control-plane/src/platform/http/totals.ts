import { z } from 'zod';
import { queryBoolean } from './query.js';

/** Counting stops here: what a list's total costs does not grow with the list. */
export const TOTAL_CAP = 10_000;

/** Asks for the total of a list. */
export const queryIncludeTotal = queryBoolean({
  default: false,
  description: `Answers \`total\` as well, counted up to ${TOTAL_CAP.toLocaleString('en')}. A page needs none: \`has_more\` says whether to go on.`,
});

/** The total in the answer of a list. */
export const totalFields = {
  total: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('How many entries the filters let through. Only with `include_total=true`.'),
  total_is_capped: z
    .boolean()
    .optional()
    .describe(`Whether there are more than \`total\`: counting stops at ${TOTAL_CAP.toLocaleString('en')}.`),
};

export interface Total {
  readonly total?: number;
  readonly total_is_capped?: boolean;
}

/** Counts where the total is asked for; `count` is given the number at which it may stop. */
export async function totalOf(isWanted: boolean, count: (limit: number) => Promise<number>): Promise<Total> {
  if (!isWanted) return {};
  const found = await count(TOTAL_CAP + 1);
  return { total: Math.min(found, TOTAL_CAP), total_is_capped: found > TOTAL_CAP };
}
