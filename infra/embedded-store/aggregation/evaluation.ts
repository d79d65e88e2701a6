import { type Doc, isNumber, type Maybe, type Value } from '../bson/values.js';
import { parseNumber } from '../bson-order/numbers.js';

/** What an expression is evaluated against. */
export interface Scope {
  readonly root: Doc;
  readonly current: Maybe;
  readonly variables: ReadonlyMap<string, Maybe>;
}

/** A parsed aggregation expression; undefined is a missing value. */
export type Expression = (scope: Scope) => Maybe;

/** What an expression's text may refer to. */
export interface ParseContext {
  readonly variables: ReadonlySet<string>;
  /** The values of those variables that are set outside of the expression: `let` of a `$lookup`. */
  readonly values: ReadonlyMap<string, Maybe>;
  /** `$$NOW` in ms since the epoch, the same for a whole command. */
  readonly now: number;
}

/** The context of an operator's arguments: it parses them by `parse`, since operators are what expressions are made of. */
export interface OperatorContext extends ParseContext {
  parse(value: Value, context: OperatorContext): Expression;
}

const NO_VARIABLES: ReadonlyMap<string, Maybe> = new Map();
export const NO_CONTEXT: ParseContext = { variables: new Set(), values: NO_VARIABLES, now: Number.NaN };

/** The value of an expression for a document. */
export function evaluate(expression: Expression, doc: Doc, variables = NO_VARIABLES): Maybe {
  return expression({ root: doc, current: doc, variables });
}

/** Truth as `$cond`, `$and` and `$expr` see it: false, null, missing and zero are false. */
export function truthy(value: Maybe): boolean {
  if (value === undefined || value === null || value === false) return false;
  if (!isNumber(value)) return true;
  const parsed = parseNumber(value);
  return typeof parsed === 'string' || parsed.digits !== 0n;
}
