import { isJsonObject, type JsonPath, type JsonProblem, type JsonSchema } from './json-schema.js';
import { INSTEAD, KEYWORDS } from './keywords.js';
import { linearPattern, UnsupportedPattern } from './linear-pattern.js';
import { expanded, UnusableReference } from './references.js';

/** In characters of JSON. */
const LONGEST_SCHEMA = 32_768;
/** Problems that are named of one schema. */
const MOST_PROBLEMS = 20;
const DEEPEST = 32;
/** All patterns of a schema together: how many, and the instructions of their programs. */
const MOST_PATTERNS = 20;
const LARGEST_PROGRAMS = 4000;

/**
 * Returns what keeps a schema from being used: keywords that are unknown or not supported, at any depth, values that a
 * keyword cannot have, patterns that RE2 cannot match, references that lead nowhere or in a circle. Empty when the
 * schema can be used. Pure; the work is bounded whatever is given.
 */
export function schemaProblems(schema: JsonSchema): readonly JsonProblem[] {
  if (JSON.stringify(schema).length > LONGEST_SCHEMA) {
    return [{ path: [], message: 'must not be over 32 KiB as JSON' }];
  }
  const walk = new Walk();
  walk.visit(schema, []);
  if (walk.problems.length > 0) return walk.problems;
  try {
    expanded(schema);
    return [];
  } catch (error) {
    if (!(error instanceof UnusableReference)) throw error;
    return [{ path: error.path, message: error.message }];
  }
}

class Walk {
  readonly problems: JsonProblem[] = [];
  #patterns = 0;
  #programs = 0;

  visit(schema: unknown, path: JsonPath): void {
    if (this.problems.length >= MOST_PROBLEMS) return;
    if (!isJsonObject(schema)) {
      this.#refuse(path, 'must be a schema: an object of JSON Schema keywords');
      return;
    }
    if (path.length > DEEPEST) {
      this.#refuse(path, `is nested deeper than ${DEEPEST} levels`);
      return;
    }
    for (const [keyword, value] of Object.entries(schema)) this.#keyword(keyword, value, [...path, keyword]);
  }

  #keyword(keyword: string, value: unknown, path: JsonPath): void {
    const kind = KEYWORDS.get(keyword);
    if (!kind) {
      const instead = INSTEAD.get(keyword);
      this.#refuse(path, `is not a supported keyword${instead === undefined ? '' : `: ${instead}`}`);
      return;
    }
    switch (kind.holds) {
      case 'value': {
        const wrong = kind.check(value);
        if (wrong !== undefined) this.#refuse(path, wrong);
        else if (keyword === 'pattern') this.#pattern(value as string, path);
        return;
      }
      case 'schema or boolean':
        if (keyword === 'items' && Array.isArray(value)) {
          this.#refuse(path, 'must be one schema for all items; a list of schemas is `prefixItems`');
        } else if (typeof value !== 'boolean') this.visit(value, path);
        return;
      case 'schema':
        this.visit(value, path);
        return;
      case 'schemas':
        if (!Array.isArray(value) || value.length === 0) this.#refuse(path, 'must be a list of schemas');
        else for (const [i, member] of value.entries()) this.visit(member, [...path, i]);
        return;
      case 'schemas by name':
        if ((keyword === '$defs' || keyword === 'definitions') && path.length > 1) {
          this.#refuse(path, 'must stand at the top of the schema');
        } else if (!isJsonObject(value)) this.#refuse(path, 'must be a map of schemas by name');
        else for (const [name, member] of Object.entries(value)) this.visit(member, [...path, name]);
        return;
    }
  }

  #pattern(source: string, path: JsonPath): void {
    this.#patterns++;
    if (this.#patterns > MOST_PATTERNS) {
      this.#refuse(path, `is one of more than ${MOST_PATTERNS} patterns`);
      return;
    }
    if (this.#programs > LARGEST_PROGRAMS) return;
    try {
      this.#programs += linearPattern(source).size;
      if (this.#programs > LARGEST_PROGRAMS) {
        this.#refuse(path, 'makes the patterns too large together: use smaller repetition counts');
      }
    } catch (error) {
      if (!(error instanceof UnsupportedPattern)) throw error;
      this.#refuse(path, error.message);
    }
  }

  #refuse(path: JsonPath, message: string): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push({ path, message });
  }
}
