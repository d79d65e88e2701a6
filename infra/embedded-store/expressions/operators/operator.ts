import { type Doc, isDoc, type Maybe, type Value } from '../../bson/values.js';
import { CommandError } from '../../errors/errors.js';
import { type BuildOperator, type Expression, type ParseContext, parseExpression } from '../expression.js';

/** Parses the arguments of an operator that takes `min` to `max` of them, as an array or a single one alone. */
export function parseArguments(
  argument: Value,
  context: ParseContext,
  name: string,
  min: number,
  max = min,
): Expression[] {
  const list = Array.isArray(argument) ? argument : [argument];
  if (list.length < min || list.length > max) {
    const wanted = min === max ? `exactly ${min}` : `at least ${min} and at most ${max}`;
    throw new CommandError(
      16020,
      `Expression ${name} takes ${wanted} arguments. ${list.length} were passed in.`,
    );
  }
  return list.map((item) => parseExpression(item, context));
}

/** Builds an operator over a fixed number of values. */
export function fixed(
  count: number,
  apply: (values: Maybe[], name: string) => Maybe,
  max = count,
): BuildOperator {
  return (argument, context, name) => {
    const args = parseArguments(argument, context, name, count, max);
    return (scope) =>
      apply(
        args.map((arg) => arg(scope)),
        name,
      );
  };
}

/** Builds an operator over any number of values. */
export function variadic(apply: (values: Maybe[], name: string) => Maybe): BuildOperator {
  return fixed(0, apply, Number.POSITIVE_INFINITY);
}

/** Parses the fields of an operator that takes a document of named arguments. */
export function namedArguments(
  argument: Value,
  context: ParseContext,
  name: string,
  required: readonly string[],
  optional: readonly string[] = [],
): Map<string, Expression> {
  const document = namedDocument(argument, name, required, optional);
  return new Map([...document].map(([field, value]) => [field, parseExpression(value, context)]));
}

/** Checks the names of a document of arguments and leaves their values unparsed. */
export function namedDocument(
  argument: Value,
  name: string,
  required: readonly string[],
  optional: readonly string[] = [],
): Doc {
  if (!isDoc(argument)) throw new CommandError(9, `${name} only supports an object as its argument`);
  for (const field of argument.keys()) {
    if (!required.includes(field) && !optional.includes(field)) {
      throw new CommandError(9, `Unrecognized argument to ${name}: ${field}`);
    }
  }
  for (const field of required) {
    if (!argument.has(field)) throw new CommandError(9, `Missing '${field}' parameter to ${name}`);
  }
  return argument;
}

export function isNullish(value: Maybe): value is null | undefined {
  return value === null || value === undefined;
}
