import { show } from '../bson/show.js';
import {
  type Doc,
  Int32,
  isDoc,
  isNumber,
  type Maybe,
  type NumberValue,
  Timestamp,
  typeName,
  UtcDate,
  type Value,
} from '../bson/values.js';
import { arithmetic, IntegerOverflow } from '../bson-order/arithmetic.js';
import { compare } from '../bson-order/compare.js';
import { CommandError, codes, notSupported } from '../errors/errors.js';
import { type Path, splitPath } from '../fields/path.js';
import { addToSet, pop, pull, pullAll, push } from './array-operators.js';
import type { FieldUpdate } from './field-update.js';
import { rename } from './rename.js';

type Build = (
  path: Path,
  operand: Value,
  name: string,
) => Pick<FieldUpdate, 'apply' | 'creates'> & Partial<FieldUpdate>;

const OPERATORS: ReadonlyMap<string, Build> = new Map<string, Build>([
  ['$set', (_path, operand) => ({ creates: true, apply: () => operand })],
  ['$setOnInsert', (_path, operand) => ({ creates: true, apply: () => operand })],
  ['$unset', () => ({ creates: false, apply: () => undefined })],
  ['$inc', increment],
  ['$mul', multiply],
  ['$min', (_path, operand) => ({ creates: true, apply: (current) => extreme(current, operand, -1) })],
  ['$max', (_path, operand) => ({ creates: true, apply: (current) => extreme(current, operand, 1) })],
  ['$currentDate', currentDate],
  ['$rename', rename],
  ['$push', push],
  ['$addToSet', addToSet],
  ['$pull', pull],
  ['$pullAll', pullAll],
  ['$pop', pop],
  ['$bit', bit],
]);

/** Parses `{ $set: {...}, $inc: {...} }` to its fields, in the order in which MongoDB applies them. */
export function parseOperators(update: Doc): FieldUpdate[] {
  const fields: FieldUpdate[] = [];
  for (const [operator, argument] of update) {
    const build = OPERATORS.get(operator);
    if (build === undefined) {
      if (operator === '$pushAll') throw notSupported('the update operator $pushAll', codes.FailedToParse);
      throw new CommandError(
        codes.FailedToParse,
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    if (!isDoc(argument)) {
      throw new CommandError(
        codes.FailedToParse,
        `Modifiers operate on fields but we found type ${typeName(argument)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ${show(argument)}}`,
      );
    }
    for (const [name, operand] of argument) {
      const path = parsePath(name);
      fields.push({ operator, path, ...build(path, operand, name) });
    }
  }
  checkConflicts(fields, update);
  return fields.sort((a, b) => comparePaths(a.path, b.path));
}

function parsePath(name: string): Path {
  if (name === '') throw new CommandError(codes.EmptyFieldName, 'An empty update path is not valid.');
  const path = splitPath(name);
  if (path.includes('')) {
    throw new CommandError(
      codes.EmptyFieldName,
      `The update path '${name}' contains an empty field name, which is not allowed.`,
    );
  }
  if (path[0]?.startsWith('$')) {
    throw path[0] === '$' || path[0].startsWith('$[')
      ? new CommandError(
          codes.BadValue,
          `Cannot have array filter identifier or positional operator at the start of path '${name}'`,
        )
      : new CommandError(
          codes.DollarPrefixedFieldName,
          `The dollar ($) prefixed field '${path[0]}' in '${name}' is not valid for storage.`,
        );
  }
  if (path.filter((part) => part === '$').length > 1) {
    throw new CommandError(codes.BadValue, `Too many positional (i.e. '$') elements found in path '${name}'`);
  }
  for (const part of path) {
    if (part.startsWith('$') && part !== '$' && !/^\$\[[^\]]*\]$/.test(part)) {
      throw new CommandError(
        codes.DollarPrefixedFieldName,
        `The dollar ($) prefixed field '${part}' in '${name}' is not valid for storage.`,
      );
    }
  }
  return path;
}

/** Paths apply in order of their names, positions in order of their numbers. */
function comparePaths(a: Path, b: Path): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const [x, y] = [a[at] as string, b[at] as string];
    if (x === y) continue;
    const both = /^\d+$/.test(x) && /^\d+$/.test(y);
    return both ? Number(x) - Number(y) : x < y ? -1 : 1;
  }
  return a.length - b.length;
}

function checkConflicts(fields: readonly FieldUpdate[], update: Doc): void {
  const names = fields.map((field) => field.path.join('.'));
  const renamed = update.get('$rename');
  if (isDoc(renamed))
    for (const target of renamed.values()) if (typeof target === 'string') names.push(target);
  const sorted = names.toSorted((a, b) => (`${a}.` < `${b}.` ? -1 : 1));
  for (let at = 1; at < sorted.length; at++) {
    const [shorter, longer] = [sorted[at - 1] as string, sorted[at] as string];
    if (`${longer}.`.startsWith(`${shorter}.`)) {
      throw new CommandError(
        codes.ConflictingUpdateOperators,
        `Updating the path '${longer}' would create a conflict at '${shorter}'`,
      );
    }
  }
}

