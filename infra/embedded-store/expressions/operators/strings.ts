import { compileRegex } from '../../bson/regex.js';
import { Int32, isNumber, type Maybe, Regex, typeName, UtcDate, type Value } from '../../bson/values.js';
import { compareText } from '../../bson-order/compare.js';
import { integer } from '../../bson-order/integers.js';
import { CommandError, codes, notSupported } from '../../errors/errors.js';
import type { BuildOperator, Expression, ParseContext } from '../expression.js';
import { toText } from './conversion.js';
import { fixed, isNullish, namedArguments, variadic } from './operator.js';

export const stringOperators: readonly (readonly [string, BuildOperator])[] = [
  ['$concat', variadic(concat)],
  ['$toLower', fixed(1, ([value]) => lowered(text(value, '$toLower')))],
  ['$toUpper', fixed(1, ([value]) => raised(text(value, '$toUpper')))],
  ['$strLenCP', fixed(1, ([value]) => new Int32([...required(value, '$strLenCP', 34471)].length))],
  [
    '$strLenBytes',
    fixed(1, ([value]) => new Int32(Buffer.byteLength(required(value, '$strLenBytes', 34473)))),
  ],
  ['$substrCP', fixed(3, ([value, start, length]) => substring(value, start, length))],
  ['$substrBytes', substringOfBytes('$substrBytes')],
  ['$substr', substringOfBytes('$substr')],
  ['$split', fixed(2, ([value, separator]) => split(value, separator))],
  ['$indexOfCP', fixed(2, ([value, part, from, to]) => indexOf(value, part, from, to), 4)],
  [
    '$strcasecmp',
    fixed(
      2,
      ([a, b]) =>
        new Int32(Math.sign(compareText(raised(text(a, '$strcasecmp')), raised(text(b, '$strcasecmp'))))),
    ),
  ],
  ['$trim', trim(true, true)],
  ['$ltrim', trim(true, false)],
  ['$rtrim', trim(false, true)],
  ['$replaceOne', replace((input, find, replacement) => input.replace(find, () => replacement))],
  ['$replaceAll', replace((input, find, replacement) => input.replaceAll(find, () => replacement))],
  ['$regexMatch', regexMatch],
];

/** What MongoDB trims by default: white space and the null character. */
const WHITE_SPACE =
  '\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

function concat(values: Maybe[]): Maybe {
  if (values.some(isNullish)) return null;
  return values
    .map((value) => {
      if (typeof value === 'string') return value;
      throw new CommandError(16702, `$concat only supports strings, not ${typeName(value)}`);
    })
    .join('');
}

/** Converts a value as the older string operators do: null is empty, numbers and dates are written out. */
function text(value: Maybe, name: string): string {
  if (isNullish(value)) return '';
  if (typeof value === 'string') return value;
  if (isNumber(value) || value instanceof UtcDate) return toText(value);
  throw new CommandError(16007, `can't convert from BSON type ${typeName(value)} to String in ${name}`);
}

