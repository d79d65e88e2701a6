/** What stands in a keyword's place: a value of its own, or schemas. */
export type KeywordKind =
  | { readonly holds: 'value'; readonly check: (value: unknown) => string | undefined }
  | { readonly holds: 'schema' | 'schema or boolean' | 'schemas' | 'schemas by name' };

const value = (wanted: string, fits: (given: unknown) => boolean): KeywordKind => ({
  holds: 'value',
  check: (given) => (fits(given) ? undefined : `must be ${wanted}`),
});

const isText = (given: unknown) => typeof given === 'string';
const isNumber = (given: unknown) => typeof given === 'number' && Number.isFinite(given);
const isCount = (given: unknown) => Number.isSafeInteger(given) && (given as number) >= 0;
const isNames = (given: unknown) =>
  Array.isArray(given) && given.every(isText) && new Set(given).size === given.length;

const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'] as const;
const isType = (given: unknown) => TYPES.some((type) => type === given);
const isTypes = (given: unknown) =>
  isType(given) || (Array.isArray(given) && given.length > 0 && given.every(isType));

const text = value('a text', isText);
const count = value('a whole number, 0 or more', isCount);
const number = value('a number', isNumber);
const boolean = value('true or false', (given) => typeof given === 'boolean');
const anything = value('a value', () => true);

/** Keywords of JSON Schema (2020-12) that tenants may use. */
export const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map<string, KeywordKind>([
  ['$schema', text],
  ['$comment', text],
  ['title', text],
  ['description', text],
  ['default', anything],
  ['examples', value('a list', Array.isArray)],
  ['deprecated', boolean],
  ['readOnly', boolean],
  ['writeOnly', boolean],
  ['type', value(`one of ${TYPES.join(', ')}, or a list of them`, isTypes)],
  ['enum', value('a list of values', (given) => Array.isArray(given) && given.length > 0)],
  ['const', anything],
  ['minimum', number],
  ['maximum', number],
  ['exclusiveMinimum', number],
  ['exclusiveMaximum', number],
  ['multipleOf', value('a number above 0', (given) => isNumber(given) && (given as number) > 0)],
  ['minLength', count],
  ['maxLength', count],
  ['pattern', text],
  ['format', text],
  ['items', { holds: 'schema or boolean' }],
  ['prefixItems', { holds: 'schemas' }],
  ['minItems', count],
  ['maxItems', count],
  ['uniqueItems', boolean],
  ['properties', { holds: 'schemas by name' }],
  ['required', value('a list of texts, each once', isNames)],
  ['additionalProperties', { holds: 'schema or boolean' }],
  ['propertyNames', { holds: 'schema' }],
  ['minProperties', count],
  ['maxProperties', count],
  ['anyOf', { holds: 'schemas' }],
  ['oneOf', { holds: 'schemas' }],
  ['allOf', { holds: 'schemas' }],
  ['$ref', text],
  ['$defs', { holds: 'schemas by name' }],
  ['definitions', { holds: 'schemas by name' }],
]);

/** What to write in place of keywords that people bring along from other dialects. */
export const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['additionalItems', 'use `items` beside `prefixItems`'],
  ['nullable', 'add "null" to `type`'],
  ['id', 'leave it out'],
  ['$id', 'leave it out'],
  ['example', 'use `examples`'],
  ['dependencies', 'say so in `description`'],
  ['if', 'use `anyOf`'],
  ['then', 'use `anyOf`'],
  ['else', 'use `anyOf`'],
  ['not', 'say so in `description`'],
  ['contains', 'say so in `description`'],
  ['patternProperties', 'use `additionalProperties` with `propertyNames`'],
]);
