/** A JSON Schema (2020-12), as OpenAPI 3.1 holds them. */
export type JsonSchema = Record<string, unknown>;

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isNull(schema: JsonSchema): boolean {
  return schema.type === 'null';
}

/** Returns the alternatives of a union, null left out; undefined where the schema is no union. */
export function optionsOf(schema: JsonSchema): readonly JsonSchema[] | undefined {
  const options = schema.oneOf ?? schema.anyOf;
  return Array.isArray(options) ? options.filter((option) => isSchema(option) && !isNull(option)) : undefined;
}

/** Formats that say all that their pattern says: a generated client needs no second, longer rule. */
const SELF_EXPLAINING = new Set(['date-time', 'date', 'time', 'uuid', 'email', 'uri']);

/** Takes away the pattern of a format that is known to every reader of JSON Schema. */
export function dropPatternsOfFormats(schema: { format?: unknown; pattern?: unknown }): void {
  if (SELF_EXPLAINING.has(String(schema.format))) delete schema.pattern;
}

/** `anyOf: [X, null]` of a plain X as `type: [X, null]`, which generators read as one nullable value. */
export function withPlainNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...beside } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [some] = optionsOf(schema) ?? [];
  if (!some || !anyOf.some(isNull)) return schema;
  if (typeof some.type !== 'string' || 'enum' in some || 'const' in some || 'title' in some) return schema;
  if ('properties' in some) return schema;
  return { ...some, ...beside, type: [some.type, 'null'] };
}

const WORD = /[^A-Za-z0-9]+/;

/** `voice_config` as `VoiceConfig`. */
export function pascal(name: string): string {
  return name
    .split(WORD)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Returns what one entry of a list of that name is called. */
export function singular(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`;
  if (/(ss|us|is)$/.test(name) || !name.endsWith('s')) return `${name}Item`;
  return name.slice(0, -1);
}
