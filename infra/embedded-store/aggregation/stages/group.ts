import { type Doc, Int32, isDoc, type Value } from '../../bson/values.js';
import { compare } from '../../bson-order/compare.js';
import { encodeKey } from '../../bson-order/keys.js';
import { CommandError, notSupported } from '../../errors/errors.js';
import { type Expression, parseExpression } from '../../expressions/expression.js';
import { type Accumulator, accumulators, sum } from '../../expressions/operators/accumulators.js';
import type { BuildStage, PipelineContext, Stage } from '../pipeline.js';

export interface GroupField {
  readonly name: string;
  readonly create: () => Accumulator;
  readonly expression: Expression;
}

const REFUSED = new Set([
  '$accumulator',
  '$top',
  '$bottom',
  '$topN',
  '$bottomN',
  '$firstN',
  '$lastN',
  '$minN',
  '$maxN',
  '$percentile',
  '$median',
]);
export const COUNT: GroupField = { name: 'count', create: sum, expression: () => new Int32(1) };

/** `$group`: one document for each distinct `_id`, with accumulated fields. */
export const group: BuildStage = (argument, context) => {
  if (!isDoc(argument)) throw new CommandError(15947, "a group's fields must be specified in an object");
  const id = argument.get('_id');
  if (id === undefined) throw new CommandError(15955, 'a group specification must include an _id');
  return grouping(parseExpression(id, context), outputs(argument, context), context);
};

/** `$sortByCount`: groups by an expression, the most frequent first. */
export const sortByCount: BuildStage = (argument, context) => {
  const valid = typeof argument === 'string' ? argument.startsWith('$') : isDoc(argument);
  if (!valid)
    throw new CommandError(
      40148,
      'the sortByCount field must be defined as a $-prefixed path or an expression',
    );
  const stage = grouping(parseExpression(argument, context), [COUNT], context);
  return (input) => [...stage(input)].sort((a, b) => compare(b.get('count'), a.get('count')));
};

export function outputs(spec: Doc, context: PipelineContext): GroupField[] {
  return [...spec].filter(([name]) => name !== '_id').map(([name, value]) => field(name, value, context));
}

export function grouping(id: Expression, fields: readonly GroupField[], context: PipelineContext): Stage {
  return function* (input) {
    const groups = new Map<string, { id: Value; values: Accumulator[] }>();
    for (const doc of input) {
      const scope = { root: doc, current: doc, variables: context.values };
      const value = id(scope) ?? null;
      const key = encodeKey([value], [1]).toString('latin1');
      let entry = groups.get(key);
      if (entry === undefined) {
        entry = { id: value, values: fields.map(({ create }) => create()) };
        groups.set(key, entry);
      }
      for (const [at, { expression }] of fields.entries()) entry.values[at]?.add(expression(scope));
    }
    for (const entry of groups.values()) {
      const result: Doc = new Map([['_id', entry.id]]);
      for (const [at, { name }] of fields.entries()) {
        const value = entry.values[at]?.result();
        if (value !== undefined) result.set(name, value);
      }
      yield result;
    }
  };
}

function field(name: string, value: Value, context: PipelineContext): GroupField {
  if (name.includes('.')) throw new CommandError(40235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$'))
    throw new CommandError(40236, `The field name '${name}' cannot be an operator name`);
  if (!isDoc(value)) throw new CommandError(40234, `The field '${name}' must be an accumulator object`);
  if (value.size !== 1) throw new CommandError(40238, `The field '${name}' must specify one accumulator`);
  const [operator, argument] = value.entries().next().value as [string, Value];
  if (operator === '$count') {
    if (!isDoc(argument) || argument.size > 0)
      throw new CommandError(9, '$count takes no arguments, i.e. $count:{}');
    return { ...COUNT, name };
  }
  const create = accumulators.get(operator);
  if (create === undefined) throw unknown(operator);
  if (!Array.isArray(argument)) return { name, create, expression: parseExpression(argument, context) };
  const [only] = argument;
  if (argument.length !== 1 || only === undefined)
    throw new CommandError(40237, `The ${operator} accumulator is a unary operator`);
  return { name, create, expression: parseExpression(only, context) };
}

function unknown(operator: string): CommandError {
  if (REFUSED.has(operator)) return notSupported(`the accumulator ${operator}`, 15952);
  return new CommandError(15952, `unknown group operator '${operator}'`);
}
