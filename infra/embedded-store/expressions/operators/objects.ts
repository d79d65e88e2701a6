import { type Doc, isDoc, isNumber, type Maybe, typeName, type Value } from '../../bson/values.js';
import { CommandError } from '../../errors/errors.js';
import { type BuildOperator, type Expression, type ParseContext, parseExpression } from '../expression.js';
import { fixed, isNullish, namedDocument, variadic } from './operator.js';

export const objectOperators: readonly (readonly [string, BuildOperator])[] = [
  ['$literal', (argument) => () => argument],
  ['$let', letIn],
  ['$getField', getField],
  ['$mergeObjects', variadic(merge)],
  ['$objectToArray', fixed(1, ([value]) => toArray(value))],
  ['$arrayToObject', fixed(1, ([value]) => toObject(value))],
  ['$type', fixed(1, ([value]) => typeName(value))],
  ['$isNumber', fixed(1, ([value]) => isNumber(value))],
];

function letIn(argument: Value, context: ParseContext, name: string): Expression {
  const document = namedDocument(argument, name, ['vars', 'in']);
  const vars = document.get('vars');
  if (!isDoc(vars)) throw new CommandError(16876, 'invalid parameter: expected an object (vars)');
  const bound = [...vars].map(([variable, value]) => [variable, parseExpression(value, context)] as const);
  const names = bound.map(([variable]) => variable);
  const body = parseExpression(document.get('in') as Value, {
    ...context,
    variables: new Set([...context.variables, ...names]),
  });
  return (scope) =>
    body({
      ...scope,
      variables: new Map([
        ...scope.variables,
        ...bound.map(([variable, value]) => [variable, value(scope)] as const),
      ]),
    });
}

/** Reads a field (`$getField`) by its literal name, dots and dollars included. */
function getField(argument: Value, context: ParseContext, name: string): Expression {
  let field: Value = argument;
  let input: Expression = (scope) => scope.current;
  if (isDoc(argument) && argument.has('field')) {
    const document = namedDocument(argument, name, ['field', 'input']);
    field = document.get('field') as Value;
    input = parseExpression(document.get('input') as Value, context);
  }
  const key = parseExpression(field, context);
  return (scope) => {
    const wanted = key(scope);
    if (typeof wanted !== 'string') {
      throw new CommandError(
        3041704,
        `$getField requires 'field' to evaluate to type String, but got ${typeName(wanted)}`,
      );
    }
    const source = input(scope);
    if (isDoc(source)) return source.get(wanted);
    return isNullish(source) && source === null ? null : undefined;
  };
}

/** Merges documents (`$mergeObjects`): later fields win; null and missing count as empty. */
export function merge(values: Maybe[]): Doc {
  const result: Doc = new Map();
  const list = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
  for (const value of list) {
    if (isNullish(value)) continue;
    if (!isDoc(value))
      throw new CommandError(
        40400,
        `$mergeObjects requires object inputs, but input is of type ${typeName(value)}`,
      );
    for (const [name, field] of value) result.set(name, field);
  }
  return result;
}

function toArray(value: Maybe): Maybe {
  if (isNullish(value)) return null;
  if (!isDoc(value))
    throw new CommandError(40390, `$objectToArray requires a document input, found: ${typeName(value)}`);
  return [...value].map(
    ([name, field]): Doc =>
      new Map<string, Value>([
        ['k', name],
        ['v', field],
      ]),
  );
}

function toObject(value: Maybe): Maybe {
  if (isNullish(value)) return null;
  if (!Array.isArray(value))
    throw new CommandError(40386, `$arrayToObject requires an array input, found: ${typeName(value)}`);
  const result: Doc = new Map();
  for (const item of value) {
    const [key, field] = Array.isArray(item) ? item : isDoc(item) ? [item.get('k'), item.get('v')] : [];
    const complete = Array.isArray(item)
      ? item.length === 2
      : isDoc(item) && item.size === 2 && item.has('k') && item.has('v');
    if (!complete)
      throw new CommandError(40392, '$arrayToObject requires pairs of two, or objects of k and v');
    if (typeof key !== 'string')
      throw new CommandError(40395, `$arrayToObject requires keys of type string, found: ${typeName(key)}`);
    result.set(key, field as Value);
  }
  return result;
}
