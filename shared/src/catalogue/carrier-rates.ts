/**
 * What carriers' list prices are, by the country and kind of the number that decides: of a call that is made, the
 * number that is called; of one that is received, the number of ours that took it.
 */
export const LINE_KINDS = ['landline', 'mobile', 'toll_free', 'special'] as const;
/** `special`: premium, shared cost, satellites, and whatever a numbering plan does not know. */
export type LineKind = (typeof LINE_KINDS)[number];

/** USD a started minute, by kind of line. */
export type LineRates = Readonly<Partial<Record<LineKind, number>>>;

export interface CountryRates {
  /** By ISO 3166-1 alpha-2. A kind that a country does not name has the price of `elsewhere`. */
  readonly countries: Readonly<Record<string, LineRates>>;
  readonly elsewhere: Readonly<Record<LineKind, number>>;
}

export interface CarrierRates {
  /** Calls that we make. */
  readonly outbound: CountryRates;
  /** Calls to numbers of ours. */
  readonly inbound: CountryRates;
}

/** Of no country in the table: above most list prices, so that no call abroad is charged as a local one. */
const ELSEWHERE = { landline: 0.15, mobile: 0.35, toll_free: 0.15, special: 1.05 } as const;
const RECEIVED_ELSEWHERE = { landline: 0.02, mobile: 0.02, toll_free: 0.1, special: 0.1 } as const;

const same = (rate: number, tollFree = rate): LineRates => ({
  landline: rate,
  mobile: rate,
  toll_free: tollFree,
});

/**
 * The list prices of carriers in USD, pay as you go. Read in published copies of the price lists that the entries
 * name; where a country or kind could not be read there, `elsewhere` holds. An operator replaces what differs from
 * the contract by `RATES_FILE`, and a price that the carrier itself reports of a call goes before all of it.
 */
export const CARRIER_RATES: Readonly<Record<'twilio' | 'telnyx', CarrierRates>> = {
  twilio: {
    outbound: {
      countries: {
        // twilio.com/en-us/voice/pricing/us, local numbers (June 2026); toll-free numbers cost the same to call.
        US: same(0.014),
        CA: same(0.014),
        // twilio.com/en-us/voice/pricing/gb (2026): landline, mobile; premium services.
        GB: { landline: 0.0158, mobile: 0.0305, special: 1.0479 },
        // Prices from US and Canadian numbers; from elsewhere they are dearer.
        AT: { landline: 0.016, mobile: 0.045 },
        DE: { landline: 0.015 },
        // pricing.twilio.com/v2/Voice/Countries/AU, the example of Twilio's documentation.
        AU: { landline: 0.035, mobile: 0.095 },
      },
      elsewhere: ELSEWHERE,
    },
    inbound: {
      countries: { US: same(0.0085, 0.022), CA: same(0.0085, 0.022), GB: same(0.01, 0.06), AU: same(0.01) },
      elsewhere: RECEIVED_ELSEWHERE,
    },
  },
  telnyx: {
    outbound: {
      // telnyx.com/pricing: 0.005 a minute made, and 0.002 for Voice API.
      countries: { US: same(0.007), CA: same(0.007) },
      elsewhere: ELSEWHERE,
    },
    inbound: {
      // The same: 0.0035 a minute received, and 0.002 for Voice API.
      countries: { US: same(0.0055, 0.017), CA: same(0.0055, 0.017) },
      elsewhere: RECEIVED_ELSEWHERE,
    },
  },
};
