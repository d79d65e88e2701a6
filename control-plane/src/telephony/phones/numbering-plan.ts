import { type NumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** What the digits of a number say, by libphonenumber's metadata. */
export interface PlannedNumber {
  /** ISO 3166-1 alpha-2; null for satellites and international networks (+870, +881, +882, +979 …). */
  readonly country: string | null;
  /** Undefined where the country has no such number. */
  readonly type: NumberType;
}

/** Places an E.164 number in the world's numbering plans. Pure. */
export function plannedNumber(number: string): PlannedNumber {
  const parsed = parsePhoneNumberFromString(number);
  return { country: parsed?.country ?? null, type: parsed?.getType() };
}
