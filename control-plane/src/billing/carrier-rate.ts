import type { CarrierRates, LineKind } from '@voice/shared/catalogue/carrier-rates';
import type { CallDirection } from '@voice/shared/contracts/primitives';
import { fromUsd, type MicroDollars } from '../platform/money/micro-dollars.js';
import { type PlannedNumber, plannedNumber } from '../telephony/phones/numbering-plan.js';

/** What the carrier's price of a call depends on. */
export interface CarrierLine {
  readonly carrier: string;
  readonly direction: CallDirection;
  /** E.164: whom we call, or the number of ours that somebody calls. It decides either price. */
  readonly toNumber: string;
}

/** Returns the kind of line that carriers charge a number as. Pure. */
export function lineKindOf({ type, country }: PlannedNumber): LineKind {
  // Satellites and international networks, whatever their kind.
  if (country === null) return 'special';
  switch (type) {
    case 'FIXED_LINE':
    case 'VOIP':
    case 'UAN':
      return 'landline';
    case 'MOBILE':
    case 'FIXED_LINE_OR_MOBILE':
      return 'mobile';
    case 'TOLL_FREE':
      return 'toll_free';
    case 'PERSONAL_NUMBER':
      // Of the North American plan (5XX) they cost what others cost; elsewhere they are a trap.
      return country === 'US' || country === 'CA' ? 'landline' : 'special';
    case 'PREMIUM_RATE':
    case 'SHARED_COST':
    case 'PAGER':
    case 'VOICEMAIL':
    case undefined:
      return 'special';
  }
}

/** Returns what the carrier charges for a started minute, by its price list; 0 where no carrier is. Pure. */
export function carrierRate(
  rates: Readonly<Record<string, CarrierRates>>,
  { carrier, direction, toNumber }: CarrierLine,
): MicroDollars {
  const ofCarrier = Object.hasOwn(rates, carrier) ? rates[carrier] : undefined;
  if (!ofCarrier) return 0;
  const { countries, elsewhere } = ofCarrier[direction];
  const planned = plannedNumber(toNumber);
  const kind = lineKindOf(planned);
  const { country } = planned;
  const ofCountry = country !== null && Object.hasOwn(countries, country) ? countries[country] : undefined;
  return fromUsd(ofCountry?.[kind] ?? elsewhere[kind]);
}
