import { type Doc, isDoc, Regex, type Value } from '../bson/values.js';
import { CommandError } from '../errors/errors.js';
import { splitPath } from '../fields/path.js';
import { isOperators } from '../query/parse.js';
import { applyAt } from './target.js';

/**
 * Returns the document that an upsert starts from: the fields that its filter fixes to one value, by equality alone
 * or under `$and`. A replacement takes only the `_id`.
 */
export function upsertSeed(query: Doc, replacing: boolean): Doc {
  const equalities = new Map<string, Value>();
  collect(query, equalities);
  const seed: Doc = new Map();
  for (const [name, value] of equalities) {
    if (replacing && name !== '_id') continue;
    const assignment = { operator: '$set', path: splitPath(name), creates: true, apply: () => value };
    applyAt(seed, assignment, { arrayIndex: undefined, inserting: true, now: 0, arrayFilters: new Map() });
  }
  return seed;
}

function collect(query: Doc, equalities: Map<string, Value>): void {
  for (const [name, value] of query) {
    if (name === '$and' || (name === '$or' && Array.isArray(value) && value.length === 1)) {
      for (const part of Array.isArray(value) ? value : []) if (isDoc(part)) collect(part, equalities);
    } else if (!name.startsWith('$')) {
      const fixed = fixedValue(value);
      if (fixed === undefined) continue;
      if (equalities.has(name)) {
        throw new CommandError(54, `cannot infer query fields to set, path '${name}' is matched twice`);
      }
      for (const other of equalities.keys()) {
        if (`${other}.`.startsWith(`${name}.`) || `${name}.`.startsWith(`${other}.`)) {
          throw new CommandError(
            54,
            `cannot infer query fields to set, both paths '${other}' and '${name}' are matched`,
          );
        }
      }
      equalities.set(name, fixed);
    }
  }
}

/** Returns the one value that a condition allows, or undefined if it allows more. */
function fixedValue(condition: Value): Value | undefined {
  if (condition instanceof Regex) return undefined;
  if (!isDoc(condition)) return condition;
  if (!isOperators(condition)) return condition;
  const exact = condition.get('$eq');
  if (exact !== undefined) return exact;
  const members = condition.get('$in');
  if (Array.isArray(members) && members.length === 1 && !(members[0] instanceof Regex)) return members[0];
  const all = condition.get('$all');
  if (Array.isArray(all) && all.length === 1 && !isDoc(all[0]) && !(all[0] instanceof Regex)) return all[0];
  return undefined;
}
