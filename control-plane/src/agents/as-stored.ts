import type { z } from 'zod';
import { remadeSchema } from './remade-schema.js';

/**
 * The schema for reading what was saved: forms and defaults without the rules. Rules are for what comes in;
 * one that is new must not make unreadable what was saved before it.
 */
export function asStored<S extends z.ZodType>(schema: S): S {
  return remadeSchema(schema, () => ({ checks: [] }));
}
