import { isDoc, type Maybe, typeName, type Value } from '../bson/values.js';
import { integer } from '../bson-order/integers.js';
import { CommandError } from '../errors/errors.js';
import { elementIndex, type MatchDetails } from '../query/match.js';
import { elementMatch } from '../query/parse.js';

/** Takes part of a field's value; undefined leaves the field out. */
export type Pick = (value: Value, details: MatchDetails) => Maybe;

/** `a.$`: the one element of an array that the filter matched. */
export const positionalProjection: Pick = (value, { arrayIndex }) => {
  if (!Array.isArray(value)) return value;
  const item = arrayIndex === undefined ? undefined : value[arrayIndex];
  if (item === undefined) {
    throw new CommandError(
      51246,
      "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
    );
  }
  return [item];
};

/** Parses `$slice: n` (negative: the last ones) or `$slice: [skip, limit]`. */
export function sliceProjection(argument: Value): Pick {
  const [first, second] = Array.isArray(argument) ? argument : [argument];
  const skip = whole(first);
  if (!Array.isArray(argument)) {
    return onArrays((array) => (skip < 0 ? array.slice(skip) : array.slice(0, skip)));
  }
  if (argument.length !== 2) throw new CommandError(28724, '$slice takes a number or an array of two');
  const limit = whole(second);
  if (limit <= 0) throw new CommandError(28724, `$slice limit must be positive: ${limit}`);
  return onArrays((array) => {
    const from = skip < 0 ? Math.max(0, array.length + skip) : skip;
    return array.slice(from, from + limit);
  });
}

function whole(value: Value | undefined): number {
  const number = integer(value);
  if (number === undefined)
    throw new CommandError(28667, `$slice only supports numbers, not ${typeName(value)}`);
  return Number(number);
}

function onArrays(pick: (array: Value[]) => Value[]): Pick {
  return (value) => (Array.isArray(value) ? pick(value) : value);
}

/** Parses `$elemMatch`: the first element that a condition accepts; without one the field is left out. */
export function elementMatchProjection(argument: Value): Pick {
  if (!isDoc(argument))
    throw new CommandError(
      31274,
      `elemMatch: Invalid argument, object required, but got ${typeName(argument)}`,
    );
  const test = elementMatch(argument);
  return (value) => {
    const index = elementIndex(test, value);
    return index === undefined || !Array.isArray(value) ? undefined : [value[index] as Value];
  };
}
