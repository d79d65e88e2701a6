import type { Currency, SpokenLanguage } from './languages/spoken-language.js';
import { type Numeral, sayCounted } from './numerals.js';

const BY_SIGN: ReadonlyMap<string, Currency> = new Map([
  ['$', 'USD'],
  ['US$', 'USD'],
  ['C$', 'CAD'],
  ['CA$', 'CAD'],
  ['MX$', 'MXN'],
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['¥', 'JPY'],
  ['₹', 'INR'],
  ['Fr.', 'CHF'],
]);
const CODES: readonly Currency[] = ['USD', 'EUR', 'GBP', 'CHF', 'JPY', 'MXN', 'CAD', 'INR'];

export const CURRENCY_BEFORE = `(?:US|CA?|MX)?\\$|[€£¥₹]|(?:${CODES.join('|')})(?=\\s)`;
export const CURRENCY_AFTER = `[€£¥₹$]|(?:${CODES.join('|')})(?!\\p{L})`;
/** “5k”, “$2 million”. */
export const SCALE =
  '(?:\\s?(k|K|M|bn|B)(?![\\p{L}\\p{N}])|\\s(million|billion|Mio\\.?|Millionen|Mrd\\.?|Milliarden|millones|millions|milliards?)(?!\\p{L}))';

function findCurrency(sign: string): Currency | undefined {
  return BY_SIGN.get(sign) ?? CODES.find((code) => code === sign);
}

/** Says an amount: “forty-two dollars and fifty cents”; with a scale “two million dollars”. */
export function sayMoney(
  amount: Numeral,
  sign: string,
  scale: string | undefined,
  language: SpokenLanguage,
): string | undefined {
  const currency = findCurrency(sign.trim());
  if (!currency) return undefined;
  const [main, hundredth] = language.currencies[currency];
  if (scale !== undefined) return sayScaled(amount, main[1], scale, language);
  const { whole, decimals } = amount;
  if (decimals.length === 0 || decimals.length > 2) return sayCounted(amount, main, language);
  const hundredths = Number(decimals.padEnd(2, '0'));
  const rest = language.counted(hundredths, hundredth);
  if (whole === 0) return rest;
  const said = language.counted(whole, main);
  return hundredths === 0 ? said : said + language.moneyJoin + rest;
}

function sayScaled(amount: Numeral, noun: string, scale: string, language: SpokenLanguage): string {
  const { million, billion, scaledBy } = language.signs;
  if (/^k$/i.test(scale)) {
    const whole = Math.round(Number(`${amount.whole}.${amount.decimals || '0'}`) * 1000);
    return `${language.cardinal(whole)} ${noun}`;
  }
  const large = /^(?:bn|b|mrd|milliard)/i.test(scale) || scale === 'billion' ? billion : million;
  const vowel = /^[aeiouh]/i.test(noun);
  return `${sayCounted(amount, large, language)}${vowel ? scaledBy.vowel : scaledBy.other}${noun}`;
}