/** Lowers ASCII letters only, as MongoDB does. */
function lowered(value: string): string {
  return value.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function raised(value: string): string {
  return value.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

function required(value: Maybe, name: string, code: number): string {
  if (typeof value === 'string') return value;
  throw new CommandError(code, `${name} requires a string argument, found: ${typeName(value)}`);
}

function position(value: Maybe, name: string, code: number): number {
  const whole = integer(value);
  if (whole === undefined)
    throw new CommandError(
      code,
      `${name}: starting index must be a numeric type (is BSON type ${typeName(value)})`,
    );
  return Number(whole);
}

function substring(value: Maybe, start: Maybe, length: Maybe): string {
  const from = position(start, '$substrCP', 34450);
  const count = position(length, '$substrCP', 34452);
  if (from < 0) throw new CommandError(34455, '$substrCP: the starting index must be nonnegative integer.');
  if (count < 0) throw new CommandError(34454, '$substrCP: length must be a nonnegative integer.');
  return [...text(value, '$substrCP')].slice(from, from + count).join('');
}

function substringOfBytes(name: string): BuildOperator {
  return fixed(3, ([value, start, length]) => {
    const bytes = Buffer.from(text(value, name), 'utf8');
    const from = position(start, name, 16034);
    const count = position(length, name, 16035);
    if (from < 0)
      throw new CommandError(50752, `${name}: starting index must be non-negative (got: ${from})`);
    const end = count < 0 ? bytes.length : Math.min(bytes.length, from + count);
    if (from < bytes.length && isContinuation(bytes[from])) {
      throw new CommandError(28656, `${name}: Invalid range, starting index is a UTF-8 continuation byte.`);
    }
    if (end < bytes.length && isContinuation(bytes[end])) {
      throw new CommandError(
        28657,
        `${name}: Invalid range, ending index is in the middle of a UTF-8 character.`,
      );
    }
    return bytes.toString('utf8', Math.min(from, bytes.length), Math.max(from, end));
  });
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function split(value: Maybe, separator: Maybe): Maybe {
  if (isNullish(value) || isNullish(separator)) return null;
  if (typeof value !== 'string') {
    throw new CommandError(
      40085,
      `$split requires an expression that evaluates to a string as a first argument, found: ${typeName(value)}`,
    );
  }
  if (typeof separator !== 'string') {
    throw new CommandError(
      40086,
      `$split requires an expression that evaluates to a string as a second argument, found: ${typeName(separator)}`,
    );
  }
  if (separator === '') throw new CommandError(40087, '$split requires a non-empty separator');
  return value.split(separator);
}

function indexOf(value: Maybe, part: Maybe, from: Maybe, to: Maybe): Maybe {
  if (isNullish(value)) return null;
  const source = [...required(value, '$indexOfCP', 40093)];
  const wanted = required(part, '$indexOfCP', 40094);
  const start = from === undefined ? 0 : position(from, '$indexOfCP', 40096);
  const end = to === undefined ? source.length : position(to, '$indexOfCP', 40096);
  if (start < 0 || end < 0) throw new CommandError(40097, '$indexOfCP requires a nonnegative starting index');
  if (start > source.length || start > end) return new Int32(-1);
  const found = source.slice(start, end).join('').indexOf(wanted);
  if (found < 0) return new Int32(-1);
  return new Int32(start + [...source.slice(start, end).join('').slice(0, found)].length);
}

function trim(left: boolean, right: boolean): BuildOperator {
  return (argument, context, name) => {
    const args = namedArguments(argument, context, name, ['input'], ['chars']);
    return (scope) => {
      const input = args.get('input')?.(scope);
      const chars = args.get('chars');
      const set = chars ? chars(scope) : WHITE_SPACE;
      if (isNullish(input) || isNullish(set)) return null;
      if (typeof input !== 'string')
        throw new CommandError(50699, `${name} requires its input to be a string, got ${typeName(input)}`);
      if (typeof set !== 'string')
        throw new CommandError(50700, `${name} requires 'chars' to be a string, got ${typeName(set)}`);
      const letters = [...input];
      const wanted = new Set(set);
      let from = 0;
      let to = letters.length;
      if (left) while (from < to && wanted.has(letters[from] as string)) from++;
      if (right) while (to > from && wanted.has(letters[to - 1] as string)) to--;
      return letters.slice(from, to).join('');
    };
  };
}

function replace(apply: (input: string, find: string, replacement: string) => string): BuildOperator {
  return (argument, context, name) => {
    const args = namedArguments(argument, context, name, ['input', 'find', 'replacement']);
    return (scope) => {
      const values = ['input', 'find', 'replacement'].map((field) => args.get(field)?.(scope));
      for (const [at, value] of values.entries()) {
        if (!isNullish(value) && typeof value !== 'string') {
          throw new CommandError(
            51746 - at,
            `${name} requires that its arguments be strings, found: ${typeName(value)}`,
          );
        }
      }
      const [input, find, replacement] = values;
      if (typeof input !== 'string' || typeof find !== 'string' || typeof replacement !== 'string')
        return null;
      return apply(input, find, replacement);
    };
  };
}

function regexMatch(argument: Value, context: ParseContext, name: string): Expression {
  const args = namedArguments(argument, context, name, ['input', 'regex'], ['options']);
  return (scope) => {
    const input = args.get('input')?.(scope);
    const regex = args.get('regex')?.(scope);
    const options = args.get('options')?.(scope);
    if (isNullish(input) || isNullish(regex)) return false;
    if (typeof input !== 'string')
      throw new CommandError(51104, `$regexMatch needs 'input' to be of type string`);
    if (!isNullish(options) && typeof options !== 'string')
      throw new CommandError(51106, `$regexMatch needs 'options' to be of type string`);
    if (regex instanceof Regex) {
      if (options && regex.options)
        throw new CommandError(
          51107,
          `$regexMatch found regex option(s) specified in both 'regex' and 'option' fields`,
        );
      return compileRegex(new Regex(regex.pattern, options || regex.options)).test(input);
    }
    if (typeof regex !== 'string')
      throw notSupported(`$regexMatch with a ${typeName(regex)}`, codes.BadValue);
    return compileRegex(new Regex(regex, options ?? '')).test(input);
  };
}
