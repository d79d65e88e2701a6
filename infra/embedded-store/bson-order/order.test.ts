import { anyCharacter } from '@voice/shared/testing/any-character';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeDocument } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import {
  Binary,
  Decimal128,
  type Doc,
  Double,
  Int32,
  MaxKey,
  MinKey,
  ObjectId,
  Regex,
  Timestamp,
  UtcDate,
  type Value,
} from '../bson/values.js';
import { arithmetic, divide } from './arithmetic.js';
import { compare } from './compare.js';
import { encodeKey } from './keys.js';

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: -30, max: 30 }))
  .map(([digits, exponent]): Value => Decimal128.fromStringWithRounding(`${digits}E${exponent}`));
const number: fc.Arbitrary<Value> = fc.oneof(
  fc.integer().map((value) => new Int32(value)),
  fc.double().map((value) => new Double(value)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.integer({ min: -3, max: 3 }).map((value) => BigInt(value)),
  fc.integer({ min: -3, max: 3 }).map((value) => new Double(value / 2)),
  fc
    .constantFrom('1.5', '-0', '0.1', 'NaN', 'Infinity', '-Infinity', '1E6000', '-1E6000', '1E-6000')
    .map((text) => Decimal128.fromString(text)),
  decimal,
);
const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    number,
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('', 'a', 'a\0', 'a\0b', 'ab', '\u{1f600}', '\uffee'),
    fc.constant(null),
    fc.boolean(),
    fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(Buffer.from(bytes))),
    fc.integer().map((millis) => new UtcDate(millis)),
    fc.uint8Array({ maxLength: 4 }).map((bytes) => new Binary(bytes.length % 2, Buffer.from(bytes))),
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((stamp) => new Timestamp(stamp)),
    fc.constantFrom<Value>(MinKey.instance, MaxKey.instance, new Regex('a', ''), new Regex('a', 'i')),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', '1'), tie('value')), { maxLength: 3 })
      .map((fields): Doc => new Map(fields)),
  ),
}));

describe('index keys', () => {
  test('order as their values do, in both directions', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const order = Math.sign(compare(a, b));
        expect(Math.sign(Buffer.compare(encodeKey([a], [1]), encodeKey([b], [1])))).toBe(order);
        expect(Math.sign(Buffer.compare(encodeKey([a], [-1]), encodeKey([b], [-1])))).toBe(
          order === 0 ? 0 : -order,
        );
      }),
      { numRuns: 3000 },
    );
  });
  test('of several fields order by the first that differs', () => {
    fc.assert(
      fc.property(value, value, value, value, (a, b, c, d) => {
        const order = Math.sign(compare(a, c)) || -Math.sign(compare(b, d));
        expect(Math.sign(Buffer.compare(encodeKey([a, b], [1, -1]), encodeKey([c, d], [1, -1])))).toBe(
          order === 0 ? 0 : order,
        );
      }),
      { numRuns: 1500 },
    );
  });
});

describe('BSON', () => {
  test('every value survives encoding and decoding', () => {
    fc.assert(
      fc.property(value, (a) => {
        const bytes = encodeDocument(new Map([['a', a]]));
        expect(encodeDocument(decodeDocument(bytes)).equals(bytes)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
  test('malformed bytes are refused, never read past their end', () => {
    const good = encodeDocument(
      new Map<string, Value>([
        ['a', 'text'],
        ['b', [new Int32(1)]],
      ]),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: good.length - 1 }),
        fc.integer({ min: 0, max: 255 }),
        (place, byte) => {
          const bad = Buffer.from(good);
          bad[place] = byte;
          try {
            decodeDocument(bad);
          } catch (error) {
            expect(['CommandError', 'RangeError']).toContain((error as Error).name);
          }
        },
      ),
    );
  });
});

describe('decimal arithmetic', () => {
  const dec = (text: string) => Decimal128.fromString(text);
  test.each([
    ['0.1 + 0.2', arithmetic('add', dec('0.1'), dec('0.2')), '0.3'],
    ['1 - 0.90', arithmetic('subtract', new Int32(1), dec('0.90')), '0.10'],
    ['a double joins with 15 digits', arithmetic('add', new Double(0.1), dec('0')), '0.100000000000000'],
    [
      '34 digits, half to even',
      arithmetic('add', dec('9999999999999999999999999999999999'), dec('0.5')),
      '1.000000000000000000000000000000000E+34',
    ],
    ['1 / 3', divide(dec('1'), dec('3')), '0.3333333333333333333333333333333333'],
    ['2 / 3', divide(dec('2'), dec('3')), '0.6666666666666666666666666666666667'],
    ['6 / 3', divide(dec('6'), dec('3')), '2'],
    ['1 / 8', divide(dec('1'), dec('8')), '0.125'],
  ])('%s', (_name, result, expected) => {
    expect(String(result)).toBe(expected);
  });
});
