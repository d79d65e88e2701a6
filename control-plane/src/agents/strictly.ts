import { z } from 'zod';

type Shape = Record<string, z.ZodType>;

/**
 * The schema with every object in it closed: a field that it does not name is an error rather than
 * dropped, for a mistyped setting must not pass for one that was made. Maps stay open.
 */
export function strictly<S extends z.ZodType>(schema: S): S {
  return closed(schema) as S;
}

function closed(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries(schema.shape as Shape).map(([name, member]) => [name, closed(member)]);
    return remade(schema, { shape: Object.fromEntries(shape), catchall: z.never() });
  }
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable
  ) {
    return remade(schema, { innerType: closed(schema.def.innerType as z.ZodType) });
  }
  if (schema instanceof z.ZodArray) return remade(schema, { element: closed(schema.element as z.ZodType) });
  if (schema instanceof z.ZodUnion) {
    return remade(schema, { options: (schema.options as z.ZodType[]).map(closed) });
  }
  return schema;
}

/** The same schema, its checks and description included, around other members. */
function remade(schema: z.ZodType, members: object): z.ZodType {
  return schema.clone({ ...schema.def, ...members } as never, { parent: true });
}
