import { CARRIER_RATES, type CarrierRates } from './carrier-rates.js';

const { outbound, inbound } = CARRIER_RATES.telnyx;

/**
 * Plivo's list prices in USD, as its pricing API answers in the vendor's documentation; a newer list could not be
 * read. They stand until Plivo says itself what a call cost, which it does as the call ends.
 */
export const PLIVO_RATES: CarrierRates = {
  outbound: {
    countries: { US: { landline: 0.0075, mobile: 0.0075, toll_free: 0.0075 } },
    elsewhere: outbound.elsewhere,
  },
  inbound: {
    countries: { US: { landline: 0.0085, mobile: 0.0085, toll_free: 0.021 } },
    elsewhere: inbound.elsewhere,
  },
};
