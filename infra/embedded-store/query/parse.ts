import { compileRegex } from '../bson/regex.js';
import { type Doc, isDoc, Regex, type Value } from '../bson/values.js';
import { CommandError, codes, notSupported } from '../errors/errors.js';
import { type ParseContext, parseExpression, truthy } from '../expressions/expression.js';
import { BASE_CONTEXT } from '../expressions/operators/registry.js';
import { type Path, splitPath } from '../fields/path.js';
import { bitsTest, modTest, sizeOperand, typeTest } from './field-tests.js';
import { allOf, type Comparison, type Filter, MATCH_ALL, type Pattern, type Test } from './filter.js';
import { matches, passes } from './match.js';

const COMPARISONS: ReadonlySet<string> = new Set(['$eq', '$lt', '$lte', '$gt', '$gte']);
const REFUSED: ReadonlySet<string> = new Set([
  '$where',
  '$text',
  '$jsonSchema',
  '$sampleRate',
  '$geoWithin',
  '$geoIntersects',
  '$near',
  '$nearSphere',
  '$within',
  '$_internalSchemaXor',
]);

/** Parses a filter document. Throws BadValue (2) or FailedToParse (9) as MongoDB does, naming the operator. */
export function parseFilter(filter: Doc, context: ParseContext = BASE_CONTEXT): Filter {
  const parts: Filter[] = [];
  for (const [name, value] of filter) {
    if (name.startsWith('$')) parts.push(parseTopLevel(name, value, context));
    else parts.push(parseField(name, value));
  }
  return allOf(parts);
}

