import type { SpeechContext, SpeechRule, SpokenLanguage } from './languages/spoken-language.js';
import { CURRENCY_AFTER, CURRENCY_BEFORE, SCALE, sayMoney } from './money.js';
import { NUMERAL, readNumeral, sayCounted, sayDigits, sayNumeral, sayOneByOne } from './numerals.js';

/** How figures and signs are said: one rule each, the more particular ones first. */

type Saying = (
  match: RegExpExecArray,
  language: SpokenLanguage,
  context: SpeechContext,
) => string | undefined;

/** Not within a number, a date or a name. */
const FREE = '(?<![\\p{L}\\p{N}]|\\p{N}[.,:/])';
const END = '(?![\\p{L}\\p{N}])';
/** Digits from which on a plain number is a row of them: an account, a phone. */
const ROW = 7;

function rule(pattern: string, saying: Saying): SpeechRule {
  return {
    pattern: new RegExp(pattern, 'uy'),
    say: (match, context) => context.language && saying(match, context.language, context),
  };
}

export const VERBALISATION: readonly SpeechRule[] = [
  rule(
    `${FREE}(\\d{4})-(\\d{2})-(\\d{2})(?:T(\\d{2}):(\\d{2})(?::\\d{2}(?:\\.\\d+)?)?(?:Z|[+-]\\d{2}:?\\d{2})?)?${END}`,
    sayIsoDate,
  ),
  rule(`${FREE}(\\d{1,2})([/.-])(\\d{1,2})\\2(\\d{4}|\\d{2})${END}`, sayNumericDate),
  rule(`${FREE}(\\d{1,2})/(\\d{1,2})(?![\\d/])`, ([, first, second], language) =>
    dateOf(Number(first), Number(second), undefined, language),
  ),
  rule(
    `(?<![\\p{L}\\p{N}])\\+?(?:\\(\\d{1,4}\\)|\\d)[\\d\\s().\\u2011/-]{5,18}\\d(?!\\d|[.,:]\\d|\\s?[%€$£])`,
    sayPhone,
  ),
  rule(`${FREE}(\\d{1,2}):(\\d{2})(?::\\d{2})?(?!\\d)`, ([, hour, minute], language) =>
    Number(hour) > 24 || Number(minute) > 59
      ? undefined
      : language.time({ hour: Number(hour), minute: Number(minute) }),
  ),
  rule(
    `(${CURRENCY_BEFORE})\\s?(${NUMERAL})${SCALE}?`,
    ([, sign = '', amount = '', short, scale], language) =>
      sayMoney(readNumeral(amount, language), sign, short ?? scale, language),
  ),
  rule(
    `${FREE}(${NUMERAL})${SCALE}?\\s?(${CURRENCY_AFTER})`,
    ([, amount = '', short, scale, sign = ''], language) =>
      sayMoney(readNumeral(amount, language), sign, short ?? scale, language),
  ),
  rule(
    `${FREE}(${NUMERAL})\\s?%`,
    ([, value = ''], language) =>
      `${sayNumeral(readNumeral(value, language), language)} ${language.signs.percent}`,
  ),
  rule(`${FREE}(${NUMERAL})\\s?°(?:\\s?[CF](?!\\p{L}))?`, ([, value = ''], language) =>
    sayCounted(readNumeral(value, language), language.signs.degree, language),
  ),
  rule(
    `${FREE}(${NUMERAL})\\s?(\\p{L}[\\p{L}/]{0,3}²?)(?![\\p{L}\\p{N}])`,
    ([, value = '', unit = ''], language) => {
      const noun = language.units.get(unit);
      return noun && sayCounted(readNumeral(value, language), noun, language);
    },
  ),
  // “AB-1234”: a code is spelt.
  rule(
    `(?<![\\p{L}\\p{N}])(\\p{Lu}{1,4})[- ]?(\\d{3,})${END}`,
    ([, letters = '', digits = ''], language) => `${[...letters].join(' ')} ${sayOneByOne(digits, language)}`,
  ),
  rule(`${FREE}\\d+(?:-\\d+){2,}${END}`, ([text], { digitGroup }) =>
    text.split('-').map(digitGroup).join(', '),
  ),
  // From … to.
  rule(
    '(?<=\\p{N}[%€$£]?(?:\\s?[aApP]\\.?[mM]\\.?)?)\\s?[-–]\\s?(?=[\\d$€£])',
    (_, { signs }) => ` ${signs.to} `,
  ),
  // An address or a version: `192.168.1.1`.
  rule(`${FREE}\\d+(?:\\.\\d{1,2}(?!\\d)|\\.\\d+){2,}${END}`, ([text], language) =>
    /^\d{1,3}(?:\.\d{3})+$/.test(text) ? undefined : sayParts(text, language),
  ),
  rule(`${FREE}(\\d+)(?![\\d]|[.,]\\d|\\s\\d{3})`, sayPlain),
  rule(`${FREE}(${NUMERAL})`, ([, value = ''], language) =>
    sayNumeral(readNumeral(value, language), language),
  ),
  rule('\\d+(?:[.,]\\d+)*', ([value], language) => sayParts(value, language)),
  rule('(?<![\\p{L}\\p{N}])[-−](?=[\\d$€£])', (_, { signs }) => `${signs.minus} `),
  rule('(?<![\\p{L}\\p{N}])#(?=\\d)', (_, { signs }) => `${signs.number} `),
  rule('&', (_, { signs }) => ` ${signs.and} `),
  rule('\\+', (_, { signs }) => ` ${signs.plus} `),
  rule('=', (_, { signs }) => ` ${signs.equals} `),
  rule('×|\\*(?=\\s?\\d)', (_, { signs }) => ` ${signs.times} `),
  rule('%', (_, { signs }) => ` ${signs.percent}`),
  rule('(?<=\\p{L})/(?=\\p{L})', () => ' '),
  rule('(?<=[\\p{N}$€£])/(?=\\p{L})', (_, { signs }) => ` ${signs.per} `),
  rule('(?<=\\p{N})/(?=\\p{N})', (_, { signs }) => ` ${signs.slash} `),
];

