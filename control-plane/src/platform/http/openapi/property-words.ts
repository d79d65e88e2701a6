import { isSchema, type JsonSchema } from './json-schema.js';
import { DESCRIPTIONS } from './property-descriptions.js';
import { EXAMPLES } from './property-examples.js';

const FORMATS: Readonly<Record<string, { readonly example: string; readonly form: RegExp }>> = {
  uuid: { example: '0198f0c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f', form: /^[0-9a-f-]{36}$/ },
  'date-time': { example: '2026-01-05T15:45:00.000Z', form: /^\d{4}-\d\d-\d\dT/ },
  date: { example: '2026-01-05', form: /^\d{4}-\d\d-\d\d$/ },
  uri: { example: 'https://example.com/voice', form: /^[a-z]+:/ },
  email: { example: 'ada@example.com', form: /@/ },
};
/** For what must match a pattern: a number in E.164, the name of a tool. */
const PATTERNED = ['+15005550006', 'book_appointment'];
const UNITS: readonly [ending: string, example: number][] = [
  ['_ms', 250],
  ['_seconds', 30],
  ['_usd', 0.0874],
  ['_minutes', 12.5],
  ['_tokens', 1200],
  ['_rate', 0.42],
];

/**
 * Looks under `Owner.property`, else under `property` alone; an owner's sent form has the words of its answered one.
 */
function lookUp<T>(table: Readonly<Record<string, T>>, owner: string, property: string): T | undefined {
  const own = `${owner}.${property}`;
  if (Object.hasOwn(table, own)) return table[own];
  return Object.hasOwn(table, property) ? table[property] : undefined;
}

/**
 * Gives every property a description and an example: its schema's own (`.describe()`, `.meta({ examples })`), else
 * those of the tables. What neither has stays bare, and the description's test names it.
 */
export class PropertyWords {
  described(owner: string, property: string, schema: JsonSchema): JsonSchema {
    const description = schema.description ?? lookUp(DESCRIPTIONS, owner, property);
    return description === undefined ? schema : { ...schema, description };
  }

  exemplified(owner: string, property: string, schema: JsonSchema): JsonSchema {
    const examples = schema.examples ?? this.#examples(owner, property, schema);
    return examples === undefined ? schema : { ...schema, examples };
  }

  #examples(owner: string, property: string, schema: JsonSchema): unknown[] | undefined {
    if (needsNoExample(schema)) return undefined;
    const named = lookUp(EXAMPLES, owner, property);
    if (named !== undefined && typeFits(named, schema)) return [named];
    const derived = derive(property, schema);
    return derived === undefined ? undefined : [derived];
  }
}

/** What refers to components is shown by their own examples. */
export function needsNoExample(schema: JsonSchema): boolean {
  if ('$ref' in schema || 'discriminator' in schema) return true;
  const inner = [schema.items, schema.additionalProperties].filter(isSchema);
  if (inner.some((part) => Object.keys(part).length > 0 && needsNoExample(part))) return true;
  const options = schema.anyOf ?? schema.oneOf;
  return Array.isArray(options) && options.some((option) => needsNoExample(option as JsonSchema));
}

function matches(text: string, pattern: unknown): boolean {
  return new RegExp(String(pattern)).test(text);
}

function typesOf(schema: JsonSchema): readonly string[] {
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return options.flatMap((option) => typesOf(option as JsonSchema));
  return [schema.type ?? []].flat() as string[];
}

function typeFits(value: unknown, schema: JsonSchema): boolean {
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return options.some((option) => typeFits(value, option as JsonSchema));
  if (FORMATS[String(schema.format)]?.form.test(String(value)) === false) return false;
  if (typeof schema.pattern === 'string' && !matches(String(value), schema.pattern)) return false;
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if ('const' in schema) return schema.const === value;
  const types = typesOf(schema);
  if (types.length === 0) return true;
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return types.includes(type) || (Number.isInteger(value) && types.includes('integer'));
}

function derive(property: string, schema: JsonSchema): unknown {
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return derive(property, options[0] as JsonSchema);
  const { default: preset } = schema;
  if (preset !== undefined && preset !== null && preset !== '') return preset;
  const types = typesOf(schema);
  if (types.includes('boolean')) return true;
  if (types.includes('number') || types.includes('integer')) return numberOf(property, schema);
  if (types.includes('array') && isSchema(schema.items)) {
    const item = derive(property, schema.items);
    return item === undefined ? undefined : [item];
  }
  if (typeof schema.pattern === 'string') return PATTERNED.find((text) => matches(text, schema.pattern));
  if (typeof schema.format === 'string') return FORMATS[schema.format]?.example;
  return types.length === 1 && types[0] === 'null' ? null : undefined;
}

function numberOf(property: string, schema: JsonSchema): number {
  const least = Number(schema.minimum ?? 0);
  const most = Number(schema.maximum ?? Number.POSITIVE_INFINITY);
  const unit = UNITS.find(([ending]) => property.endsWith(ending))?.[1] ?? Math.max(least, Math.min(3, most));
  const inside = Math.min(most, Math.max(least, unit));
  return typesOf(schema).includes('integer') ? Math.round(inside) : inside;
}