function increment(_path: Path, operand: Value, name: string): ReturnType<Build> {
  if (!isNumber(operand)) {
    throw new CommandError(
      codes.TypeMismatch,
      `Cannot increment with non-numeric argument: {${name}: ${show(operand)}}`,
    );
  }
  return {
    creates: true,
    apply: (current, _context, root) => calculate('$inc', 'add', current, operand, name, root),
  };
}

function multiply(_path: Path, operand: Value, name: string): ReturnType<Build> {
  if (!isNumber(operand)) {
    throw new CommandError(
      codes.TypeMismatch,
      `Cannot multiply with non-numeric argument: {${name}: ${show(operand)}}`,
    );
  }
  return {
    creates: true,
    apply: (current, _context, root) =>
      calculate('$mul', 'multiply', current ?? (current === null ? null : new Int32(0)), operand, name, root),
  };
}

function calculate(
  operator: string,
  operation: 'add' | 'multiply',
  current: Maybe,
  operand: NumberValue,
  name: string,
  root: Doc,
): Value {
  if (current === undefined) return operand;
  if (!isNumber(current)) {
    throw new CommandError(
      codes.TypeMismatch,
      `Cannot apply ${operator} to a value of non-numeric type. {_id: ${show(root.get('_id') ?? null)}} has the field '${name.split('.').at(-1)}' of non-numeric type ${typeName(current)}`,
    );
  }
  try {
    return arithmetic(operation, current, operand);
  } catch (error) {
    if (!(error instanceof IntegerOverflow)) throw error;
    throw new CommandError(
      codes.BadValue,
      `Failed to apply ${operator} operations to current value ((NumberLong)${show(current)}) for document {_id: ${show(root.get('_id') ?? null)}}`,
    );
  }
}

function extreme(current: Maybe, operand: Value, wanted: number): Value {
  if (current === undefined) return operand;
  return Math.sign(compare(operand, current)) === wanted ? operand : current;
}

function currentDate(_path: Path, operand: Value, name: string): ReturnType<Build> {
  let type: 'date' | 'timestamp' = 'date';
  if (isDoc(operand)) {
    const wanted = operand.get('$type');
    if (operand.size !== 1 || !(wanted === 'date' || wanted === 'timestamp')) {
      throw new CommandError(
        codes.BadValue,
        `The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {${name}: ${show(operand)}}}`,
      );
    }
    type = wanted;
  } else if (typeof operand !== 'boolean') {
    throw new CommandError(
      codes.BadValue,
      `${typeName(operand)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
    );
  }
  return {
    creates: true,
    apply: (_current, { now }) =>
      type === 'date' ? new UtcDate(now) : new Timestamp((BigInt(Math.floor(now / 1000)) << 32n) | 1n),
  };
}

function bit(_path: Path, operand: Value, name: string): ReturnType<Build> {
  if (!isDoc(operand) || operand.size === 0) {
    throw new CommandError(
      codes.BadValue,
      `The $bit modifier is not compatible with a ${typeName(operand)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}}`,
    );
  }
  const steps = [...operand].map(([kind, mask]) => {
    if (kind !== 'and' && kind !== 'or' && kind !== 'xor') {
      throw new CommandError(
        codes.BadValue,
        `The $bit modifier only supports 'and', 'or', and 'xor', not '${kind}' which is an unknown operator: {${kind}: ${show(mask)}}`,
      );
    }
    if (!(mask instanceof Int32) && typeof mask !== 'bigint') {
      throw new CommandError(
        codes.BadValue,
        `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(mask)}' is not supported here: {${kind}: ${show(mask)}}`,
      );
    }
    return { kind: kind as 'and' | 'or' | 'xor', mask };
  });
  return {
    creates: true,
    apply: (current, _context, root) => {
      let value: Value = current ?? new Int32(0);
      if (!(value instanceof Int32) && typeof value !== 'bigint') {
        throw new CommandError(
          codes.BadValue,
          `Cannot apply $bit to a value of non-integral type.{_id: ${show(root.get('_id') ?? null)}} has the field ${name.split('.').at(-1)} of non-integer type ${typeName(value)}`,
        );
      }
      for (const { kind, mask } of steps) value = combineBits(kind, value, mask);
      return value;
    },
  };
}

function combineBits(kind: 'and' | 'or' | 'xor', a: Int32 | bigint, b: Int32 | bigint): Int32 | bigint {
  const x = a instanceof Int32 ? BigInt(a.value) : a;
  const y = b instanceof Int32 ? BigInt(b.value) : b;
  const result = kind === 'and' ? x & y : kind === 'or' ? x | y : x ^ y;
  return a instanceof Int32 && b instanceof Int32 ? new Int32(Number(result)) : result;
}
