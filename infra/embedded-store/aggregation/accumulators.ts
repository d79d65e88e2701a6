import { Double, Int32, isNumber, type Maybe, type NumberValue, type Value } from '../bson/values.js';
import { arithmetic } from '../bson-order/arithmetic.js';
import { compare } from '../bson-order/compare.js';
import { toDouble } from '../bson-order/numbers.js';

/** Collects values of a group one by one and gives the result. */
export interface Accumulator {
  add(value: Maybe): void;
  result(): Maybe;
}

export const accumulators: ReadonlyMap<string, () => Accumulator> = new Map<string, () => Accumulator>([
  ['$sum', sum],
  ['$avg', average],
  ['$min', () => extreme(-1)],
  ['$max', () => extreme(1)],
  ['$first', first],
  ['$last', last],
  ['$push', push],
  ['$addToSet', addToSet],
]);

function sum(): Accumulator {
  let total: NumberValue = new Int32(0);
  return {
    add(value) {
      if (isNumber(value)) total = arithmetic('add', total, value);
    },
    result: () => total,
  };
}

function average(): Accumulator {
  let total = 0;
  let count = 0;
  return {
    add(value) {
      if (!isNumber(value)) return;
      total += toDouble(value);
      count++;
    },
    result: () => (count === 0 ? null : new Double(total / count)),
  };
}

function extreme(wanted: number): Accumulator {
  let best: Maybe;
  return {
    add(value) {
      if (value === undefined || value === null) return;
      if (best === undefined || Math.sign(compare(value, best)) === wanted) best = value;
    },
    result: () => best ?? null,
  };
}

function first(): Accumulator {
  let value: Maybe;
  let seen = false;
  return {
    add(next) {
      if (!seen) value = next;
      seen = true;
    },
    result: () => value ?? null,
  };
}

function last(): Accumulator {
  let value: Maybe;
  return {
    add(next) {
      value = next;
    },
    result: () => value ?? null,
  };
}

function push(): Accumulator {
  const values: Value[] = [];
  return {
    add(value) {
      if (value !== undefined) values.push(value);
    },
    result: () => values,
  };
}

function addToSet(): Accumulator {
  const values: Value[] = [];
  return {
    add(value) {
      if (value !== undefined && !values.some((one) => compare(one, value) === 0)) values.push(value);
    },
    result: () => values,
  };
}
