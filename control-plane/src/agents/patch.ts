import { z } from 'zod';

/**
 * What may be sent to change a `T`: any of its fields, and of its settings objects' fields. What may be
 * absent or null is one value and given whole.
 */
export type Patch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? string extends keyof T
      ? T
      : { [K in keyof T]?: undefined extends T[K] ? T[K] : null extends T[K] ? T[K] : Patch<T[K]> }
    : T;

function withoutDefault(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
    ? withoutDefault(schema.unwrap() as z.ZodType)
    : schema;
}

/**
 * Returns the schema of a partial change: every field of the object, and of the objects in it, may be left out, and
 * what is left out gets no default. Lists and maps are given whole.
 */
export function patchSchema<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
): z.ZodType<Patch<z.output<z.ZodObject<Shape>>>, unknown> {
  return patchOf(schema) as unknown as z.ZodType<Patch<z.output<z.ZodObject<Shape>>>, unknown>;
}

function patchOf(schema: z.ZodType): z.ZodType {
  const bare = withoutDefault(schema);
  if (!(bare instanceof z.ZodObject)) return bare;
  const shape = Object.entries(bare.shape as Record<string, z.ZodType>).map(([name, member]) => {
    const patched = patchOf(member).optional();
    return [name, member.description === undefined ? patched : patched.describe(member.description)] as const;
  });
  return z.object(Object.fromEntries(shape));
}

type Fields = Record<string, unknown>;

/** `current` with the fields of `change` in it; settings objects are merged, lists and maps replaced. */
export function applyPatch(schema: z.ZodType, current: unknown, change: unknown): unknown {
  const bare = withoutDefault(schema);
  if (change === undefined) return current;
  if (!(bare instanceof z.ZodObject)) return change;
  const merged: Fields = { ...(current as Fields) };
  for (const [name, member] of Object.entries(bare.shape as Record<string, z.ZodType>)) {
    const value = (change as Fields)[name];
    if (value !== undefined) merged[name] = applyPatch(member, merged[name], value);
  }
  return merged;
}
