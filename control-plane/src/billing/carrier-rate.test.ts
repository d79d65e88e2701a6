import { CARRIER_RATES, LINE_KINDS } from '@voice/shared/catalogue/carrier-rates';
import { describe, expect, it } from 'vitest';
import { carrierRate, lineKindOf } from './carrier-rate.js';
import { costOfCall } from './cost-of-call.js';

const rate = (toNumber: string, carrier = 'twilio', direction: 'inbound' | 'outbound' = 'outbound') =>
  carrierRate(CARRIER_RATES, { carrier, direction, toNumber });

describe('the kind of line that carriers charge a number as', () => {
  it.each([
    ['FIXED_LINE', 'GB', 'landline'],
    ['VOIP', 'GB', 'landline'],
    ['UAN', 'DE', 'landline'],
    ['MOBILE', 'GB', 'mobile'],
    ['FIXED_LINE_OR_MOBILE', 'US', 'mobile'],
    ['TOLL_FREE', 'US', 'toll_free'],
    ['PERSONAL_NUMBER', 'US', 'landline'],
    ['PERSONAL_NUMBER', 'CA', 'landline'],
    ['PERSONAL_NUMBER', 'GB', 'special'],
    ['PREMIUM_RATE', 'US', 'special'],
    ['SHARED_COST', 'DE', 'special'],
    ['PAGER', 'GB', 'special'],
    ['VOICEMAIL', 'CH', 'special'],
    [undefined, 'US', 'special'],
    ['MOBILE', null, 'special'],
  ] as const)('%s in %s: %s', (type, country, kind) => {
    expect(lineKindOf({ type, country })).toBe(kind);
  });
});

describe("a carrier's rate", () => {
  it.each([
    ['a US number', '+12125551000', 14_000],
    ['a US toll-free number', '+18005551234', 14_000],
    ['a British landline', '+442071838750', 15_800],
    ['a British mobile', '+447400123456', 30_500],
    ['a German landline', '+493012345', 15_000],
    ['a German mobile, of which no price is listed', '+4915112345678', 350_000],
    ['a landline of a country that is not listed', '+37167012345', 150_000],
    ['a satellite phone', '+870773123456', 1_050_000],
    ['a premium number', '+19002345678', 1_050_000],
    ['Jamaica, which shares the calling code of the US', '+18764230000', 350_000],
  ])('follows whom we call: %s', (_, number, expected) => {
    expect(rate(number)).toBe(expected);
  });

  it('follows the number of ours that is called', () => {
    expect(rate('+12125551000', 'twilio', 'inbound')).toBe(8_500);
    expect(rate('+18005551234', 'twilio', 'inbound')).toBe(22_000);
    expect(rate('+442071838750', 'twilio', 'inbound')).toBe(10_000);
  });

  it('is nothing without a carrier', () => {
    expect(rate('+12125551000', 'simulated')).toBe(0);
    expect(rate('+12125551000', 'constructor')).toBe(0);
  });

  it('never charges a call abroad less than a local one', () => {
    for (const { outbound } of Object.values(CARRIER_RATES)) {
      for (const kind of LINE_KINDS) {
        const local = outbound.countries.US?.[kind] ?? 0;
        expect(outbound.elsewhere[kind]).toBeGreaterThanOrEqual(local);
        for (const rates of Object.values(outbound.countries)) {
          expect(rates[kind] ?? outbound.elsewhere[kind]).toBeGreaterThanOrEqual(local);
        }
      }
    }
  });
});

describe("a call's carrier share", () => {
  const call = {
    sandbox: false,
    carrier: 'twilio',
    direction: 'outbound',
    toNumber: '+447400123456',
    carrierPrice: null,
    durationMs: 61_000,
    used: [],
  } as const;

  it('is the rate of its destination for every started minute', () => {
    expect(costOfCall(call).carrier).toBe(61_000);
  });

  it("is the carrier's own price where it has reported one, and nothing in the sandbox", () => {
    expect(costOfCall({ ...call, carrierPrice: 12_345 }).carrier).toBe(12_345);
    expect(costOfCall({ ...call, carrierPrice: 0 }).carrier).toBe(0);
    expect(costOfCall({ ...call, carrierPrice: 12_345, sandbox: true }).carrier).toBe(0);
  });
});
