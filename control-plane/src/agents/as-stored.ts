import { z } from 'zod';

type Shape = Record<string, z.ZodType>;

/**
 * The schema for reading what was saved: forms and defaults without the rules. Rules are for what comes in;
 * one that is new must not make unreadable what was saved before it.
 */
export function asStored<S extends z.ZodType>(schema: S): S {
  return withoutRules(schema) as S;
}

function withoutRules(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries(schema.shape as Shape).map(([name, member]) => [name, withoutRules(member)]);
    return remade(schema, { shape: Object.fromEntries(shape) });
  }
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable
  ) {
    return remade(schema, { innerType: withoutRules(schema.def.innerType as z.ZodType) });
  }
  if (schema instanceof z.ZodArray) {
    return remade(schema, { element: withoutRules(schema.element as z.ZodType) });
  }
  if (schema instanceof z.ZodUnion) {
    return remade(schema, { options: (schema.options as z.ZodType[]).map(withoutRules) });
  }
  return remade(schema, {});
}

function remade(schema: z.ZodType, members: object): z.ZodType {
  return schema.clone({ ...schema.def, ...members, checks: [] } as never, { parent: true });
}
