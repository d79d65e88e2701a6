import { CommandError, codes, notSupported } from '../errors/errors.js';
import type { Regex } from './values.js';

/** MongoDB's code for a pattern that does not compile. */
const INVALID_REGEX = 51091;
const SPACE = ' \\t\\n\\v\\f\\r';

/**
 * Translates a PCRE pattern, as MongoDB reads it, to a JavaScript RegExp that matches the same strings, and
 * refuses what the two read differently. PCRE: `$` also matches before a last newline, `.` excludes only the
 * newline, `\s` is ASCII, an escaped sign means itself.
 */
export function compileRegex({ pattern, options }: Regex): RegExp {
  for (const option of options) {
    if (!'imsu'.includes(option)) {
      if (option === 'x') throw notSupported('the regular expression option x', codes.BadValue);
      throw new CommandError(51108, `invalid flag in regex options: ${option}`);
    }
  }
  let flags = options.includes('i') ? 'iu' : 'u';
  let source = pattern;
  if (source.startsWith('(?i)')) {
    flags = 'iu';
    source = source.slice(4);
  }
  const translated = translate(source, options.includes('m'), options.includes('s'));
  try {
    return new RegExp(translated, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new CommandError(INVALID_REGEX, `Regular expression is invalid: ${reason}`);
  }
}

function translate(source: string, multiline: boolean, dotAll: boolean): string {
  let result = '';
  let inClass = false;
  for (let index = 0; index < source.length; index++) {
    const sign = source[index] as string;
    if (sign === '\\') {
      result += translateEscape(source[++index], inClass);
    } else if (inClass) {
      if (sign === '[' && source[index + 1] === ':')
        throw notSupported('a POSIX class in a regular expression');
      if (sign === ']') inClass = false;
      result += sign === '[' ? '\\[' : sign;
    } else if (sign === '[') {
      inClass = true;
      result += sign;
      if (source[index + 1] === '^') result += source[++index];
      if (source[index + 1] === ']') {
        result += '\\]'; // in PCRE a bracket that comes first is a literal
        index++;
      }
    } else if (sign === '.') result += dotAll ? '[^]' : '[^\\n]';
    else if (sign === '^') result += multiline ? '(?<![^\\n])' : '^';
    else if (sign === '$') result += multiline ? '(?![^\\n])' : '(?=\\n?$)';
    else if (sign === ']') result += '\\]';
    else if (sign === '{' && !/^\{\d+(,\d*)?\}/.test(source.slice(index))) result += '\\{';
    else if (sign === '}' && !/\{\d+(,\d*)?$/.test(source.slice(0, index))) result += '\\}';
    else if (sign === '(' && source[index + 1] === '?') {
      if (!/^\(\?(:|=|!|<=|<!|<[A-Za-z_])/.test(source.slice(index))) {
        throw notSupported(`the group '${source.slice(index, index + 4)}' in a regular expression`);
      }
      result += sign;
    } else result += sign;
  }
  return result;
}

function translateEscape(sign: string | undefined, inClass: boolean): string {
  if (sign === undefined) {
    throw new CommandError(INVALID_REGEX, 'Regular expression is invalid: \\ at end of pattern');
  }
  if (sign === 's') return inClass ? SPACE : `[${SPACE}]`;
  if (sign === 'S' && !inClass) return `[^${SPACE}]`;
  if ('dDwWnrtf0x123456789'.includes(sign)) return `\\${sign}`;
  if (!inClass && 'bBk'.includes(sign)) return `\\${sign}`;
  if (/[A-Za-z]/.test(sign)) throw notSupported(`the escape \\${sign} in a regular expression`);
  if ('^$\\.*+?()[]{}|/'.includes(sign) || (inClass && sign === '-')) return `\\${sign}`;
  return sign;
}
