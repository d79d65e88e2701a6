import { type Doc, Int32, isDoc, typeName, type Value } from '../../bson/values.js';
import { CommandError } from '../../errors/errors.js';
import { parseExpression } from '../../expressions/expression.js';
import { namedDocument } from '../../expressions/operators/operator.js';
import { parseAddedFields, parseProjection } from '../../projection/projection.js';
import type { BuildStage, Stage } from '../pipeline.js';

export const project: BuildStage = (argument, context) => {
  if (!isDoc(argument)) throw new CommandError(15969, '$project specification must be an object');
  const projection = parseProjection(argument, false, context);
  if (projection === undefined)
    throw new CommandError(
      51272,
      'Invalid $project :: caused by :: projection specification must have at least one field',
    );
  return each(projection);
};

export const addFields: BuildStage = (argument, context, name) => {
  if (!isDoc(argument))
    throw new CommandError(40272, `${name} specification stage must be an object, got ${typeName(argument)}`);
  return each(parseAddedFields(argument, context));
};

export const unset: BuildStage = (argument, context) => {
  const names = Array.isArray(argument) ? argument : [argument];
  const spec: Doc = new Map();
  for (const name of names) {
    if (typeof name !== 'string' || name === '')
      throw new CommandError(
        31120,
        '$unset specification must be a string or an array containing only string values',
      );
    spec.set(name, new Int32(0));
  }
  const projection = parseProjection(spec, false, context);
  if (projection === undefined)
    throw new CommandError(
      31119,
      '$unset specification must be a string or an array with at least one field',
    );
  return each(projection);
};

export const replaceRoot: BuildStage = (argument, context, name) => {
  const root =
    name === '$replaceWith' ? argument : (namedDocument(argument, name, ['newRoot']).get('newRoot') as Value);
  const expression = parseExpression(root, context);
  return each((doc) => {
    const value = expression({ root: doc, current: doc, variables: context.values });
    if (isDoc(value)) return value;
    throw new CommandError(
      40228,
      `'newRoot' expression must evaluate to an object, but resulting value was: type ${typeName(value)}`,
    );
  });
};

function each(change: (doc: Doc) => Doc): Stage {
  return function* (input) {
    for (const doc of input) yield change(doc);
  };
}
