/** As much of JSON Schema as a sample needs. */
interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly minimum?: number;
  readonly minItems?: number;
  readonly minLength?: number;
}

/**
 * Returns the plainest value that a schema allows: what the emulated model answers when its script says nothing.
 * Pure.
 */
export function sampleOf(schema: SchemaNode): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return schema.anyOf[0] ? sampleOf(schema.anyOf[0]) : null;
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [name, sampleOf(property)]),
      );
    case 'array':
      return Array.from({ length: schema.minItems ?? 1 }, () => sampleOf(schema.items ?? { type: 'string' }));
    case 'number':
    case 'integer':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'sample'.padEnd(schema.minLength ?? 0, '.');
  }
}
