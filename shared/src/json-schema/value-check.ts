import { isDeepStrictEqual } from 'node:util';
import { checkFormat } from './formats.js';
import { isJsonObject, type JsonPath, type JsonProblem, type JsonSchema } from './json-schema.js';
import { type LinearPattern, linearPattern } from './linear-pattern.js';

/** Steps of one check: a schema held against a value is one, longer comparisons are several. About 0.2 s. */
const MOST_STEPS = 200_000;
/** Characters, or compiled instructions times characters, that count as one step. */
const CHARACTERS_A_STEP = 32;
/** Problems that are named of one value. */
const MOST_PROBLEMS = 20;
/** Characters of a schema's own values that a message quotes. */
const MOST_QUOTED = 200;

/** Of each value of a schema the words are made once: a long list may be held against every item of another. */
const quotes = new WeakMap<object, string>();

/** Says what is wrong with a value; nothing when it fits. */
export type ValueCheck = (value: unknown) => readonly JsonProblem[];

class TooManySteps extends Error {}

/**
 * Builds the check that a schema is, for a schema without problems (`schemaProblems`) and with its references written
 * out (`expanded`). The work of a check is bounded whatever the schema and the value are; a value that would take more
 * does not fit.
 */
export function valueCheck(schema: JsonSchema): ValueCheck {
  const patterns = new Map<string, LinearPattern>();
  return (value) => {
    try {
      return new Check(patterns).problems(schema, value, []).slice(0, MOST_PROBLEMS);
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error;
      return [{ path: [], message: 'is too large to be checked against the schema' }];
    }
  };
}

class Check {
  readonly #patterns: Map<string, LinearPattern>;
  #steps = 0;

  constructor(patterns: Map<string, LinearPattern>) {
    this.#patterns = patterns;
  }

  problems(schema: unknown, value: unknown, path: JsonPath): JsonProblem[] {
    this.#spend(1);
    if (schema === false) return [{ path, message: 'is not allowed' }];
    if (!isJsonObject(schema)) return [];
    const found: JsonProblem[] = [];
    const refuse = (message: string) => found.push({ path, message });
    if (schema.type !== undefined && ![schema.type].flat().some((type) => isOfType(value, type))) {
      // Nothing else that is wrong with it says more.
      refuse(`must be ${[schema.type].flat().join(' or ')}`);
      return found;
    }
    this.#checkChoices(schema, value, refuse);
    if (typeof value === 'number') checkNumber(schema, value, refuse);
    else if (typeof value === 'string') this.#checkText(schema, value, refuse);
    else if (Array.isArray(value)) found.push(...this.#ofList(schema, value, path));
    else if (isJsonObject(value)) found.push(...this.#ofObject(schema, value, path));
    found.push(...this.#ofAlternatives(schema, value, path));
    return found;
  }

  #checkChoices(schema: JsonSchema, value: unknown, refuse: (message: string) => void): void {
    const choices = Array.isArray(schema.enum) ? schema.enum : undefined;
    this.#spendOn(choices?.length ?? 0);
    if (choices && !choices.some((choice) => this.#same(choice, value))) {
      refuse(`must be one of ${quoted(choices)}`);
    }
    if (Object.hasOwn(schema, 'const') && !this.#same(schema.const, value)) {
      refuse(`must be ${quoted(schema.const)}`);
    }
  }

  #checkText(schema: JsonSchema, text: string, refuse: (message: string) => void): void {
    const { minLength, maxLength, pattern, format } = schema;
    if (minLength !== undefined || maxLength !== undefined) {
      this.#spendOn(text.length);
      // Characters as people count them: code points.
      const length = [...text].length;
      if (typeof minLength === 'number' && length < minLength) {
        refuse(`must have ${minLength} characters or more`);
      }
      if (typeof maxLength === 'number' && length > maxLength) {
        refuse(`must have ${maxLength} characters or fewer`);
      }
    }
    if (typeof pattern === 'string') {
      const compiled = this.#pattern(pattern);
      this.#spendOn(text.length * compiled.size);
      if (!compiled.matches(text)) refuse(`must match the pattern ${pattern}`);
    }
    if (typeof format === 'string') {
      this.#spendOn(text.length);
      if (!checkFormat(format, text)) refuse(`must be a valid ${format}`);
    }
  }

  #ofList(schema: JsonSchema, list: readonly unknown[], path: JsonPath): JsonProblem[] {
    const found = countProblems(list.length, schema.minItems, schema.maxItems, 'items', path);
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    for (const [i, item] of list.entries()) {
      if (found.length >= MOST_PROBLEMS) return found;
      const member: unknown = i < first.length ? first[i] : schema.items;
      if (member !== undefined) found.push(...this.problems(member, item, [...path, i]));
    }
    if (schema.uniqueItems === true && !this.#areDifferent(list)) {
      found.push({ path, message: 'must not hold an item twice' });
    }
    return found;
  }

  #ofObject(schema: JsonSchema, value: Readonly<Record<string, unknown>>, path: JsonPath): JsonProblem[] {
    const names = Object.keys(value);
    const found = countProblems(names.length, schema.minProperties, schema.maxProperties, 'properties', path);
    const properties = isJsonObject(schema.properties) ? schema.properties : {};
    for (const name of Array.isArray(schema.required) ? schema.required : []) {
      this.#spend(1);
      if (found.length < MOST_PROBLEMS && !Object.hasOwn(value, name))
        found.push({ path: [...path, name], message: 'is missing' });
    }
    for (const name of names) {
      if (found.length >= MOST_PROBLEMS) return found;
      const at = [...path, name];
      if (schema.propertyNames !== undefined) found.push(...this.problems(schema.propertyNames, name, at));
      const own = Object.hasOwn(properties, name);
      const member = own ? properties[name] : schema.additionalProperties;
      if (member !== undefined) found.push(...this.problems(member, value[name], at));
    }
    return found;
  }

