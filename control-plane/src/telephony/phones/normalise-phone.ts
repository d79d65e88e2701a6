import { parsePhoneNumberFromString } from 'libphonenumber-js';

const E164 = /^\+[1-9]\d{1,14}$/;
/** What people write between the digits, and what spreadsheets put before a number to keep it text. */
const DECORATION = /^['"=\s]+|\s+$/g;

/**
 * Returns a number in any usual notation as E.164; null when it cannot be one. National notation counts as `country`'s,
 * `00` and `011` before the country code are understood.
 */
export function normalisePhone(text: string, country: 'US' = 'US'): string | null {
  const cleaned = text.normalize('NFKC').replace(DECORATION, '');
  const international = cleaned.replace(/^(?:00|011)(?=[\s(]*[1-9])/, '+');
  const parsed = parsePhoneNumberFromString(international, { defaultCountry: country, extract: false });
  if (!parsed?.isPossible() || parsed.ext !== undefined) return null;
  return E164.test(parsed.number) ? parsed.number : null;
}

/**
 * Returns the one spelling of an E.164 number, without what carriers leave out: `+44 0 20 …` reaches the same telephone
 * as `+44 20 …`. A number of no known plan stays as it is.
 */
export function oneSpelling(number: string): string {
  return parsePhoneNumberFromString(number)?.number ?? number;
}
