import { z } from 'zod';
import { mapSchema } from './map-schema.js';

/**
 * Makes every object in the schema strict: a field that it does not name is an error rather than dropped, for a
 * mistyped setting must not pass for one that was made. Maps stay open.
 */
export function strictSchema<S extends z.ZodType>(schema: S): S {
  return mapSchema(schema, (part) => (part instanceof z.ZodObject ? { catchall: z.never() } : {}));
}
