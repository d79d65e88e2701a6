import { type Doc, Int32, isDoc, isNumber, type Value } from '../bson/values.js';
import { compare, equal } from '../bson-order/compare.js';
import { toDouble } from '../bson-order/numbers.js';
import { CommandError, codes, notSupported } from '../errors/errors.js';
import { isPosition, type Path, splitPath } from '../fields/path.js';
import type { Filter } from '../query/filter.js';
import { parseFilter } from '../query/parse.js';

/** An index as declared by createIndexes. */
export interface IndexSpec {
  readonly name: string;
  readonly key: Doc;
  readonly paths: readonly Path[];
  /** 1 ascending, -1 descending, one for each path. */
  readonly directions: readonly number[];
  readonly unique: boolean;
  readonly sparse: boolean;
  /** Age in seconds at which documents are removed, for a TTL index. */
  readonly expireAfterSeconds?: number;
  readonly partial?: { readonly source: Doc; readonly filter: Filter };
  /** Fields of the document itself that decide what it leaves in the index. */
  readonly fields: ReadonlySet<string>;
  /** As stored and listed. */
  readonly document: Doc;
}

const KNOWN = new Set([
  'key',
  'name',
  'unique',
  'sparse',
  'expireAfterSeconds',
  'partialFilterExpression',
  'v',
  'background',
  'ns',
  'hidden',
]);

/** Reads and checks an index document from createIndexes or from disk. */
export function parseIndexSpec(document: Doc): IndexSpec {
  const key = document.get('key');
  const name = document.get('name');
  if (!isDoc(key))
    throw new CommandError(
      codes.FailedToParse,
      "The 'key' field is a required property of an index specification",
    );
  if (typeof name !== 'string' || name === '') {
    throw new CommandError(
      codes.FailedToParse,
      "The 'name' field is a required property of an index specification",
    );
  }
  for (const option of document.keys()) {
    if (!KNOWN.has(option))
      throw notSupported(`the index option '${option}'`, codes.InvalidIndexSpecificationOption);
  }
  if (document.get('hidden') === true)
    throw notSupported('a hidden index', codes.InvalidIndexSpecificationOption);
  if (key.size === 0) throw new CommandError(codes.CannotCreateIndex, 'Index keys cannot be empty.');
  if (key.size > 31) throw new CommandError(13103, 'too many compound keys');
  const paths: Path[] = [];
  const directions: number[] = [];
  for (const [field, value] of key) {
    directions.push(direction(field, value));
    paths.push(indexPath(field));
  }
  const unique = flag(document, 'unique');
  const sparse = flag(document, 'sparse');
  const expireAfterSeconds = expiry(document, key);
  const partial = partialFilter(document, sparse);
  return {
    name,
    key,
    paths,
    directions,
    unique,
    sparse,
    expireAfterSeconds,
    partial,
    fields: new Set([
      ...paths.map(([field]) => field as string),
      ...(partial ? fieldsOf(partial.source) : []),
    ]),
    document: normalized(document),
  };
}

/** Checks whether two declarations mean the same index apart from its name. */
export function sameIndex(a: IndexSpec, b: IndexSpec): boolean {
  return sameKey(a.key, b.key) && equal(a.partial?.source ?? null, b.partial?.source ?? null);
}

export function sameOptions(a: IndexSpec, b: IndexSpec): boolean {
  return a.unique === b.unique && a.sparse === b.sparse && a.expireAfterSeconds === b.expireAfterSeconds;
}

export function sameKey(a: Doc, b: Doc): boolean {
  return a.size === b.size && compare(a, b) === 0;
}

function direction(field: string, value: Value): number {
  if (typeof value === 'string')
    throw notSupported(`the index type '${value}' of '${field}'`, codes.CannotCreateIndex);
  if (!isNumber(value) || !(Math.abs(toDouble(value)) > 0)) {
    throw new CommandError(
      codes.CannotCreateIndex,
      `Values in the index key pattern for '${field}' must be numbers above or below 0`,
    );
  }
  return toDouble(value) < 0 ? -1 : 1;
}

function indexPath(field: string): Path {
  const path = splitPath(field);
  if (path.includes(''))
    throw new CommandError(codes.CannotCreateIndex, 'Index keys cannot be an empty field.');
  if (path.some((part) => part.startsWith('$'))) {
    throw notSupported(`the index key '${field}'`, codes.CannotCreateIndex);
  }
  if (path.some(isPosition))
    throw notSupported(`the array position in the index key '${field}'`, codes.CannotCreateIndex);
  return path;
}

function flag(document: Doc, name: string): boolean {
  const value = document.get(name);
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  if (isNumber(value)) return toDouble(value) !== 0;
  throw new CommandError(
    codes.TypeMismatch,
    `The field '${name}' has value which is not convertible to bool`,
  );
}

function expiry(document: Doc, key: Doc): number | undefined {
  const value = document.get('expireAfterSeconds');
  if (value === undefined) return undefined;
  if (!isNumber(value))
    throw new CommandError(codes.TypeMismatch, "TTL index 'expireAfterSeconds' option must be numeric");
  const seconds = toDouble(value);
  if (!(seconds >= 0 && seconds <= 2_147_483_647)) {
    throw new CommandError(
      codes.CannotCreateIndex,
      "TTL index 'expireAfterSeconds' must be from 0 to 2147483647",
    );
  }
  if (key.size > 1 || key.has('_id')) {
    throw new CommandError(codes.CannotCreateIndex, 'TTL indexes are single-field indexes and not on _id');
  }
  return seconds;
}

/** Returns the fields of a document itself that a filter asks for. */
function fieldsOf(filter: Value): string[] {
  if (Array.isArray(filter)) return filter.flatMap(fieldsOf);
  if (!isDoc(filter)) return [];
  return [...filter].flatMap(([name, value]) =>
    name.startsWith('$') ? fieldsOf(value) : [splitPath(name)[0] as string],
  );
}

const PARTIAL_OPERATORS = new Set([
  '$eq',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$exists',
  '$type',
  '$in',
  '$and',
  '$or',
]);

function partialFilter(document: Doc, sparse: boolean): IndexSpec['partial'] {
  const source = document.get('partialFilterExpression');
  if (source === undefined) return undefined;
  if (!isDoc(source))
    throw new CommandError(codes.TypeMismatch, "'partialFilterExpression' must be an object");
  if (sparse)
    throw new CommandError(
      codes.CannotCreateIndex,
      'cannot mix "partialFilterExpression" and "sparse" options',
    );
  checkPartialOperators(source);
  return { source, filter: parseFilter(source) };
}

function checkPartialOperators(source: Value): void {
  if (Array.isArray(source)) source.forEach(checkPartialOperators);
  if (!isDoc(source)) return;
  for (const [name, value] of source) {
    const excluded = name === '$exists' && value === false;
    if (excluded || (name.startsWith('$') && !PARTIAL_OPERATORS.has(name))) {
      throw new CommandError(codes.CannotCreateIndex, `unsupported expression in partial index: ${name}`);
    }
    checkPartialOperators(value);
  }
}

/** Returns the document as listIndexes shows it: version first, and no options that say nothing. */
function normalized(document: Doc): Doc {
  const result: Doc = new Map();
  result.set('v', new Int32(2));
  for (const [name, value] of document) {
    if (name !== 'v' && name !== 'background' && name !== 'ns' && name !== 'hidden') result.set(name, value);
  }
  return result;
}
