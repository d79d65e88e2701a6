import { z } from 'zod';

/** What a list that comes whole says of its pages: lists have one form, whether or not there is more. */
export const wholeListFields = {
  has_more: z.literal(false),
  next_cursor: z.string().nullable().describe('Always null: the list comes whole.'),
};

/** The same of an answer. */
export const WHOLE_LIST = { has_more: false, next_cursor: null } as const;
