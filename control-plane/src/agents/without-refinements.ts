import type { z } from 'zod';
import { mapSchema } from './map-schema.js';

/**
 * Makes the schema for reading what was saved: forms and defaults without the rules. Rules are for what comes in;
 * one that is new must not make unreadable what was saved before it.
 */
export function withoutRefinements<S extends z.ZodType>(schema: S): S {
  return mapSchema(schema, () => ({ checks: [] }));
}
