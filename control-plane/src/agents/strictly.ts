import { z } from 'zod';
import { remadeSchema } from './remade-schema.js';

/**
 * The schema with every object in it closed: a field that it does not name is an error rather than
 * dropped, for a mistyped setting must not pass for one that was made. Maps stay open.
 */
export function strictly<S extends z.ZodType>(schema: S): S {
  return remadeSchema(schema, (part) => (part instanceof z.ZodObject ? { catchall: z.never() } : {}));
}
