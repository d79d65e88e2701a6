import { type Doc, isDoc, type Maybe, typeName, type Value } from '../../bson/values.js';
import { CommandError } from '../../errors/errors.js';
import { fieldPath } from '../../expressions/expression.js';
import { namedDocument } from '../../expressions/operators/operator.js';
import type { BuildStage } from '../pipeline.js';

/** `$unwind`: one document for each element of an array; a value that is no array counts as its one element. */
export const unwind: BuildStage = (argument, _context, name) => {
  const spec = isDoc(argument)
    ? namedDocument(argument, name, ['path'], ['includeArrayIndex', 'preserveNullAndEmptyArrays'])
    : new Map<string, Value>([['path', argument]]);
  const text = spec.get('path');
  if (typeof text !== 'string')
    throw new CommandError(28808, `expected a string as the path for $unwind stage, got ${typeName(text)}`);
  if (!text.startsWith('$'))
    throw new CommandError(28818, `path option to $unwind stage should be prefixed with a '$': ${text}`);
  const path = fieldPath(text.slice(1));
  const preserve = spec.get('preserveNullAndEmptyArrays') === true;
  const index = spec.get('includeArrayIndex');
  if (index !== undefined && (typeof index !== 'string' || index === '' || index.startsWith('$'))) {
    throw new CommandError(
      28822,
      `includeArrayIndex option to $unwind stage should be a field name: ${String(index)}`,
    );
  }
  const indexPath = index === undefined ? undefined : fieldPath(index);
  return function* (input) {
    for (const doc of input) {
      const value = read(doc, path);
      if (Array.isArray(value) && value.length > 0) {
        for (const [at, item] of value.entries()) {
          const result = assign(doc, path, item);
          yield indexPath ? assign(result, indexPath, BigInt(at)) : result;
        }
      } else if (preserve || (value !== undefined && value !== null && !Array.isArray(value))) {
        const result = Array.isArray(value) ? assign(doc, path, undefined) : doc;
        yield indexPath ? assign(result, indexPath, null) : result;
      }
    }
  };
};

function read(doc: Doc, path: readonly string[]): Maybe {
  let node: Maybe = doc;
  for (const part of path) node = isDoc(node) ? node.get(part) : undefined;
  return node;
}

/** Copies the document with one field set or, for undefined, removed. */
export function assign(doc: Doc, path: readonly string[], value: Maybe): Doc {
  const [first = '', ...rest] = path;
  const copy: Doc = new Map(doc);
  if (rest.length > 0) {
    const inner = doc.get(first);
    copy.set(first, assign(isDoc(inner) ? inner : new Map(), rest, value));
  } else if (value === undefined) copy.delete(first);
  else copy.set(first, value);
  return copy;
}
