import { type Doc, isDoc, type Maybe, typeName, type Value } from '../../bson/values.js';
import { CommandError, codes } from '../../errors/errors.js';
import { fieldPath, parseExpression } from '../../expressions/expression.js';
import { namedDocument } from '../../expressions/operators/operator.js';
import { leafValues, type Path } from '../../fields/path.js';
import { allOf, type Filter } from '../../query/filter.js';
import { parseFilter } from '../../query/parse.js';
import { type BuildStage, type PipelineContext, parsePipeline } from '../pipeline.js';
import { assign } from './unwind.js';

/** `$facet`: several pipelines over the same documents, each result an array field. */
export const facet: BuildStage = (argument, context) => {
  if (!isDoc(argument) || argument.size === 0)
    throw new CommandError(40169, 'the $facet specification must be a non-empty object');
  const pipelines = [...argument].map(([name, stages]) => {
    if (!Array.isArray(stages))
      throw new CommandError(
        40170,
        `arguments to $facet must be arrays, ${name} is type ${typeName(stages)}`,
      );
    for (const stage of stages) {
      if (isDoc(stage) && stage.has('$facet'))
        throw new CommandError(40600, '$facet is not allowed to be used within a $facet stage');
    }
    return [name, parsePipeline(stages, context)] as const;
  });
  return function* (input) {
    const documents = [...input];
    const result: Doc = new Map();
    for (const [name, run] of pipelines) result.set(name, [...run(documents)]);
    yield result;
  };
};

/** `$lookup` by equality of two fields, by a pipeline with variables, or by both. */
export const lookup: BuildStage = (argument, context, name) => {
  const spec = namedDocument(
    argument,
    name,
    ['from', 'as'],
    ['localField', 'foreignField', 'let', 'pipeline'],
  );
  const [from, as] = [spec.get('from'), spec.get('as')];
  if (typeof from !== 'string' || typeof as !== 'string')
    throw new CommandError(codes.FailedToParse, "$lookup arguments 'from' and 'as' must be strings");
  const target = fieldPath(as);
  const fields = joinFields(spec);
  if (!fields && !spec.has('pipeline')) {
    throw new CommandError(
      codes.FailedToParse,
      "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
    );
  }
  const values = new Map<string, Maybe>(context.values);
  const bindings = letBindings(spec.get('let'), context);
  const inner: PipelineContext = {
    ...context,
    values,
    variables: new Set([...context.variables, ...bindings.map(([variable]) => variable)]),
  };
  const { filter, run } = innerPipeline(spec.get('pipeline'), inner);
  return function* (input) {
    for (const doc of input) {
      context.checkpoint();
      for (const [variable, expression] of bindings) {
        values.set(variable, expression({ root: doc, current: doc, variables: context.values }));
      }
      const wanted = fields ? allOf([equality(doc, fields), filter]) : filter;
      yield assign(doc, target, [...run(context.lookup(from, wanted) ?? [])]);
    }
  };
};

interface JoinFields {
  readonly local: Path;
  readonly foreign: Path;
}

function joinFields(spec: Doc): JoinFields | undefined {
  const [local, foreign] = [spec.get('localField'), spec.get('foreignField')];
  if (local === undefined && foreign === undefined) return undefined;
  if (typeof local !== 'string' || typeof foreign !== 'string') {
    throw new CommandError(
      codes.FailedToParse,
      "$lookup requires both or neither of 'localField' and 'foreignField' to be specified, as strings",
    );
  }
  return { local: fieldPath(local), foreign: fieldPath(foreign) };
}

/**
 * Builds the filter of foreign documents that share a value; a document without local values joins those without
 * foreign ones.
 */
function equality(doc: Doc, { local, foreign }: JoinFields): Filter {
  const found = leafValues(doc, local);
  const operands = found.length === 0 ? [null] : found;
  return { kind: 'field', path: foreign, test: { kind: 'in', operands, patterns: [] } };
}

function letBindings(value: Value | undefined, context: PipelineContext) {
  if (value === undefined) return [];
  if (!isDoc(value))
    throw new CommandError(
      codes.FailedToParse,
      `$lookup argument 'let' must be an object, is type ${typeName(value)}`,
    );
  return [...value].map(
    ([variable, expression]) => [variable, parseExpression(expression, context)] as const,
  );
}

/** Parses a `$lookup`'s pipeline; a leading `$match` is the filter by which the other collection is read. */
function innerPipeline(value: Value | undefined, context: PipelineContext) {
  const stages = value ?? [];
  if (!Array.isArray(stages))
    throw new CommandError(codes.FailedToParse, "$lookup argument 'pipeline' must be an array");
  const first = stages[0];
  const match = isDoc(first) && first.size === 1 ? first.get('$match') : undefined;
  if (!isDoc(match)) return { filter: allOf([]), run: parsePipeline(stages, context) };
  return { filter: parseFilter(match, context), run: parsePipeline(stages.slice(1), context) };
}
