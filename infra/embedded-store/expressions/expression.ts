import { type Doc, isDoc, isNumber, type Maybe, UtcDate, type Value } from '../bson/values.js';
import { parseNumber } from '../bson-order/numbers.js';
import { CommandError, codes, notSupported } from '../errors/errors.js';
import { splitPath } from '../fields/path.js';

/** What an expression is evaluated against. */
export interface Scope {
  readonly root: Doc;
  readonly current: Maybe;
  readonly variables: ReadonlyMap<string, Maybe>;
}

/** A parsed aggregation expression; undefined is a missing value. */
export type Expression = (scope: Scope) => Maybe;

/** Builds an expression from an operator's argument. */
export type BuildOperator = (argument: Value, context: ParseContext, name: string) => Expression;

/** The operators that an expression may use. */
interface OperatorTable {
  readonly builders: ReadonlyMap<string, BuildOperator>;
  /** Operators that MongoDB knows and this store does not support. */
  readonly refused: ReadonlySet<string>;
}

/** What an expression's text may refer to. */
export interface ParseContext {
  readonly operators: OperatorTable;
  readonly variables: ReadonlySet<string>;
  /** The values of those variables that are set outside of the expression: `let` of a `$lookup`. */
  readonly values: ReadonlyMap<string, Maybe>;
  /** `$$NOW` in ms since the epoch, the same for a whole command. */
  readonly now: number;
}

/** Removes a field: the value of `$$REMOVE`. */
const REMOVE: Maybe = undefined;
const NO_VARIABLES: ReadonlyMap<string, Maybe> = new Map();

/** Parses an expression. Throws what MongoDB throws for unknown operators, variables and wrong arguments. */
export function parseExpression(value: Value, context: ParseContext): Expression {
  if (typeof value === 'string' && value.startsWith('$')) return parseReference(value, context);
  if (Array.isArray(value)) {
    const items = value.map((item) => parseExpression(item, context));
    return (scope) => items.map((item) => item(scope) ?? null);
  }
  if (isDoc(value)) return parseDocument(value, context);
  return () => value;
}

/** Returns the value of an expression for a document. */
export function evaluate(expression: Expression, doc: Doc, variables = NO_VARIABLES): Maybe {
  return expression({ root: doc, current: doc, variables });
}

/** Evaluates truth as `$cond`, `$and` and `$expr` do: false, null, missing and zero are false. */
export function truthy(value: Maybe): boolean {
  if (value === undefined || value === null || value === false) return false;
  if (!isNumber(value)) return true;
  const parsed = parseNumber(value);
  return typeof parsed === 'string' || parsed.digits !== 0n;
}

function parseReference(text: string, context: ParseContext): Expression {
  if (!text.startsWith('$$')) {
    const path = fieldPath(text.slice(1));
    return (scope) => pathValue(scope.current, path, 0);
  }
  const [name = '', ...rest] = text.slice(2).split('.');
  if (rest.includes('')) throw new CommandError(15998, 'FieldPath field names may not be empty strings.');
  const source = variable(name, context);
  return (scope) => pathValue(source(scope), rest, 0);
}

export function fieldPath(text: string): readonly string[] {
  if (text === '') throw new CommandError(16872, "'$' by itself is not a valid FieldPath");
  if (text.endsWith('.')) throw new CommandError(40353, "FieldPath must not end with a '.'.");
  const path = splitPath(text);
  if (path.includes('')) throw new CommandError(15998, 'FieldPath field names may not be empty strings.');
  const dollar = path.find((part) => part.startsWith('$'));
  if (dollar !== undefined) {
    throw new CommandError(
      16410,
      `FieldPath field names may not start with '$'. Consider using $getField or $setField.`,
    );
  }
  return path;
}

function variable(name: string, context: ParseContext): Expression {
  if (context.variables.has(name)) return (scope) => scope.variables.get(name);
  switch (name) {
    case 'ROOT':
      return (scope) => scope.root;
    case 'CURRENT':
      return (scope) => scope.current;
    case 'REMOVE':
      return () => REMOVE;
    case 'NOW': {
      if (Number.isNaN(context.now)) throw notSupported('$$NOW here', codes.BadValue);
      const now = new UtcDate(context.now);
      return () => now;
    }
    case 'CLUSTER_TIME':
    case 'USER_ROLES':
    case 'SEARCH_META':
      throw notSupported(`the variable $$${name}`, codes.BadValue);
    default:
      throw new CommandError(17276, `Use of undefined variable: ${name}`);
  }
}

/** Reads the value of a path in expressions: arrays on the way are mapped, and positions mean nothing. */
function pathValue(value: Maybe, path: readonly string[], depth: number): Maybe {
  let node = value;
  for (let at = depth; at < path.length; at++) {
    if (Array.isArray(node)) {
      return node.flatMap((item) => {
        const found = isDoc(item) || Array.isArray(item) ? pathValue(item, path, at) : undefined;
        return found === undefined ? [] : [found];
      });
    }
    if (!isDoc(node)) return undefined;
    node = node.get(path[at] as string);
  }
  return node;
}

function parseDocument(document: Doc, context: ParseContext): Expression {
  const first = document.keys().next().value;
  if (first?.startsWith('$')) {
    if (document.size !== 1) {
      throw new CommandError(
        15983,
        `an expression specification must contain exactly one field, the name of the expression. Found ${document.size} fields`,
      );
    }
    const build = context.operators.builders.get(first);
    if (build === undefined) {
      if (context.operators.refused.has(first))
        throw notSupported(`the expression ${first}`, codes.InvalidPipelineOperator);
      throw new CommandError(codes.InvalidPipelineOperator, `Unrecognized expression '${first}'`);
    }
    return build(document.get(first) as Value, context, first);
  }
  const fields = [...document].map(([name, value]) => {
    if (name.startsWith('$')) throw new CommandError(16410, `FieldPath field names may not start with '$'.`);
    if (name.includes('.')) throw new CommandError(16405, `FieldPath field names may not contain '.'.`);
    return [name, parseExpression(value, context)] as const;
  });
  return (scope) => {
    const result: Doc = new Map();
    for (const [name, expression] of fields) {
      const value = expression(scope);
      if (value !== undefined) result.set(name, value);
    }
    return result;
  };
}
