import { type Doc, Int32, isDoc, isNumber, type Maybe, typeName, type Value } from '../../bson/values.js';
import { compare, equal } from '../../bson-order/compare.js';
import { integer } from '../../bson-order/integers.js';
import { toDouble } from '../../bson-order/numbers.js';
import { CommandError, codes } from '../../errors/errors.js';
import { parseSort, sortBy } from '../../fields/sort.js';
import {
  type BuildOperator,
  type Expression,
  type ParseContext,
  parseExpression,
  type Scope,
  truthy,
} from '../expression.js';
import { fixed, isNullish, namedArguments, namedDocument, variadic } from './operator.js';

export const arrayOperators: readonly (readonly [string, BuildOperator])[] = [
  [
    '$size',
    fixed(1, ([value]) => new Int32(arrayOf(value, 'The argument to $size must be an array', 17124).length)),
  ],
  ['$isArray', fixed(1, ([value]) => Array.isArray(value))],
  ['$arrayElemAt', fixed(2, ([array, at]) => elementAt(array, at))],
  ['$first', fixed(1, ([array]) => end(array, 0, '$first'))],
  ['$last', fixed(1, ([array]) => end(array, -1, '$last'))],
  [
    '$in',
    fixed(2, ([value, array]) =>
      arrayOf(array, '$in requires an array as a second argument', 40081).some((item) => equal(item, value)),
    ),
  ],
  ['$concatArrays', variadic(concat)],
  ['$slice', fixed(2, ([array, a, b]) => slice(array, a, b), 3)],
  [
    '$reverseArray',
    fixed(1, ([array]) =>
      isNullish(array)
        ? null
        : arrayOf(array, 'The argument to $reverseArray must be an array', 34435).toReversed(),
    ),
  ],
  ['$indexOfArray', fixed(2, ([array, value]) => indexOf(array, value))],
  ['$range', fixed(2, ([from, to, step]) => range(from, to, step), 3)],
  ['$filter', filter],
  ['$map', map],
  ['$reduce', reduce],
  ['$sortArray', sortArray],
  [
    '$setUnion',
    variadic((sets) =>
      sets.some(isNullish)
        ? null
        : distinct(sets.flatMap((set) => arrayOf(set, 'All operands of $setUnion must be arrays', 17043))),
    ),
  ],
  ['$setIntersection', variadic(intersection)],
  ['$setDifference', fixed(2, ([a, b]) => difference(a, b))],
  [
    '$setIsSubset',
    fixed(2, ([a, b]) => {
      const other = arrayOf(b, 'both operands of $setIsSubset must be arrays', 17042);
      return arrayOf(a, 'both operands of $setIsSubset must be arrays', 17046).every((item) =>
        has(other, item),
      );
    }),
  ],
  [
    '$setEquals',
    variadic((sets) => {
      const lists = sets.map((set) => arrayOf(set, 'All operands of $setEquals must be arrays', 17044));
      return lists.every((list) => lists.every((other) => list.every((item) => has(other, item))));
    }),
  ],
  [
    '$anyElementTrue',
    fixed(1, ([array]) => arrayOf(array, "$anyElementTrue's argument must be an array", 17041).some(truthy)),
  ],
  [
    '$allElementsTrue',
    fixed(1, ([array]) =>
      arrayOf(array, "$allElementsTrue's argument must be an array", 17040).every(truthy),
    ),
  ],
];

function arrayOf(value: Maybe, reason: string, code: number): Value[] {
  if (Array.isArray(value)) return value;
  throw new CommandError(code, `${reason}, but was of type: ${typeName(value)}`);
}

function has(array: readonly Value[], value: Value): boolean {
  return array.some((item) => equal(item, value));
}

function distinct(array: readonly Value[]): Value[] {
  const result: Value[] = [];
  for (const item of array.toSorted(compare))
    if (result.length === 0 || !equal(result.at(-1), item)) result.push(item);
  return result;
}

function intersection(sets: Maybe[]): Maybe {
  if (sets.some(isNullish)) return null;
  const lists = sets.map((set) => arrayOf(set, 'All operands of $setIntersection must be arrays', 17047));
  return distinct((lists[0] ?? []).filter((item) => lists.every((list) => has(list, item))));
}

function difference(a: Maybe, b: Maybe): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  const other = arrayOf(b, 'both operands of $setDifference must be arrays', 17049);
  const kept: Value[] = [];
  for (const item of arrayOf(a, 'both operands of $setDifference must be arrays', 17048)) {
    if (!has(other, item) && !has(kept, item)) kept.push(item);
  }
  return kept;
}

function whole(value: Maybe, name: string, code: number): number {
  const number = integer(value);
  if (number === undefined)
    throw new CommandError(code, `${name} needs a 32-bit integer, but got ${typeName(value)}`);
  return Number(number);
}

function elementAt(array: Maybe, at: Maybe): Maybe {
  if (isNullish(array) || isNullish(at)) return null;
  const list = arrayOf(array, "$arrayElemAt's first argument must be an array", 28689);
  return list.at(whole(at, "$arrayElemAt's second argument", 28690));
}

function end(array: Maybe, at: 0 | -1, name: string): Maybe {
  if (isNullish(array)) return null;
  return arrayOf(array, `${name}'s argument must be an array`, 28689).at(at);
}

function concat(arrays: Maybe[]): Maybe {
  if (arrays.some(isNullish)) return null;
  return arrays.flatMap((array) => arrayOf(array, '$concatArrays only supports arrays', 28664));
}

