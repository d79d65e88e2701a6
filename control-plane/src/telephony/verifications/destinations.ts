import { testNumber } from '@voice/shared/contracts/test-numbers';
import { plannedNumber } from '../phones/numbering-plan.js';

/** Countries (ISO 3166-1 alpha-2) that codes may go to; `all`: any. */
export type AllowedCountries = ReadonlySet<string> | 'all';

const DESTINATION_REFUSALS = ['not_in_use', 'no_country', 'number_type', 'country_not_allowed'] as const;
export type DestinationRefusal = (typeof DESTINATION_REFUSALS)[number];
/** Those that are of the number itself, whatever countries are allowed. */
export type SpecialNumber = Exclude<DestinationRefusal, 'country_not_allowed'>;

/**
 * Types that a caller's own number has and that nobody earns from being called. A number of another type (premium,
 * shared cost, personal, pager, voicemail) may pay its owner for every call.
 */
const ORDINARY_TYPES: ReadonlySet<string> = new Set([
  'FIXED_LINE',
  'MOBILE',
  'FIXED_LINE_OR_MOBILE',
  'VOIP',
  'TOLL_FREE',
  'UAN',
]);

/** Why the E.164 number is no ordinary one; null of one that is, and of a test number, which nobody owns. Pure. */
export function specialNumber(number: string): SpecialNumber | null {
  if (testNumber(number)) return null;
  const { country, type } = plannedNumber(number);
  // Of a number that its country does not have, the type is unknown, and mostly the country too.
  if (type === undefined) return 'not_in_use';
  if (country === null) return 'no_country';
  return ORDINARY_TYPES.has(type) ? null : 'number_type';
}

/** Why no code may go to the E.164 number; null when one may, as to a test number, which nobody owns. Pure. */
export function refusalOfDestination(number: string, allowed: AllowedCountries): DestinationRefusal | null {
  if (testNumber(number)) return null;
  const special = specialNumber(number);
  if (special !== null || allowed === 'all') return special;
  const { country } = plannedNumber(number);
  return country !== null && allowed.has(country) ? null : 'country_not_allowed';
}

/** What each refusal means, and what to do. */
export const REFUSAL_TEXTS: Readonly<Record<DestinationRefusal, string>> = {
  not_in_use: 'No such number is in use in its country. Check the digits.',
  no_country: 'Codes are not sent to satellite phones and international networks. Use a number of a country.',
  number_type: 'Codes are sent to ordinary numbers only: not to premium, personal or pager numbers.',
  country_not_allowed:
    'Codes are not sent to this country. Ask the operator of the installation to allow it for you.',
};
