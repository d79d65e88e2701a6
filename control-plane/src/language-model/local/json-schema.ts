import { z } from 'zod';

/** As much of JSON Schema as the rules look at. */
const node = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
});
type Node = z.infer<typeof node>;

export interface Shape {
  readonly node: Node;
  readonly type: string | undefined;
  readonly nullable: boolean;
}

/** Returns a schema as its first alternative that is not null. Pure. */
export function shapeOf(schema: unknown): Shape {
  const parsed = node.safeParse(schema);
  const given: Node = parsed.success ? parsed.data : {};
  if (given.anyOf) {
    const shapes = given.anyOf.map(shapeOf);
    const best = shapes.find(({ type }) => type !== 'null') ?? shapes[0];
    if (best) return { ...best, nullable: shapes.some(({ type, nullable }) => type === 'null' || nullable) };
  }
  const types = given.type === undefined ? [] : [given.type].flat();
  return {
    node: given,
    type: types.find((type) => type !== 'null') ?? types[0],
    nullable: types.includes('null'),
  };
}

export function propertiesOf(schema: unknown): [string, unknown][] {
  return Object.entries(shapeOf(schema).node.properties ?? {});
}

/** Returns the texts that a schema allows; none where it allows any. */
export function choicesOf(schema: unknown): string[] {
  return (shapeOf(schema).node.enum ?? []).filter((value) => typeof value === 'string');
}
