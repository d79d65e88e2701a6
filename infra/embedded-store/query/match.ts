import {
  Decimal128,
  type Doc,
  Double,
  isDoc,
  MaxKey,
  type Maybe,
  MinKey,
  Regex,
  type Value,
} from '../bson/values.js';
import { compare, equal, rank, rankOf } from '../bson-order/compare.js';
import { evaluate, truthy } from '../expressions/expression.js';
import { someAt } from '../fields/path.js';
import type { Comparison, Filter, Pattern, Test } from './filter.js';

/** Details of a match: the position that the positional operator `$` means. */
export interface MatchDetails {
  arrayIndex?: number;
}

/** Checks whether a document matches a filter. */
export function matches(filter: Filter, doc: Doc, details?: MatchDetails): boolean {
  switch (filter.kind) {
    case 'constant':
      return filter.value;
    case 'and':
      for (const part of filter.all) if (!matches(part, doc, details)) return false;
      return true;
    case 'or':
      for (const part of filter.any) if (matches(part, doc, details)) return true;
      return false;
    case 'not':
      return !matches(filter.filter, doc);
    case 'expression':
      return truthy(evaluate(filter.expression, doc));
    case 'field':
      return matchesField(filter.path, filter.test, doc, details);
  }
}

function matchesField(path: readonly string[], test: Test, doc: Doc, details?: MatchDetails): boolean {
  const leaf = test.kind === 'size' || isElementTest(test) ? 'whole' : 'each';
  return someAt(doc, path, leaf, (value, index) => {
    if (!passes(test, value)) return false;
    if (details !== undefined) {
      const position = isElementTest(test) ? elementIndex(test, value) : undefined;
      const found = index ?? position;
      if (found !== undefined) details.arrayIndex = found;
    }
    return true;
  });
}

function isElementTest(test: Test): test is Extract<Test, { kind: 'elementValue' | 'elementDocument' }> {
  return test.kind === 'elementValue' || test.kind === 'elementDocument';
}

/** Finds the position of the first element of an array that an $elemMatch accepts, or undefined. */
export function elementIndex(test: Test, value: Maybe): number | undefined {
  if (!Array.isArray(value)) return undefined;
  const index = value.findIndex((item) => acceptsElement(test, item));
  return index < 0 ? undefined : index;
}

function acceptsElement(test: Test, item: Value): boolean {
  if (test.kind === 'elementValue') return test.accepts(item);
  if (test.kind !== 'elementDocument') return false;
  if (isDoc(item)) return matches(test.filter, item);
  // An array within the array is read as a document whose fields are its positions.
  return Array.isArray(item) && matches(test.filter, new Map(item.map((inner, at) => [String(at), inner])));
}

/** From how many values on the texts among them are looked up. */
const MANY = 16;
/** The texts of long lists, as long as their query is run: each document would else be held against all of them. */
const texts = new WeakMap<readonly unknown[], ReadonlySet<unknown>>();

function isOneOf(operands: Extract<Test, { kind: 'in' }>['operands'], value: Maybe): boolean {
  if (typeof value !== 'string' || operands.length < MANY) {
    return operands.some((operand) => passesComparison('$eq', operand, value));
  }
  let known = texts.get(operands);
  if (!known) {
    known = new Set(operands.filter((operand) => typeof operand === 'string'));
    texts.set(operands, known);
  }
  return known.has(value);
}

/** Checks whether one value passes a test; undefined stands for a field that is not there. */
export function passes(test: Test, value: Maybe): boolean {
  switch (test.kind) {
    case 'compare':
      return passesComparison(test.operator, test.operand, value);
    case 'in':
      return isOneOf(test.operands, value) || test.patterns.some((pattern) => passesPattern(pattern, value));
    case 'regex':
      return passesPattern(test.pattern, value);
    case 'exists':
      return value !== undefined;
    case 'value':
      return value !== undefined && test.accepts(value);
    case 'size':
      return Array.isArray(value) && value.length === test.size;
    case 'elementValue':
    case 'elementDocument':
      return elementIndex(test, value) !== undefined;
  }
}

/** Comparisons hold only within one type of BSON order; null also stands for a missing field. */
export function passesComparison(operator: Comparison, operand: Value, value: Maybe): boolean {
  if (value === undefined || value === null) {
    if (operand === null) return operator !== '$lt' && operator !== '$gt';
    return passesExtreme(operator, operand);
  }
  if (rankOf(value) !== rankOf(operand)) return passesExtreme(operator, operand);
  if (isNotANumber(operand) || isNotANumber(value)) {
    return isNotANumber(operand) && isNotANumber(value) && operator !== '$lt' && operator !== '$gt';
  }
  if (operator === '$eq') return equal(value, operand);
  const order = compare(value, operand);
  switch (operator) {
    case '$lt':
      return order < 0;
    case '$lte':
      return order <= 0;
    case '$gt':
      return order > 0;
    case '$gte':
      return order >= 0;
  }
}

function passesExtreme(operator: Comparison, operand: Value): boolean {
  if (operand instanceof MaxKey) return operator === '$lt' || operator === '$lte';
  return operand instanceof MinKey && (operator === '$gt' || operator === '$gte');
}

export function isNotANumber(value: Value): boolean {
  if (value instanceof Double) return Number.isNaN(value.value);
  return value instanceof Decimal128 && value.toString() === 'NaN';
}

function passesPattern(pattern: Pattern, value: Maybe): boolean {
  if (typeof value === 'string') return pattern.regexp.test(value);
  return (
    value instanceof Regex &&
    rankOf(value) === rank.regex &&
    value.pattern === pattern.source.pattern &&
    value.options === pattern.source.options
  );
}
