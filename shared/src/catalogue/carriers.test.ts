import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  CARRIER_NAMES,
  CARRIER_PRICES,
  CARRIERS,
  carrierAccounts,
  carrierVariables,
  DEFAULT_CARRIER,
  PRODUCTION_CARRIERS,
} from './carriers.js';

const environment = z.object(carrierVariables);
const read = (given: Record<string, string>) => carrierAccounts(environment.parse(given));
const KEY = 'A'.repeat(43);
const TELNYX = { TELNYX_API_KEY: 'k', TELNYX_PUBLIC_KEY: `${KEY}=`, TELNYX_CONNECTION_ID: '42' };

describe('the carrier catalogue', () => {
  it('begins with the default, which calls people', () => {
    expect(DEFAULT_CARRIER).toBe(CARRIER_NAMES[0]);
    expect(PRODUCTION_CARRIERS[0]).toBe(DEFAULT_CARRIER);
    expect(PRODUCTION_CARRIERS).not.toContain('simulated');
  });

  it('has the prices of carriers that call people, with date and source', () => {
    expect(Object.keys(CARRIER_PRICES)).toEqual(PRODUCTION_CARRIERS);
    for (const { asOf, source } of Object.values(CARRIER_PRICES)) {
      expect(asOf).toMatch(/^20\d\d-(0[1-9]|1[0-2])$/);
      expect(URL.canParse(source)).toBe(true);
    }
  });

  it.each(CARRIER_NAMES)('has a variable for each field of the account at %s', (name) => {
    const { account, variables, begunBy } = CARRIERS[name];
    expect(Object.keys(variables).sort()).toEqual(Object.keys(account.shape).sort());
    expect(Object.keys(variables)).toEqual(expect.arrayContaining([...begunBy]));
  });

  it('reads an account, with what may be left out', () => {
    expect(read({})).toEqual({});
    expect(read({ ...TELNYX, TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: ' t ' })).toEqual({
      twilio: { accountSid: 'AC1', authToken: 't' },
      telnyx: { apiKey: 'k', publicKey: `${KEY}=`, connectionId: '42', codec: 'PCMU' },
    });
    expect(
      read({ ...TELNYX, TELNYX_CODEC: 'L16', TELNYX_API_URL: 'http://127.0.0.1:1' }).telnyx,
    ).toMatchObject({ codec: 'L16', apiUrl: 'http://127.0.0.1:1' });
  });

  it.each([
    [{ TWILIO_ACCOUNT_SID: 'AC1' }, 'TWILIO_AUTH_TOKEN is missing beside TWILIO_ACCOUNT_SID'],
    [{ TWILIO_AUTH_TOKEN: 't' }, 'TWILIO_ACCOUNT_SID is missing beside TWILIO_AUTH_TOKEN'],
    [{ TELNYX_API_KEY: 'k' }, 'TELNYX_PUBLIC_KEY is missing beside TELNYX_API_KEY'],
    [
      { SIMULATED_CARRIER_ACCOUNT_SID: 'AC1', SIMULATED_CARRIER_AUTH_TOKEN: 't' },
      'SIMULATED_CARRIER_URL is missing beside SIMULATED_CARRIER_ACCOUNT_SID',
    ],
  ])('names what half an account lacks: %j', (given, complaint) => {
    expect(() => read(given)).toThrow(complaint);
  });

  it('means no account by what only goes with one', () => {
    expect(read({ TELNYX_CONNECTION_ID: '42', SIMULATED_CARRIER_URL: 'http://127.0.0.1:1' })).toEqual({});
  });

  it.each([
    ['TELNYX_PUBLIC_KEY', 'short'],
    ['TELNYX_CODEC', 'G722'],
    ['TWILIO_API_URL', 'nowhere'],
  ])('refuses %s=%s', (variable, value) => {
    const parsed = environment.safeParse({ [variable]: value });
    expect(parsed.error?.issues.map(({ path }) => path)).toEqual([[variable]]);
  });
});
