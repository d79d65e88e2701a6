import type { JsonPath, JsonSchema } from './json-schema.js';
import { KEYWORDS } from './keywords.js';

/** A reference that leads nowhere, elsewhere or in a circle, or references that make a schema too large. */
export class UnusableReference extends Error {
  readonly path: JsonPath;

  constructor(path: JsonPath, message: string) {
    super(message);
    this.path = path;
  }
}

/** Schemas within one schema, references written out: what bounds the work of walking it. */
const MOST_SCHEMAS = 2000;
/** In steps of a path; walks are recursive. */
const DEEPEST = 64;

/** Keywords that say nothing about which values fit. */
const NOTES: ReadonlySet<string> = new Set([
  'title',
  'description',
  '$comment',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

const REFERENCE = /^#\/(\$defs|definitions)\/(.+)$/s;

/**
 * Returns the schema with the definitions written out in place of the references to them, so that it is a tree of
 * bounded size that stands for itself wherever it is put. Pure. For schemas whose keywords are all supported. Throws
 * `UnusableReference`.
 */
export function expanded(root: JsonSchema): JsonSchema {
  let schemas = 0;

  const expand = (schema: JsonSchema, path: JsonPath, within: readonly string[]): JsonSchema => {
    if (++schemas > MOST_SCHEMAS) {
      throw new UnusableReference(
        [],
        `comes to more than ${MOST_SCHEMAS} schemas with references written out`,
      );
    }
    if (path.length > DEEPEST) {
      throw new UnusableReference([], `is nested deeper than ${DEEPEST} levels with references written out`);
    }
    const { $ref, $defs: _defs, definitions: _definitions, $schema: _schema, ...own } = schema;
    const members = Object.entries(own).map(([keyword, value]): [string, unknown] => [
      keyword,
      expandMember(keyword, value, [...path, keyword], within),
    ]);
    const rest = Object.fromEntries(members);
    if (typeof $ref !== 'string') return rest;
    const at = [...path, '$ref'];
    if (within.includes($ref)) {
      throw new UnusableReference(at, 'leads back to itself: schemas of unlimited depth are not supported');
    }
    const target = expand(definition($ref, at), at, [...within, $ref]);
    // What stands beside a reference holds as well as what it refers to.
    return Object.keys(rest).every((keyword) => NOTES.has(keyword))
      ? { ...target, ...rest }
      : { ...rest, allOf: [...((rest.allOf ?? []) as unknown[]), target] };
  };

  const expandMember = (
    keyword: string,
    value: unknown,
    path: JsonPath,
    within: readonly string[],
  ): unknown => {
    const kind = KEYWORDS.get(keyword);
    switch (kind?.holds) {
      case 'schema':
      case 'schema or boolean':
        return typeof value === 'boolean' ? value : expand(value as JsonSchema, path, within);
      case 'schemas':
        return (value as JsonSchema[]).map((member, i) => expand(member, [...path, i], within));
      case 'schemas by name':
        return Object.fromEntries(
          Object.entries(value as Record<string, JsonSchema>).map(([name, member]) => [
            name,
            expand(member, [...path, name], within),
          ]),
        );
      default:
        return value;
    }
  };

  const definition = (reference: string, at: JsonPath): JsonSchema => {
    const [, place, escaped] = REFERENCE.exec(reference) ?? [];
    if (place === undefined || escaped === undefined) {
      throw new UnusableReference(at, 'must refer to a definition at the top: "#/$defs/<name>"');
    }
    const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    const definitions = root[place] as Readonly<Record<string, JsonSchema>> | undefined;
    const target = definitions && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (!target) throw new UnusableReference(at, 'refers to a definition that is not there');
    return target;
  };

  return expand(root, [], []);
}