  #ofAlternatives(schema: JsonSchema, value: unknown, path: JsonPath): JsonProblem[] {
    const found: JsonProblem[] = [];
    const { allOf, anyOf, oneOf } = schema;
    if (Array.isArray(allOf)) for (const member of allOf) found.push(...this.problems(member, value, path));
    if (Array.isArray(anyOf)) {
      const each = anyOf.map((member) => this.problems(member, value, path));
      if (!each.some((problems) => problems.length === 0)) found.push(...nearest(each));
    }
    if (Array.isArray(oneOf)) {
      const each = oneOf.map((member) => this.problems(member, value, path));
      const fitting = each.filter((problems) => problems.length === 0).length;
      if (fitting === 0) found.push(...nearest(each));
      if (fitting > 1)
        found.push({ path, message: `fits ${fitting} of the schemas of which it may fit one` });
    }
    return found;
  }

  #pattern(source: string): LinearPattern {
    const known = this.#patterns.get(source);
    if (known) return known;
    const compiled = linearPattern(source);
    this.#patterns.set(source, compiled);
    return compiled;
  }

  #same(a: unknown, b: unknown): boolean {
    if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) this.#spendOn(a.length);
    if (typeof a !== 'object' || typeof b !== 'object') return a === b;
    this.#spendOn(JSON.stringify(b).length);
    return isDeepStrictEqual(a, b);
  }

  #areDifferent(list: readonly unknown[]): boolean {
    const seen = new Set<string>();
    for (const item of list) {
      const text = canonical(item);
      this.#spendOn(text.length);
      if (seen.has(text)) return false;
      seen.add(text);
    }
    return true;
  }

  #spendOn(characters: number): void {
    this.#spend(Math.ceil(characters / CHARACTERS_A_STEP));
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MOST_STEPS) throw new TooManySteps();
  }
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      return typeof value === type;
  }
}

function checkNumber(schema: JsonSchema, value: number, refuse: (message: string) => void): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === 'number' && value < minimum) refuse(`must be ${minimum} or more`);
  if (typeof maximum === 'number' && value > maximum) refuse(`must be ${maximum} or less`);
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
    refuse(`must be more than ${exclusiveMinimum}`);
  }
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
    refuse(`must be less than ${exclusiveMaximum}`);
  }
  if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf)) {
    refuse(`must be a multiple of ${multipleOf}`);
  }
}

/** Of cents, too: 0.3 is a multiple of 0.1, though their binary quotient is not a whole number. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.max(1, Math.abs(quotient)) * 4;
}

function countProblems(
  count: number,
  least: unknown,
  most: unknown,
  what: string,
  path: JsonPath,
): JsonProblem[] {
  if (typeof least === 'number' && count < least) {
    return [{ path, message: `must have ${least} ${what} or more` }];
  }
  if (typeof most === 'number' && count > most) {
    return [{ path, message: `must have ${most} ${what} or fewer` }];
  }
  return [];
}

/** Returns a value of a schema as a message shows it. */
function quoted(value: unknown): string {
  if (typeof value !== 'object' || value === null) {
    return JSON.stringify(typeof value === 'string' ? value.slice(0, MOST_QUOTED) : value);
  }
  const known = quotes.get(value);
  if (known !== undefined) return known;
  const quote = JSON.stringify(value).slice(0, MOST_QUOTED);
  quotes.set(value, quote);
  return quote;
}

/** Of alternatives that all do not fit, what is wrong with the one that comes nearest. */
function nearest(each: readonly JsonProblem[][]): JsonProblem[] {
  return [...each].sort((a, b) => a.length - b.length)[0] ?? [];
}

/** Writes the same text for equal values. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isJsonObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
