import { z } from 'zod';

type Shape = Record<string, z.ZodType>;

/** Objects, lists, choices and what may be missing; maps are taken as they are. */
function membersOf(schema: z.ZodType, remake: (member: z.ZodType) => z.ZodType): object {
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries(schema.shape as Shape).map(([name, member]) => [name, remake(member)]);
    return { shape: Object.fromEntries(shape) };
  }
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable
  ) {
    return { innerType: remake(schema.def.innerType as z.ZodType) };
  }
  if (schema instanceof z.ZodArray) return { element: remake(schema.element as z.ZodType) };
  if (schema instanceof z.ZodUnion) return { options: (schema.options as z.ZodType[]).map(remake) };
  return {};
}

/** The schema made anew from its innermost parts outwards; `change` says what is other than it was in each. */
export function remadeSchema<S extends z.ZodType>(schema: S, change: (part: z.ZodType) => object): S {
  const remake = (part: z.ZodType): z.ZodType => {
    const changes = { ...membersOf(part, remake), ...change(part) };
    if (Object.keys(changes).length === 0) return part;
    return part.clone({ ...part.def, ...changes } as never, { parent: true });
  };
  return remake(schema) as S;
}