function parseTopLevel(name: string, value: Value, context: ParseContext): Filter {
  switch (name) {
    case '$and':
      return allOf(parseList(name, value, context));
    case '$or':
      return { kind: 'or', any: parseList(name, value, context) };
    case '$nor':
      return { kind: 'not', filter: { kind: 'or', any: parseList(name, value, context) } };
    case '$expr':
      return expressionFilter(value, context);
    case '$comment':
      return MATCH_ALL;
    case '$alwaysTrue':
      return MATCH_ALL;
    case '$alwaysFalse':
      return { kind: 'constant', value: false };
    default:
      if (REFUSED.has(name)) throw notSupported(`the query operator ${name}`);
      throw new CommandError(
        codes.BadValue,
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

function expressionFilter(value: Value, context: ParseContext): Filter {
  const expression = parseExpression(value, context);
  return { kind: 'expression', expression: (scope) => expression({ ...scope, variables: context.values }) };
}

function parseList(name: string, value: Value, context: ParseContext): Filter[] {
  if (!Array.isArray(value)) throw new CommandError(codes.BadValue, `${name} must be an array`);
  if (value.length === 0) throw new CommandError(codes.BadValue, `${name} must be a nonempty array`);
  return value.map((item) => {
    if (!isDoc(item)) {
      throw new CommandError(codes.BadValue, `$or/$and/$nor entries need to be full objects`);
    }
    return parseFilter(item, context);
  });
}

function parseField(name: string, value: Value): Filter {
  const path = conditionPath(name);
  if (value instanceof Regex)
    return { kind: 'field', path, test: { kind: 'regex', pattern: pattern(value) } };
  if (!isOperators(value))
    return { kind: 'field', path, test: { kind: 'compare', operator: '$eq', operand: value } };
  return allOf(parseOperators(name, value));
}

/**
 * Checks whether a document holds operators (`{ $gt: 1 }`) and is not a value to be equal to. A reference is such a
 * value only with both its collection and its id.
 */
export function isOperators(value: Value): value is Doc {
  if (!isDoc(value)) return false;
  const first = value.keys().next();
  if (first.done || !first.value.startsWith('$')) return false;
  return !(value.has('$ref') && value.has('$id'));
}

/** Parses the path of a condition. A part without a name is refused: which documents it means is not known here. */
function conditionPath(name: string): Path {
  const path = splitPath(name);
  if (path.length > 1 && path.includes('')) {
    throw notSupported(`the empty field name in the path '${name}' of a query`);
  }
  return path;
}

function parseOperators(name: string, operators: Doc): Filter[] {
  const parts: Filter[] = [];
  for (const [operator, operand] of operators) {
    if (operator === '$options') {
      if (!operators.has('$regex')) throw new CommandError(codes.BadValue, '$options needs a $regex');
      continue;
    }
    parts.push(parseOperator(name, operator, operand, operators));
  }
  return parts;
}

function parseOperator(name: string, operator: string, operand: Value, siblings: Doc): Filter {
  const path = conditionPath(name);
  const field = (test: Test): Filter => ({ kind: 'field', path, test });
  const not = (filter: Filter): Filter => ({ kind: 'not', filter });
  if (COMPARISONS.has(operator)) return field(comparison(operator as Comparison, operand));
  switch (operator) {
    case '$ne':
      if (operand instanceof Regex) throw new CommandError(codes.BadValue, "Can't have regex as arg to $ne.");
      return not(field({ kind: 'compare', operator: '$eq', operand }));
    case '$in':
      return field(membership(operator, operand));
    case '$nin':
      return not(field(membership(operator, operand)));
    case '$not':
      return not(negated(name, operand));
    case '$exists':
      return truthy(operand) ? field({ kind: 'exists' }) : not(field({ kind: 'exists' }));
    case '$regex':
      return field({ kind: 'regex', pattern: pattern(regexOperand(operand, siblings.get('$options'))) });
    case '$type':
      return field(typeTest(operand));
    case '$size':
      return field({ kind: 'size', size: sizeOperand(operand) });
    case '$mod':
      return field(modTest(operand));
    case '$bitsAllSet':
    case '$bitsAllClear':
    case '$bitsAnySet':
    case '$bitsAnyClear':
      return field(bitsTest(operator, operand));
    case '$all':
      return all(name, operand);
    case '$elemMatch':
      return field(elementMatch(operand));
    default:
      if (REFUSED.has(operator)) throw notSupported(`the query operator ${operator}`);
      throw new CommandError(codes.BadValue, `unknown operator: ${operator}`);
  }
}

function comparison(operator: Comparison, operand: Value): Test {
  if (operand instanceof Regex && operator !== '$eq') {
    throw new CommandError(codes.BadValue, `Can't have RegEx as arg to predicate over field`);
  }
  return { kind: 'compare', operator, operand };
}

function membership(operator: string, operand: Value): Test {
  if (!Array.isArray(operand)) throw new CommandError(codes.BadValue, `${operator} needs an array`);
  const operands: Value[] = [];
  const patterns: Pattern[] = [];
  for (const item of operand) {
    if (isOperators(item)) throw new CommandError(codes.BadValue, `cannot nest $ under ${operator}`);
    if (item instanceof Regex) patterns.push(pattern(item));
    else operands.push(item);
  }
  return { kind: 'in', operands, patterns };
}

function negated(name: string, operand: Value): Filter {
  if (operand instanceof Regex) {
    return { kind: 'field', path: conditionPath(name), test: { kind: 'regex', pattern: pattern(operand) } };
  }
  if (!isDoc(operand)) throw new CommandError(codes.BadValue, '$not needs a regex or a document');
  if (operand.size === 0) throw new CommandError(codes.BadValue, '$not cannot be empty');
  for (const inner of operand.keys()) {
    if (!inner.startsWith('$')) throw new CommandError(codes.BadValue, `unknown operator: ${inner}`);
  }
  return allOf(parseOperators(name, operand));
}

function all(name: string, operand: Value): Filter {
  if (!Array.isArray(operand)) throw new CommandError(codes.BadValue, '$all needs an array');
  if (operand.length === 0) return { kind: 'constant', value: false };
  return allOf(
    operand.map((item): Filter => {
      if (isDoc(item) && item.keys().next().value === '$elemMatch') {
        return allOf(parseOperators(name, item));
      }
      if (isOperators(item)) throw new CommandError(codes.BadValue, 'no $ expressions in $all');
      return parseField(name, item);
    }),
  );
}

/** Parses `$elemMatch` on documents (a filter of its own) or on values (operators alone). */
export function elementMatch(operand: Value): Test {
  if (!isDoc(operand)) throw new CommandError(codes.BadValue, '$elemMatch needs an Object');
  const first = operand.keys().next().value;
  const onValues =
    first?.startsWith('$') && first !== '$and' && first !== '$or' && first !== '$nor' && first !== '$expr';
  if (!onValues) return { kind: 'elementDocument', filter: parseFilter(operand) };
  // The element itself is asked, as if it were the field of a document that holds nothing else.
  const filters = parseOperators('element', operand);
  const tests = filters.flatMap((part) => (part.kind === 'field' ? [part.test] : []));
  return {
    kind: 'elementValue',
    tests,
    accepts: (element) => filters.every((part) => acceptsElement(part, element)),
  };
}

function acceptsElement(filter: Filter, element: Value): boolean {
  if (filter.kind === 'field') {
    return passes(filter.test, element);
  }
  if (filter.kind === 'not') return !acceptsElement(filter.filter, element);
  if (filter.kind === 'and') return filter.all.every((part) => acceptsElement(part, element));
  return matches(filter, new Map([['element', element]]));
}

function regexOperand(operand: Value, options: Value | undefined): Regex {
  if (options !== undefined && typeof options !== 'string') {
    throw new CommandError(codes.BadValue, '$options has to be a string');
  }
  if (operand instanceof Regex) {
    if (options !== undefined && operand.options !== '') {
      throw new CommandError(51075, 'options set in both $regex and $options');
    }
    return new Regex(operand.pattern, options ?? operand.options);
  }
  if (typeof operand !== 'string') throw new CommandError(codes.BadValue, '$regex has to be a string');
  return new Regex(operand, options ?? '');
}

function pattern(source: Regex): Pattern {
  return { source, regexp: compileRegex(source) };
}