function slice(array: Maybe, a: Maybe, b: Maybe): Maybe {
  if (isNullish(array) || isNullish(a) || b === null) return null;
  const list = arrayOf(array, 'First argument to $slice must be an array', 28724);
  const first = whole(a, 'Second argument to $slice', 28725);
  if (b === undefined) return first < 0 ? list.slice(first) : list.slice(0, first);
  const count = whole(b, 'Third argument to $slice', 28727);
  if (count <= 0) throw new CommandError(28729, `Third argument to $slice must be positive: ${count}`);
  const from = first < 0 ? Math.max(0, list.length + first) : first;
  return list.slice(from, from + count);
}

function indexOf(array: Maybe, value: Maybe): Maybe {
  if (isNullish(array)) return null;
  const list = arrayOf(array, '$indexOfArray requires an array as a first argument', 40090);
  return new Int32(list.findIndex((item) => value !== undefined && equal(item, value)));
}

function range(from: Maybe, to: Maybe, step: Maybe): Value[] {
  const start = whole(from, '$range', 34443);
  const stop = whole(to, '$range', 34444);
  const by = step === undefined ? 1 : whole(step, '$range', 34447);
  if (by === 0) throw new CommandError(34449, '$range requires a non-zero step value');
  const result: Value[] = [];
  for (let at = start; by > 0 ? at < stop : at > stop; at += by) result.push(new Int32(at));
  return result;
}

/** Returns the scope with one or more variables added. */
function withVariables(scope: Scope, added: readonly (readonly [string, Maybe])[]): Scope {
  return { ...scope, variables: new Map([...scope.variables, ...added]) };
}

function inner(context: ParseContext, ...names: string[]): ParseContext {
  return { ...context, variables: new Set([...context.variables, ...names]) };
}

function variableName(value: Value | undefined, fallback: string): string {
  if (value === undefined) return fallback;
  if (typeof value !== 'string' || !/^[a-z_\u0080-\uffff][\w\u0080-\uffff]*$/.test(value)) {
    throw new CommandError(codes.FailedToParse, `'${String(value)}' is not a valid name for a user variable`);
  }
  return value;
}

function filter(argument: Value, context: ParseContext, name: string): Expression {
  const document = namedDocument(argument, name, ['input', 'cond'], ['as', 'limit']);
  const as = variableName(document.get('as'), 'this');
  const input = parseExpression(document.get('input') as Value, context);
  const test = parseExpression(document.get('cond') as Value, inner(context, as));
  const limit = document.has('limit') ? parseExpression(document.get('limit') as Value, context) : undefined;
  return (scope) => {
    const array = input(scope);
    if (isNullish(array)) return null;
    const most = limit?.(scope);
    const kept = arrayOf(array, 'input to $filter must be an array', 28651).filter((item) =>
      truthy(test(withVariables(scope, [[as, item]]))),
    );
    if (isNullish(most)) return kept;
    const count = whole(most, '$filter limit', 327391);
    if (count < 1) throw new CommandError(327392, `$filter: limit must be greater than 0: ${count}`);
    return kept.slice(0, count);
  };
}

function map(argument: Value, context: ParseContext, name: string): Expression {
  const document = namedDocument(argument, name, ['input', 'in'], ['as']);
  const as = variableName(document.get('as'), 'this');
  const input = parseExpression(document.get('input') as Value, context);
  const each = parseExpression(document.get('in') as Value, inner(context, as));
  return (scope) => {
    const array = input(scope);
    if (isNullish(array)) return null;
    return arrayOf(array, 'input to $map must be an array', 16883).map(
      (item) => each(withVariables(scope, [[as, item]])) ?? null,
    );
  };
}

function reduce(argument: Value, context: ParseContext, name: string): Expression {
  const document = namedDocument(argument, name, ['input', 'initialValue', 'in']);
  const input = parseExpression(document.get('input') as Value, context);
  const initial = parseExpression(document.get('initialValue') as Value, context);
  const step = parseExpression(document.get('in') as Value, inner(context, 'this', 'value'));
  return (scope) => {
    const array = input(scope);
    if (isNullish(array)) return null;
    return arrayOf(array, "$reduce requires that 'input' be an array", 40080).reduce<Maybe>(
      (value, item) =>
        step(
          withVariables(scope, [
            ['this', item],
            ['value', value],
          ]),
        ),
      initial(scope),
    );
  };
}

function sortArray(argument: Value, context: ParseContext, name: string): Expression {
  const input = namedArguments(namedInput(argument, name), context, name, ['input']).get(
    'input',
  ) as Expression;
  const by = (argument as Doc).get('sortBy') as Value;
  const order = isDoc(by) ? parseSort(by) : undefined;
  const direction = isNumber(by) ? toDouble(by) : 0;
  if (!order && direction !== 1 && direction !== -1) {
    throw new CommandError(2942507, 'The $sort element value must be either 1 or -1');
  }
  return (scope) => {
    const array = input(scope);
    if (isNullish(array)) return null;
    const list = arrayOf(array, 'The input argument to $sortArray must be an array', 2942504);
    if (order) return sortBy(list, order, (item) => (isDoc(item) ? item : new Map()));
    return list.toSorted((a, b) => compare(a, b) * direction);
  };
}

function namedInput(argument: Value, name: string): Doc {
  const document = namedDocument(argument, name, ['input', 'sortBy']);
  return new Map([['input', document.get('input') as Value]]);
}
