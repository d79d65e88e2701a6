import { z } from 'zod';

type Shape = Record<string, z.ZodType>;

/** Maps objects, lists, choices and what may be missing; records are taken as they are. */
function mapMembers(schema: z.ZodType, map: (member: z.ZodType) => z.ZodType): object {
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries(schema.shape as Shape).map(([name, member]) => [name, map(member)]);
    return { shape: Object.fromEntries(shape) };
  }
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable
  ) {
    return { innerType: map(schema.def.innerType as z.ZodType) };
  }
  if (schema instanceof z.ZodArray) return { element: map(schema.element as z.ZodType) };
  if (schema instanceof z.ZodUnion) return { options: (schema.options as z.ZodType[]).map(map) };
  return {};
}

/** Maps a schema from its innermost parts outwards: `change` gives what differs in the definition of each part. */
export function mapSchema<S extends z.ZodType>(schema: S, change: (part: z.ZodType) => object): S {
  const mapPart = (part: z.ZodType): z.ZodType => {
    const changes = { ...mapMembers(part, mapPart), ...change(part) };
    if (Object.keys(changes).length === 0) return part;
    return part.clone({ ...part.def, ...changes } as never, { parent: true });
  };
  return mapPart(schema) as S;
}
