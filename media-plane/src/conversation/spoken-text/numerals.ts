import type { Noun, SpokenLanguage } from './languages/spoken-language.js';

/** A number as it is written: with marks between thousands, and decimals. */
export const NUMERAL =
  "\\d{1,3}(?:[.,'’\\u00a0\\u202f]\\d{3}){1,40}(?![\\d])(?:[.,]\\d+)?|\\d{1,3}(?: \\d{3}){1,40}(?:,\\d{1,2})?(?!\\d|[ .,]\\d)|\\d+(?:[.,]\\d+)?";
/** Longer rows of digits are no amounts. */
const MOST_DIGITS = 12;

export interface Numeral {
  readonly whole: number;
  /** Digits behind the decimal mark; empty for an integer. */
  readonly decimals: string;
  /** As it is to be said when it is no amount: it begins with zeros, or is too long. */
  readonly digits: string | undefined;
}

/** Reads a numeral as the language writes it; of one mark alone, three digits behind it are thousands. */
export function readNumeral(text: string, { decimalMark }: SpokenLanguage): Numeral {
  const plain = text.replace(/['’\u00a0\u202f ]/g, '');
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  const mark = last < 0 ? '' : plain.charAt(last);
  const marks = plain.replace(/\d/g, '');
  const isDecimal =
    last >= 0 &&
    (new Set(marks).size > 1 ||
      (marks.length === 1 && (mark === decimalMark || plain.length - last - 1 !== 3)));
  const whole = (isDecimal ? plain.slice(0, last) : plain).replace(/\D/g, '');
  const decimals = isDecimal ? plain.slice(last + 1) : '';
  const isRow = whole.length > MOST_DIGITS || (whole.length > 1 && whole.startsWith('0'));
  return { whole: Number(whole), decimals, digits: isRow ? whole : undefined };
}

export function sayNumeral(numeral: Numeral, language: SpokenLanguage): string {
  const { whole, decimals, digits } = numeral;
  const said = digits === undefined ? language.cardinal(whole) : sayDigits(digits, language);
  return decimals === '' ? said : `${said} ${language.signs.point} ${sayOneByOne(decimals, language)}`;
}

/** Says a number of things: “two point five kilometers”. */
export function sayCounted(numeral: Numeral, noun: Noun, language: SpokenLanguage): string {
  if (numeral.decimals === '' && numeral.digits === undefined) return language.counted(numeral.whole, noun);
  return `${sayNumeral(numeral, language)} ${noun[1]}`;
}

/** Says a row of digits in groups, with a pause between them. */
export function sayDigits(digits: string, language: SpokenLanguage): string {
  let at = 0;
  return language
    .groupsOf(digits.length)
    .map((length) => {
      const group = digits.slice(at, at + length);
      at += length;
      return language.digitGroup(group);
    })
    .join(', ');
}

/** Says each digit for itself. */
export function sayOneByOne(digits: string, language: SpokenLanguage): string {
  return [...digits].map((digit) => language.cardinal(Number(digit))).join(' ');
}
