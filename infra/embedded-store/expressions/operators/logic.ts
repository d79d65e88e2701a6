import { Int32, isDoc, type Maybe, type Value } from '../../bson/values.js';
import { compare } from '../../bson-order/compare.js';
import { CommandError, codes } from '../../errors/errors.js';
import {
  type BuildOperator,
  type Expression,
  type ParseContext,
  parseExpression,
  truthy,
} from '../expression.js';
import { fixed, isNullish, namedArguments, parseArguments } from './operator.js';

export const logicOperators: readonly (readonly [string, BuildOperator])[] = [
  ['$cmp', fixed(2, ([a, b]) => new Int32(Math.sign(order(a, b))))],
  ['$eq', fixed(2, ([a, b]) => order(a, b) === 0)],
  ['$ne', fixed(2, ([a, b]) => order(a, b) !== 0)],
  ['$gt', fixed(2, ([a, b]) => order(a, b) > 0)],
  ['$gte', fixed(2, ([a, b]) => order(a, b) >= 0)],
  ['$lt', fixed(2, ([a, b]) => order(a, b) < 0)],
  ['$lte', fixed(2, ([a, b]) => order(a, b) <= 0)],
  ['$and', both],
  ['$or', either],
  ['$not', fixed(1, ([value]) => !truthy(value))],
  ['$cond', condition],
  ['$ifNull', ifNull],
  ['$switch', choice],
];

/** Compares in BSON order as expressions do, where a missing value is below null. */
function order(a: Maybe, b: Maybe): number {
  if (a === undefined || b === undefined) {
    if (a === b) return 0;
    const other = a ?? b;
    // MinKey alone is below a missing value.
    const lowest = typeof other === 'object' && other !== null && 'type' in other && other.type === 'minKey';
    return (a === undefined ? -1 : 1) * (lowest ? -1 : 1);
  }
  return compare(a, b);
}

function both(argument: Value, context: ParseContext, name: string): Expression {
  const parts = parseArguments(argument, context, name, 0, Number.POSITIVE_INFINITY);
  return (scope) => parts.every((part) => truthy(part(scope)));
}

function either(argument: Value, context: ParseContext, name: string): Expression {
  const parts = parseArguments(argument, context, name, 0, Number.POSITIVE_INFINITY);
  return (scope) => parts.some((part) => truthy(part(scope)));
}

function condition(argument: Value, context: ParseContext, name: string): Expression {
  const [test, yes, no] = isDoc(argument)
    ? ['if', 'then', 'else'].map((field) =>
        namedArguments(argument, context, name, ['if', 'then', 'else']).get(field),
      )
    : parseArguments(argument, context, name, 3);
  if (!test || !yes || !no) throw new CommandError(codes.InternalError, '$cond lost an argument');
  return (scope) => (truthy(test(scope)) ? yes(scope) : no(scope));
}

function ifNull(argument: Value, context: ParseContext, name: string): Expression {
  if (!Array.isArray(argument) || argument.length < 2) {
    throw new CommandError(1257300, '$ifNull needs at least two arguments');
  }
  const parts = parseArguments(argument, context, name, 2, Number.POSITIVE_INFINITY);
  const last = parts.at(-1) as Expression;
  return (scope) => {
    for (const part of parts.slice(0, -1)) {
      const value = part(scope);
      if (!isNullish(value)) return value;
    }
    return last(scope);
  };
}

function choice(argument: Value, context: ParseContext): Expression {
  if (!isDoc(argument)) throw new CommandError(40060, '$switch requires an object as an argument');
  for (const field of argument.keys()) {
    if (field !== 'branches' && field !== 'default')
      throw new CommandError(40067, `$switch found an unknown argument: ${field}`);
  }
  const branches = argument.get('branches');
  if (!Array.isArray(branches)) throw new CommandError(40061, "$switch expected an array for 'branches'");
  if (branches.length === 0) throw new CommandError(40068, '$switch requires at least one branch');
  const parsed = branches.map((branch) => {
    const test = isDoc(branch) ? branch.get('case') : undefined;
    const result = isDoc(branch) ? branch.get('then') : undefined;
    if (test === undefined)
      throw new CommandError(40064, "$switch requires each branch have a 'case' expression");
    if (result === undefined)
      throw new CommandError(40065, "$switch requires each branch have a 'then' expression");
    return { test: parseExpression(test, context), result: parseExpression(result, context) };
  });
  const fallback = argument.get('default');
  const otherwise = fallback === undefined ? undefined : parseExpression(fallback, context);
  return (scope) => {
    const branch = parsed.find(({ test }) => truthy(test(scope)));
    if (branch) return branch.result(scope);
    if (otherwise) return otherwise(scope);
    throw new CommandError(
      40066,
      '$switch could not find a matching branch for an input, and no default was specified.',
    );
  };
}
