import { anyCharacter } from '@voice/shared/testing/any-character';
import fc from 'fast-check';
import { z } from 'zod';
import type { Route } from '../platform/http/route.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: fc.JsonValue;
  readonly enum?: readonly fc.JsonValue[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema | boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly format?: string;
  readonly pattern?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** Nobody listens there: what a request makes the service fetch stays on this machine. */
const NOWHERE = 'https://127.0.0.1:1/';
const MOST_ITEMS = 3;

const texts = new Map<string, fc.Arbitrary<string>>();

/** Arbitraries of strings cost milliseconds to make, and most fields want the same few. */
function text(schema: Schema): fc.Arbitrary<string> {
  const { format, pattern, minLength, maxLength } = schema;
  const key = JSON.stringify([format, pattern, minLength, maxLength]);
  const made = texts.get(key) ?? textOf(schema);
  texts.set(key, made);
  return made;
}

function textOf(schema: Schema): fc.Arbitrary<string> {
  switch (schema.format) {
    case 'uuid':
      return fc.uuid({ version: 7 });
    case 'date-time':
      return fc
        .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
        .map((at) => at.toISOString());
    case 'uri':
      return fc.constantFrom(NOWHERE, `${NOWHERE}path?query=1`);
    case 'email':
      return fc.constantFrom('ada@example.com');
  }
  const minLength = schema.minLength ?? 0;
  const maxLength = Math.min(schema.maxLength ?? 60, minLength + 60);
  if (schema.pattern !== undefined) {
    return fc
      .stringMatching(new RegExp(schema.pattern))
      .map((value) => value.slice(0, schema.maxLength ?? value.length));
  }
  return fc.oneof(
    fc.string({ minLength, maxLength }),
    fc.string({ unit: anyCharacter, minLength, maxLength }),
    fc.stringMatching(/^[a-z]{1,20}$/).map((word) => word.padEnd(minLength, 'x').slice(0, maxLength)),
  );
}

function number(schema: Schema, integer: boolean): fc.Arbitrary<number> {
  const min = schema.minimum ?? schema.exclusiveMinimum ?? -1_000_000;
  const max = schema.maximum ?? schema.exclusiveMaximum ?? Math.max(min, 0) + 1_000_000;
  return integer
    ? fc.integer({ min: Math.ceil(min), max: Math.floor(max) })
    : fc.double({ min, max, noNaN: true });
}

const fieldName = fc.stringMatching(/^[a-z_]{1,12}$/);

class SchemaArbitraries {
  constructor(private readonly definitions: Readonly<Record<string, Schema>>) {}

  of(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
    if (schema.$ref !== undefined) {
      const definition = this.definitions[schema.$ref.split('/').at(-1)!];
      return definition && depth < 6 ? this.of(definition, depth + 1) : fc.jsonValue({ maxDepth: 1 });
    }
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return fc.oneof(...choices.map((choice) => this.of(choice, depth + 1)));
    if (schema.allOf) {
      return fc
        .tuple(...schema.allOf.map((part) => this.of(part, depth + 1)))
        .map((parts) => Object.assign({}, ...parts) as unknown);
    }
    const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
    if (types.length === 0) return fc.jsonValue({ maxDepth: 2 });
    return fc.oneof(...types.map((type) => this.#typed(type, schema, depth)));
  }

  #typed(type: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
    switch (type) {
      case 'string':
        return text(schema);
      case 'integer':
        return number(schema, true);
      case 'number':
        return number(schema, false);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array': {
        const minLength = schema.minItems ?? 0;
        const maxLength = Math.max(minLength, Math.min(schema.maxItems ?? MOST_ITEMS, MOST_ITEMS));
        const items = typeof schema.items === 'object' ? this.of(schema.items, depth + 1) : fc.jsonValue();
        return fc.array(items, { minLength, maxLength });
      }
      default:
        return this.#object(schema, depth);
    }
  }

  #object(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const fields = Object.entries(schema.properties ?? {}).map(
      ([name, field]) => [name, this.of(field, depth + 1)] as const,
    );
    const known = fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])] });
    if (typeof schema.additionalProperties !== 'object') return known;
    const more = fc.dictionary(fieldName, this.of(schema.additionalProperties, depth + 1), { maxKeys: 2 });
    return fc.tuple(more, known).map(([extra, own]) => ({ ...extra, ...own }));
  }
}

/** Bodies of the form that the route asks for; a few still break a rule that JSON Schema cannot say. */
export function wellFormedBody(route: Route): fc.Arbitrary<unknown> {
  if (!route.body || route.receive) return fc.constant(undefined);
  const schema = z.toJSONSchema(route.body, { io: 'input', unrepresentable: 'any' }) as Schema;
  return new SchemaArbitraries(schema.$defs ?? {}).of(schema);
}

const accepted = new WeakMap<Route, unknown>();

/** Returns a body that the route takes, the same in every run; undefined where it takes none. */
export function acceptedBody(route: Route): unknown {
  if (!accepted.has(route)) accepted.set(route, findAccepted(route));
  return accepted.get(route);
}

function findAccepted(route: Route): unknown {
  if (!route.body || route.receive) return undefined;
  const { body, requiredFields = [] } = route;
  const isWhole = (value: unknown) =>
    requiredFields.every((name) => (value as object)[name as never] !== undefined);
  const takes = (candidate: unknown) =>
    body.safeParse(JSON.parse(JSON.stringify(candidate))).success && isWhole(candidate);
  // Ends at the first one: most routes take one of the first few.
  const { counterexample } = fc.check(
    fc.property(wellFormedBody(route), (candidate) => !takes(candidate)),
    { numRuns: 500, seed: 1, endOnFailure: true },
  );
  if (!counterexample) throw new Error(`no body was found that ${route.operationId} takes`);
  return counterexample[0];
}

/** Returns a body with one thing wrong: a field gone, of another type, or one that nobody knows. */
export function spoiled(body: unknown): fc.Arbitrary<unknown> {
  const odd = fc.constantFrom<unknown>(
    { $gt: '' },
    { $ne: null },
    [{ $where: 'sleep(1)' }],
    null,
    -1,
    1e308,
    '',
    '\u0000',
    'x'.repeat(5000),
    [],
    {},
    true,
  );
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return odd;
  const names = Object.keys(body);
  if (names.length === 0) return odd;
  const name = fc.constantFrom(...names);
  return fc.oneof(
    name.map((gone) => Object.fromEntries(Object.entries(body).filter(([field]) => field !== gone))),
    fc.tuple(name, odd).map(([field, value]) => ({ ...body, [field]: value })),
    odd.map((value) => ({ ...body, $set: value })),
    odd,
  );
}
