import { type Doc, isDoc, type Maybe, type Value } from '../../bson/values.js';
import { encodeKey } from '../../bson-order/keys.js';
import { CommandError } from '../../errors.js';
import { type Accumulator, accumulators } from '../accumulators.js';
import { type Expression, parseExpression } from '../expression.js';
import type { BuildStage, PipelineContext } from '../pipeline.js';

interface GroupField {
  readonly name: string;
  readonly create: () => Accumulator;
  readonly expression: Expression;
}

/** `$group`: one document for each distinct `_id`, with accumulated fields. */
export function group(argument: Value, context: PipelineContext): ReturnType<BuildStage> {
  if (!isDoc(argument)) throw new CommandError(15947, "a group's fields must be specified in an object");
  const idValue = argument.get('_id');
  if (idValue === undefined) throw new CommandError(15955, 'a group specification must include an _id');
  const id = parseExpression(idValue, context);
  const fields = [...argument]
    .filter(([name]) => name !== '_id')
    .map(([name, value]) => field(name, value, context));
  const variables = context.values ?? new Map<string, Maybe>();
  return function* (input) {
    const groups = new Map<string, { id: Value; values: Accumulator[] }>();
    for (const doc of input) {
      const scope = { root: doc, current: doc, variables };
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
  const create = accumulators.get(operator);
  if (create === undefined) throw new CommandError(15952, `unknown group operator '${operator}'`);
  return { name, create, expression: parseExpression(argument, context) };
}
