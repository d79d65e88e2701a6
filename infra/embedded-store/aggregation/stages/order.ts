import { show } from '../../bson/show.js';
import { isDoc, type Value } from '../../bson/values.js';
import { narrowest } from '../../bson-order/arithmetic.js';
import { integer } from '../../bson-order/integers.js';
import { CommandError } from '../../errors/errors.js';
import { parseSort, sortBy } from '../../fields/sort.js';
import { matches } from '../../query/match.js';
import { parseFilter } from '../../query/parse.js';
import type { BuildStage } from '../pipeline.js';

export const match: BuildStage = (argument, context) => {
  if (!isDoc(argument)) throw new CommandError(15959, 'the match filter must be an expression in an object');
  const filter = parseFilter(argument, context);
  return function* (input) {
    for (const doc of input) if (matches(filter, doc)) yield doc;
  };
};

export const sort: BuildStage = (argument) => {
  if (!isDoc(argument)) throw new CommandError(15973, 'the $sort key specification must be an object');
  const order = parseSort(argument);
  if (order === undefined) throw new CommandError(15976, '$sort stage must have at least one sort key');
  return function* (input) {
    yield* sortBy(input, order, (doc) => doc);
  };
};

export const limit: BuildStage = (argument) => {
  const size = wholeNumber('$limit', argument);
  if (size === 0) throw new CommandError(15958, 'the limit must be positive');
  return function* (input) {
    let left = size;
    for (const doc of input) {
      yield doc;
      if (--left === 0) return;
    }
  };
};

export const skip: BuildStage = (argument) => {
  const size = wholeNumber('$skip', argument);
  return function* (input) {
    let left = size;
    for (const doc of input) {
      if (left > 0) left--;
      else yield doc;
    }
  };
};

export const count: BuildStage = (argument) => {
  if (typeof argument !== 'string' || argument === '')
    throw new CommandError(40156, 'the count field must be a non-empty string');
  if (argument.startsWith('$')) throw new CommandError(40158, 'the count field cannot be a $-prefixed path');
  if (argument.includes('.')) throw new CommandError(40160, "the count field cannot contain '.'");
  return function* (input) {
    let total = 0n;
    for (const _ of input) total++;
    if (total > 0n) yield new Map([[argument, narrowest(total)]]);
  };
};

function wholeNumber(name: string, argument: Value): number {
  const whole = integer(argument);
  if (whole === undefined || whole < 0n) {
    throw new CommandError(
      5107201,
      `invalid argument to ${name} stage: Expected a non-negative number in: ${name}: ${show(argument)}`,
    );
  }
  return Number(whole);
}
