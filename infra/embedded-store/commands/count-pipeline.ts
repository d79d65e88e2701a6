import { type Doc, Int32, isDoc, type Value } from '../bson/values.js';
import { narrowest } from '../bson-order/arithmetic.js';
import { integer } from '../bson-order/integers.js';

/** Stages that only count what comes in: `$skip` and `$limit`, then a `$group` of everything or a `$count`. */
export interface CountingStages {
  readonly skip: number;
  /** Zero is no limit. */
  readonly limit: number;
  /** How many stages of the pipeline these are. */
  readonly used: number;
  /** What they give for a number of documents: nothing for none. */
  readonly output: (total: number) => Doc[];
}

/**
 * Returns the counting stages that a valid pipeline goes on with at `from`, or undefined if it does anything else.
 * Drivers send countDocuments as `$match`, `$skip`, `$limit` and `{ $group: { _id: 1, n: { $sum: 1 } } }`.
 */
export function countingStages(pipeline: readonly Value[], from: number): CountingStages | undefined {
  let at = from;
  const size = (name: string): number => {
    const value = integer(argumentOf(pipeline[at], name));
    if (value === undefined) return 0;
    at++;
    return Number(value);
  };
  const skip = size('$skip');
  const limit = size('$limit');
  const fields = countedFields(pipeline[at]);
  if (fields === undefined) return undefined;
  const output = (total: number): Doc[] => (total === 0 ? [] : [fields(narrowest(BigInt(total)))]);
  return { skip, limit, used: at + 1 - from, output };
}

function argumentOf(stage: Value | undefined, name: string): Value | undefined {
  return isDoc(stage) ? stage.get(name) : undefined;
}

/** Returns the document that a counting stage makes of a total, or undefined if the stage reads its documents. */
function countedFields(stage: Value | undefined): ((total: Value) => Doc) | undefined {
  const name = argumentOf(stage, '$count');
  if (typeof name === 'string') return (total) => new Map([[name, total]]);
  const group = argumentOf(stage, '$group');
  if (!isDoc(group)) return undefined;
  const id = group.get('_id');
  const names = [...group.keys()].filter((field) => field !== '_id');
  if (id === undefined || !isConstant(id) || !names.every((field) => isCount(group.get(field)))) {
    return undefined;
  }
  return (total) => new Map([['_id', id], ...names.map((field): [string, Value] => [field, total])]);
}

function isConstant(id: Value): boolean {
  return !isDoc(id) && !Array.isArray(id) && !(typeof id === 'string' && id.startsWith('$'));
}

/** Checks for `{ $count: {} }`, or `{ $sum: 1 }` of an int, whose sum has the type that a count has. */
function isCount(accumulator: Value | undefined): boolean {
  if (!isDoc(accumulator)) return false;
  const added = accumulator.get('$sum');
  return accumulator.has('$count') || (added instanceof Int32 && added.value === 1);
}
