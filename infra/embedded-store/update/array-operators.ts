import { show } from '../bson/show.js';
import { type Doc, isDoc, isNumber, type Maybe, Regex, typeName, type Value } from '../bson/values.js';
import { compare, equal } from '../bson-order/compare.js';
import { integer } from '../bson-order/integers.js';
import { toDouble } from '../bson-order/numbers.js';
import { CommandError, codes } from '../errors/errors.js';
import type { Path } from '../fields/path.js';
import { parseSort, sortBy } from '../fields/sort.js';
import { matches } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import type { FieldUpdate } from './field-update.js';

type Operator = Pick<FieldUpdate, 'apply' | 'creates'>;

/** Parses `$push`: one value, or `$each` with `$position`, then `$sort`, then `$slice`, as MongoDB applies them. */
export function push(_path: Path, operand: Value, name: string): Operator {
  const { each, position, slice, order } = pushModifiers(operand);
  return {
    creates: true,
    apply: (current, _context, root) => {
      const array = [...arrayOr(current, '$push', name, root)];
      array.splice(positionIn(array, position), 0, ...each);
      return cut(order(array), slice);
    },
  };
}

interface PushModifiers {
  readonly each: readonly Value[];
  readonly position: number | undefined;
  readonly slice: number | undefined;
  readonly order: (array: Value[]) => Value[];
}

function pushModifiers(operand: Value): PushModifiers {
  const plain = { position: undefined, slice: undefined, order: (array: Value[]) => array };
  if (!isDoc(operand) || !operand.has('$each')) return { ...plain, each: [operand] };
  for (const name of operand.keys()) {
    if (!['$each', '$position', '$slice', '$sort'].includes(name)) {
      throw new CommandError(codes.BadValue, `Unrecognized clause in $push: ${name}`);
    }
  }
  const each = operand.get('$each');
  if (!Array.isArray(each)) {
    throw new CommandError(
      codes.BadValue,
      `The argument to $each in $push must be an array but it was of type: ${typeName(each)}`,
    );
  }
  return {
    each,
    position: wholeNumber(operand, '$position'),
    slice: wholeNumber(operand, '$slice'),
    order: pushOrder(operand.get('$sort')),
  };
}

function wholeNumber(operand: Doc, name: string): number | undefined {
  const value = operand.get(name);
  if (value === undefined) return undefined;
  const whole = integer(value);
  if (whole === undefined) {
    throw new CommandError(
      codes.BadValue,
      `The value for ${name} must be an integer value but was given type: ${typeName(value)}`,
    );
  }
  return Number(whole);
}

function pushOrder(sort: Value | undefined): (array: Value[]) => Value[] {
  if (sort === undefined) return (array) => array;
  if (isDoc(sort)) {
    if (sort.size === 0)
      throw new CommandError(codes.BadValue, 'The $sort pattern is empty when it should be a set of fields.');
    const order = parseSort(sort);
    return (array) => (order ? sortBy(array, order, (item) => (isDoc(item) ? item : new Map())) : array);
  }
  const direction = isNumber(sort) ? toDouble(sort) : 0;
  if (direction !== 1 && direction !== -1) {
    throw new CommandError(codes.BadValue, 'The $sort element value must be either 1 or -1');
  }
  return (array) => array.toSorted((a, b) => compare(a, b) * direction);
}

function positionIn(array: Value[], position: number | undefined): number {
  if (position === undefined) return array.length;
  return position < 0 ? Math.max(0, array.length + position) : Math.min(position, array.length);
}

function cut(array: Value[], slice: number | undefined): Value[] {
  if (slice === undefined) return array;
  return slice < 0 ? array.slice(slice) : array.slice(0, slice);
}

/** Parses `$addToSet`, which appends what is not in the array yet. */
export function addToSet(_path: Path, operand: Value, name: string): Operator {
  let added: readonly Value[] = [operand];
  if (isDoc(operand) && operand.keys().next().value === '$each') {
    const each = operand.get('$each');
    if (!Array.isArray(each)) {
      throw new CommandError(
        codes.TypeMismatch,
        `The argument to $each in $addToSet must be an array but it was of type ${typeName(each)}`,
      );
    }
    if (operand.size > 1) {
      throw new CommandError(
        codes.BadValue,
        `Found unexpected fields after $each in $addToSet: ${show(operand)}`,
      );
    }
    added = each;
  }
  return {
    creates: true,
    apply: (current, _context, root) => {
      const array = [...arrayOr(current, '$addToSet', name, root)];
      for (const value of added) if (!array.some((item) => equal(item, value))) array.push(value);
      return array;
    },
  };
}

/** Parses `$pull`, which removes elements equal to a value, or those that a condition accepts. */
export function pull(_path: Path, operand: Value, name: string): Operator {
  const accepts = pullCondition(operand);
  return {
    creates: false,
    apply: (current, _context, root) => {
      if (current === undefined) return undefined;
      return existingArray(current, '$pull', name, root).filter((item) => !accepts(item));
    },
  };
}

function pullCondition(operand: Value): (item: Value) => boolean {
  if (operand instanceof Regex) return onElement(operand);
  if (!isDoc(operand)) return (item) => equal(item, operand);
  const first = operand.keys().next().value;
  const logical = first === '$and' || first === '$or' || first === '$nor';
  if (first?.startsWith('$') && !logical) return onElement(operand);
  const filter = parseFilter(operand);
  return (item) => isDoc(item) && matches(filter, item);
}

/** Builds a condition on the element itself, asked as if it were the only field of a document. */
function onElement(operand: Value): (item: Value) => boolean {
  const filter = parseFilter(new Map([['element', operand]]));
  return (item) => matches(filter, new Map([['element', item]]));
}

export function pullAll(_path: Path, operand: Value, name: string): Operator {
  if (!Array.isArray(operand)) {
    throw new CommandError(
      codes.BadValue,
      `$pullAll requires an array argument but was given a ${typeName(operand)}`,
    );
  }
  return {
    creates: false,
    apply: (current, _context, root) => {
      if (current === undefined) return undefined;
      const array = existingArray(current, '$pullAll', name, root);
      return array.filter((item) => !operand.some((value) => equal(item, value)));
    },
  };
}

/** Parses `$pop`, which removes the last element (1) or the first (-1). */
export function pop(_path: Path, operand: Value, name: string): Operator {
  const end = isNumber(operand) ? toDouble(operand) : 0;
  if (end !== 1 && end !== -1) {
    throw new CommandError(codes.FailedToParse, `$pop expects 1 or -1, found: ${show(operand)}`);
  }
  return {
    creates: false,
    apply: (current) => {
      if (current === undefined) return undefined;
      if (!Array.isArray(current)) {
        throw new CommandError(
          codes.TypeMismatch,
          `Path '${name}' contains an element of non-array type '${typeName(current)}'`,
        );
      }
      return end === 1 ? current.slice(0, -1) : current.slice(1);
    },
  };
}

function arrayOr(current: Maybe, operator: string, name: string, root: Doc): Value[] {
  return current === undefined ? [] : existingArray(current, operator, name, root);
}

function existingArray(current: Value, operator: string, name: string, root: Doc): Value[] {
  if (Array.isArray(current)) return current;
  if (operator === '$push') {
    throw new CommandError(
      codes.BadValue,
      `The field '${name}' must be an array but is of type ${typeName(current)} in document {_id: ${show(root.get('_id') ?? null)}}`,
    );
  }
  throw new CommandError(codes.BadValue, `Cannot apply ${operator} to a non-array value`);
}
