import { z } from 'zod';
import { dateTimeIn, dayIn, isoDate } from './dates.js';

const shape = z
  .object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    default: z.unknown().optional(),
    format: z.string().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    items: z.unknown().optional(),
    minItems: z.number().optional(),
    properties: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
    anyOf: z.array(z.unknown()).optional(),
    oneOf: z.array(z.unknown()).optional(),
  })
  .loose();
type Shape = z.infer<typeof shape>;

/** What arguments can be made of when the caller's words do not hold them. */
export interface Circumstances {
  /** The caller's words, newest last. */
  readonly said: readonly string[];
  /** Epoch ms. */
  readonly now: number;
  /** Times that tools have named, ISO 8601. */
  readonly offered: readonly string[];
}

/** Names of arguments that bound a span of time at its beginning and at its end. */
const BEGINNING = /^(?:from|start|begin|earliest|after|since)|_(?:from|start|min)$|Min$/i;
const ENDING = /^(?:to|end|until|till|latest|before)(?:$|_)|_(?:to|end|max)$|Max$/i;
const OPENING_HOUR = 9;
const CLOSING_HOUR = 17;

/** Fits a value to its schema; undefined when it cannot be made to fit. */
export function fitted(value: unknown, definition: unknown, circumstances: Circumstances): unknown {
  const schema = readShape(definition);
  if (schema.enum) {
    const same = (one: unknown) => String(one).toLowerCase() === String(value).toLowerCase();
    return schema.enum.find(same);
  }
  switch (typeOf(schema)) {
    case 'integer':
    case 'number':
      return typeof value === 'number' ? within(value, schema) : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'array':
      return Array.isArray(value) ? value : [fitted(value, schema.items ?? {}, circumstances)];
    case 'string':
      return typeof value === 'string' ? fittedText(value, schema, circumstances.now) : undefined;
    default:
      return value;
  }
}

/** Values that are made up for one call of a tool, and characters of a text: schemas may want any number. */
const MOST_VALUES = 200;
const LONGEST_TEXT = 1000;

/** Values for required arguments that nobody has named: the schema's own, or sensible by type and name. */
export function madeUpMembers(
  names: readonly string[],
  properties: Readonly<Record<string, unknown>>,
  circumstances: Circumstances,
): Record<string, unknown> {
  return new Inventor(circumstances).members(names, properties);
}

/** Makes up values until there are `MOST_VALUES`; lists are then shorter, and members missing. */
class Inventor {
  readonly #circumstances: Circumstances;
  #left = MOST_VALUES;

  constructor(circumstances: Circumstances) {
    this.#circumstances = circumstances;
  }

  members(names: readonly string[], properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    for (const name of new Set(names)) {
      if (this.#left <= 0) break;
      members[name] = this.#value(name, properties[name]);
    }
    return members;
  }

  #value(name: string, definition: unknown): unknown {
    this.#left--;
    const schema = readShape(definition);
    if (schema.default !== undefined) return schema.default;
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[0];
    switch (typeOf(schema)) {
      case 'integer':
      case 'number':
        return within(schema.minimum ?? 1, schema);
      case 'boolean':
        return false;
      case 'array':
        return this.#items(name, schema);
      case 'object':
        return this.members(schema.required ?? [], schema.properties ?? {});
      case 'null':
        return null;
      default:
        return madeUpText(name, schema, this.#circumstances);
    }
  }

  #items(name: string, { minItems = 0, items }: Shape): unknown[] {
    const list: unknown[] = [];
    while (list.length < minItems && this.#left > 0) list.push(this.#value(name, items));
    return list;
  }
}

function madeUpText(name: string, schema: Shape, { said, now, offered }: Circumstances): string {
  const words = said.join(' ');
  const day = dayIn(words, now) ?? dayIn('tomorrow', now)!;
  if (schema.format === 'date') return isoDate(day);
  if (schema.format === 'date-time') {
    if (BEGINNING.test(name) && offered.length === 0) return atHour(day, OPENING_HOUR);
    if (ENDING.test(name) && offered.length === 0) return atHour(day, CLOSING_HOUR);
    return offered[0] ?? dateTimeIn(words, now) ?? atHour(day, OPENING_HOUR);
  }
  if (schema.format === 'time') return '09:00:00Z';
  if (schema.format === 'email') return 'unknown@example.com';
  if (schema.format === 'uri') return 'https://example.com/';
  return (
    fittedText(said.at(-1) ?? '', schema, now) ??
    'not known'.padEnd(Math.min(schema.minLength ?? 0, LONGEST_TEXT), '.')
  );
}

function fittedText(text: string, schema: Shape, now: number): string | undefined {
  if (schema.format === 'date') {
    const day = dayIn(text, now);
    return day === undefined ? undefined : isoDate(day);
  }
  if (schema.format === 'date-time') return dateTimeIn(text, now);
  if (schema.format === 'email') return /^[\w.+-]+@[\w-]+\.[\w.-]+$/.test(text) ? text : undefined;
  const cut = text.slice(0, schema.maxLength);
  return cut.length < (schema.minLength ?? 0) || (cut === '' && schema.minLength === undefined)
    ? undefined
    : cut;
}

function within(value: number, { type, minimum, maximum }: Shape): number {
  const whole = (Array.isArray(type) ? type : [type]).includes('integer') ? Math.round(value) : value;
  return Math.min(maximum ?? whole, Math.max(minimum ?? whole, whole));
}

function readShape(definition: unknown): Shape {
  const parsed = shape.safeParse(definition);
  if (!parsed.success) return {};
  const choices = parsed.data.anyOf ?? parsed.data.oneOf;
  if (!choices || parsed.data.type !== undefined) return parsed.data;
  const fitting = choices.map(readShape).find((choice) => choice.type !== 'null');
  return { ...fitting, ...parsed.data };
}

function typeOf({ type, properties }: Shape): string {
  if (Array.isArray(type)) return type.find((one) => one !== 'null') ?? 'null';
  return type ?? (properties ? 'object' : 'string');
}

function atHour(day: number, hour: number): string {
  return new Date(day + hour * 3_600_000).toISOString();
}