function sayParts(text: string, { cardinal, signs }: SpokenLanguage): string {
  return text
    .split(/[.,]/)
    .map((part) => cardinal(Number(part.slice(0, 12))))
    .join(` ${signs.point} `);
}

function sayIsoDate([, year, month, day, hour, minute]: RegExpExecArray, language: SpokenLanguage) {
  if (!isDate(Number(day), Number(month))) return undefined;
  const date = language.date({ day: Number(day), month: Number(month), year: Number(year) });
  if (hour === undefined) return date;
  return `${date}, ${language.time({ hour: Number(hour), minute: Number(minute) })}`;
}

function sayNumericDate([, first, mark, second, year = '']: RegExpExecArray, language: SpokenLanguage) {
  const of = Number(year.length === 2 ? `20${year}` : year);
  if (mark === '/') return dateOf(Number(first), Number(second), of, language);
  if (!isDate(Number(first), Number(second))) return undefined;
  return language.date({ day: Number(first), month: Number(second), year: of });
}

/** The order is the language's, unless only the other one is a date. */
function dateOf(first: number, second: number, year: number | undefined, language: SpokenLanguage) {
  const [month, day] = language.monthFirst ? [first, second] : [second, first];
  if (isDate(day, month)) return language.date({ day, month, year });
  return isDate(month, day) ? language.date({ day: month, month: day, year }) : undefined;
}

function isDate(day: number, month: number): boolean {
  return day >= 1 && day <= 31 && month >= 1 && month <= 12;
}

/** Says a telephone number digit by digit, in the groups that it is written in where those are short. */
function sayPhone([text]: RegExpExecArray, language: SpokenLanguage): string | undefined {
  const digits = text.replace(/\D/g, '');
  if (digits.length < ROW || digits.length > 15) return undefined;
  const groups = text.split(/\D+/).filter(Boolean);
  const looksLikeOne =
    /^[+(0]/.test(text) ||
    /^(?:1[\s.-])?\d{3}[\s.-]\d{3}[\s.-]\d{4}$/.test(text) ||
    /^\d{3}[.-]\d{4}$/.test(text);
  if (!looksLikeOne) return undefined;
  const said =
    groups.length > 1
      ? groups.map((group) => (group.length > 4 ? sayDigits(group, language) : language.digitGroup(group)))
      : [sayDigits(digits, language)];
  return (text.startsWith('+') ? `${language.signs.plus} ` : '') + said.join(', ');
}

/** A number without marks: a year, a code, a row of digits, or an amount. */
function sayPlain([, digits = '']: RegExpExecArray, language: SpokenLanguage, { before }: SpeechContext) {
  const value = Number(digits);
  const words = before.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const isDictated = words.slice(-3).some((word) => language.dictated.has(word));
  // A round number is an amount.
  if (digits.length >= ROW && (digits.length > 12 || !digits.endsWith('000')))
    return sayDigits(digits, language);
  if (digits.length >= 3 && isDictated) return sayOneByOne(digits, language);
  if (digits.length > 1 && digits.startsWith('0')) return sayOneByOne(digits, language);
  const isYear = digits.length === 4 && value >= 1100 && value <= 2199;
  if (isYear && (value >= 1900 || language.beforeYear.has(words.at(-1) ?? ''))) return language.year(value);
  return language.cardinal(value);
}

/** Returns the rule that writes out the language's abbreviations; their full stop may be the sentence's as well. */
export function abbreviationRule({ abbreviations }: SpokenLanguage): SpeechRule {
  const longestFirst = [...abbreviations.keys()].sort((a, b) => b.length - a.length);
  const names = longestFirst.map((name) => name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|');
  return {
    pattern: new RegExp(`(?<![\\p{L}\\p{N}.])(?:${names})(?![\\p{L}\\p{N}])`, 'uy'),
    say: ({ 0: name, index, input }) => {
      const said = abbreviations.get(name);
      const isLast = name.endsWith('.') && /^\s*$/.test(input.slice(index + name.length));
      return isLast ? `${said}.` : said;
    },
  };
}
