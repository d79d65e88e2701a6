import {
  Decimal128,
  Double,
  Int32,
  isNumber,
  type Maybe,
  type NumberValue,
  type Value,
} from '../../bson/values.js';
import { arithmetic, divide, narrowest } from '../../bson-order/arithmetic.js';
import { compare } from '../../bson-order/compare.js';
import { encodeKey } from '../../bson-order/keys.js';
import { toDouble } from '../../bson-order/numbers.js';
import { merge } from './objects.js';

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
  ['$stdDevPop', () => deviation(0)],
  ['$stdDevSamp', () => deviation(1)],
  ['$mergeObjects', mergeObjects],
]);

/**
 * A running total: integers exactly, doubles with their rounding errors carried along, decimals apart. The
 * result has the widest type that was added.
 */
class Total {
  private whole = 0n;
  private high = 0;
  private low = 0;
  private decimals: Decimal128 | undefined;
  private widest: 'int' | 'long' | 'double' = 'int';
  count = 0;

  add(value: NumberValue): void {
    this.count++;
    if (value instanceof Decimal128) {
      const total = this.decimals === undefined ? value : arithmetic('add', this.decimals, value);
      if (total instanceof Decimal128) this.decimals = total;
    } else if (value instanceof Double) {
      this.widest = 'double';
      this.addDouble(value.value);
    } else {
      if (typeof value === 'bigint' && this.widest === 'int') this.widest = 'long';
      this.whole += typeof value === 'bigint' ? value : BigInt(value.value);
    }
  }

  result(): NumberValue {
    if (this.decimals !== undefined) return arithmetic('add', this.decimals, this.withoutDecimals());
    return this.withoutDecimals();
  }

  private withoutDecimals(): NumberValue {
    if (this.widest === 'double') return new Double(this.asDouble());
    if (BigInt.asIntN(64, this.whole) !== this.whole) return new Double(Number(this.whole));
    return this.widest === 'int' ? narrowest(this.whole) : this.whole;
  }

  private asDouble(): number {
    const total = Number(this.whole) + this.high;
    return Number.isFinite(total) ? total + this.low : total;
  }

  /** Adds by Knuth's two-sum: `low` gathers what the addition rounds away. */
  private addDouble(value: number): void {
    const total = this.high + value;
    const part = total - this.high;
    const lost = this.high - (total - part) + (value - part);
    if (Number.isFinite(lost)) this.low += lost;
    this.high = total;
  }
}

export function sum(): Accumulator {
  const total = new Total();
  return {
    add: (value) => {
      if (isNumber(value)) total.add(value);
    },
    result: () => total.result(),
  };
}

function average(): Accumulator {
  const total = new Total();
  return {
    add: (value) => {
      if (isNumber(value)) total.add(value);
    },
    result: () => (total.count === 0 ? null : divide(total.result(), new Int32(total.count))),
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
  const values = new Map<string, Value>();
  return {
    add(value) {
      if (value === undefined) return;
      const key = encodeKey([value], [1]).toString('latin1');
      if (!values.has(key)) values.set(key, value);
    },
    result: () => [...values.values()],
  };
}

/** Computes a standard deviation by Welford's method; `less` is 1 for a sample. */
function deviation(less: 0 | 1): Accumulator {
  let count = 0;
  let mean = 0;
  let squares = 0;
  return {
    add(value) {
      if (!isNumber(value)) return;
      const x = toDouble(value);
      count++;
      const distance = x - mean;
      mean += distance / count;
      squares += distance * (x - mean);
    },
    result: () => (count <= less ? null : new Double(Math.sqrt(squares / (count - less)))),
  };
}

function mergeObjects(): Accumulator {
  let merged = merge([]);
  return {
    add(value) {
      merged = merge([merged, value]);
    },
    result: () => merged,
  };
}
