import { isDoc, typeName, type Value } from '../../bson/values.js';
import { compare, rankOf } from '../../bson-order/compare.js';
import { CommandError } from '../../errors/errors.js';
import { type Expression, parseExpression } from '../../expressions/expression.js';
import { namedDocument } from '../../expressions/operators/operator.js';
import type { BuildStage, PipelineContext } from '../pipeline.js';
import { COUNT, grouping, outputs } from './group.js';

/** `$bucket`: groups by the range between two boundaries that a value lies in. */
export const bucket: BuildStage = (argument, context, name) => {
  const spec = namedDocument(argument, name, ['groupBy', 'boundaries'], ['default', 'output']);
  const boundaries = boundariesOf(spec.get('boundaries'), context);
  const by = groupedBy(spec.get('groupBy') as Value, context);
  const fallback = defaultOf(spec.get('default'), boundaries, context);
  const output = spec.get('output');
  const fields = isDoc(output) ? outputs(output, context) : [COUNT];
  const id: Expression = (scope) => {
    const value = by(scope) ?? null;
    const above = boundaries.findIndex((boundary) => compare(value, boundary) < 0);
    if (above > 0) return boundaries[above - 1];
    if (fallback !== undefined) return fallback;
    throw new CommandError(
      40066,
      '$switch could not find a matching branch for an input, and no default was specified.',
    );
  };
  const stage = grouping(id, fields, context);
  return (input) => [...stage(input)].sort((a, b) => compare(a.get('_id'), b.get('_id')));
};

function groupedBy(value: Value, context: PipelineContext): Expression {
  if (!isDoc(value) && !(typeof value === 'string' && value.startsWith('$'))) {
    throw new CommandError(
      40202,
      `The $bucket 'groupBy' field must be defined as a $-prefixed path or an expression, but found: ${typeName(value)}.`,
    );
  }
  return parseExpression(value, context);
}

/** Reads at least two constants of one type (numbers are one), each above the one before it. */
function boundariesOf(value: Value | undefined, context: PipelineContext): Value[] {
  if (!Array.isArray(value)) {
    throw new CommandError(
      40200,
      `The $bucket 'boundaries' field must be an array, but found type: ${value === undefined ? 'missing' : typeName(value)}.`,
    );
  }
  if (value.length < 2) {
    throw new CommandError(
      40192,
      `The $bucket 'boundaries' field must have at least 2 values, but found ${value.length} value(s).`,
    );
  }
  const boundaries = value.map((item) =>
    constant(item, context, 40191, "The $bucket 'boundaries' field must be an array of constant values"),
  );
  for (let at = 1; at < boundaries.length; at++) {
    const [lower, upper] = [boundaries[at - 1] as Value, boundaries[at] as Value];
    if (rankOf(lower) !== rankOf(upper)) {
      throw new CommandError(
        40193,
        `All values in the the 'boundaries' option to $bucket must have the same type. Found conflicting types ${typeName(lower)} and ${typeName(upper)}.`,
      );
    }
    if (compare(lower, upper) >= 0) {
      throw new CommandError(
        40194,
        `The 'boundaries' option to $bucket must be sorted, but elements ${at - 1} and ${at} are not in ascending order.`,
      );
    }
  }
  return boundaries;
}

/** Reads the default, a constant that lies in no bucket. */
function defaultOf(
  value: Value | undefined,
  boundaries: readonly Value[],
  context: PipelineContext,
): Value | undefined {
  if (value === undefined) return undefined;
  const fallback = constant(
    value,
    context,
    40195,
    "The $bucket 'default' field must be a constant expression",
  );
  if (compare(fallback, boundaries[0]) >= 0 && compare(fallback, boundaries.at(-1)) < 0) {
    throw new CommandError(
      40199,
      "The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest boundary.",
    );
  }
  return fallback;
}

function constant(value: Value, context: PipelineContext, code: number, refusal: string): Value {
  if (namesFields(value)) throw new CommandError(code, `${refusal}, but found a field path.`);
  const scope = { root: new Map(), current: new Map(), variables: context.values };
  return parseExpression(value, context)(scope) ?? null;
}

/** Checks whether an expression reads the document; what it says under `$literal` is text. */
function namesFields(value: Value): boolean {
  if (typeof value === 'string') return value.startsWith('$');
  if (Array.isArray(value)) return value.some(namesFields);
  return isDoc(value) && [...value].some(([name, part]) => name !== '$literal' && namesFields(part));
}
