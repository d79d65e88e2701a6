import type { BuildOperator } from '../expression.js';
import { accumulators } from './accumulators.js';
import { parseArguments } from './operator.js';

/**
 * `$sum`, `$avg` and their kin as expressions: over several arguments, or over the elements of a single one
 * that is an array.
 */
export const overValuesOperators: readonly (readonly [string, BuildOperator])[] = [
  '$sum',
  '$avg',
  '$min',
  '$max',
  '$stdDevPop',
  '$stdDevSamp',
].map((operator): readonly [string, BuildOperator] => [
  operator,
  (argument, context, name) => {
    const args = parseArguments(argument, context, name, 0, Number.POSITIVE_INFINITY);
    return (scope) => {
      const values = args.map((arg) => arg(scope));
      const only = values.length === 1 ? values[0] : undefined;
      const accumulator = accumulators.get(operator)?.();
      for (const value of Array.isArray(only) ? only : values) accumulator?.add(value);
      return accumulator?.result();
    };
  },
]);
