import { type Doc, isDoc, type Maybe, UtcDate, type Value } from '../bson/values.js';
import { CommandError, codes, notSupported } from '../errors.js';
import { splitPath } from '../query/path.js';
import { type Expression, NO_CONTEXT, type ParseContext } from './evaluation.js';
import { operators, REFUSED_EXPRESSIONS } from './operators/registry.js';

/** Removes a field: the value of `$$REMOVE`. */
const REMOVE: Maybe = undefined;

/** Parses an expression. Throws what MongoDB throws for unknown operators, variables and wrong arguments. */
export function parseExpression(value: Value, context: ParseContext = NO_CONTEXT): Expression {
  if (typeof value === 'string' && value.startsWith('$')) return parseReference(value, context);
  if (Array.isArray(value)) {
    const items = value.map((item) => parseExpression(item, context));
    return (scope) => items.map((item) => item(scope) ?? null);
  }
  if (isDoc(value)) return parseDocument(value, context);
  return () => value;
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

/** Value of a path in expressions: arrays on the way are mapped, and positions mean nothing. */
export function pathValue(value: Maybe, path: readonly string[], depth: number): Maybe {
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
    const build = operators.get(first);
    if (build === undefined) {
      if (REFUSED_EXPRESSIONS.has(first))
        throw notSupported(`the expression ${first}`, codes.InvalidPipelineOperator);
      throw new CommandError(codes.InvalidPipelineOperator, `Unrecognized expression '${first}'`);
    }
    return build(document.get(first) as Value, { ...context, parse: parseExpression }, first);
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
