import { type Description, type Schema, schemaOf } from './description.js';

/** Objects within objects are shown to this depth. */
const DEEPEST = 6;

/** Returns a value of a schema, of the examples that its properties have. */
export function exampleOf(api: Description, schema: Schema, depth = 0): unknown {
  const it = schemaOf(api, schema);
  if (it.const !== undefined) return it.const;
  if (it.examples?.length) return it.examples[0];
  if (it.default !== undefined) return it.default;
  if (it.enum?.length) return it.enum[0];
  const [choice] = it.oneOf ?? it.anyOf ?? [];
  if (choice !== undefined) return exampleOf(api, choice, depth);
  if (depth > DEEPEST) return null;
  if (it.type === 'array') return it.items === undefined ? [] : [exampleOf(api, it.items, depth + 1)];
  if (it.properties === undefined) return it.type === 'object' ? {} : null;
  return Object.fromEntries(
    Object.entries(it.properties).map(([name, property]) => [name, exampleOf(api, property, depth + 1)]),
  );
}
