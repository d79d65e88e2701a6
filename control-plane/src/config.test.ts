import { describe, expect, it } from 'vitest';
import { readConfig } from './config.js';

const least = {
  MONGODB_URI: 'mongodb://127.0.0.1:27017/x',
  INTERNAL_SECRET: 'i'.repeat(16),
  SECRETS_KEY: 's'.repeat(32),
};

describe('the environment', () => {
  it('needs three variables and has defaults for the rest', () => {
    expect(readConfig(least)).toMatchObject({
      port: 8080,
      publicUrl: undefined,
      dataDir: './data',
      carriers: { simulated: undefined, twilio: undefined },
      rateLimits: { default: 60, dial: 10, 'campaign-dispatch': 120 },
      trustProxy: 0,
      logLevel: 'info',
    });
  });

  it('names every variable that is missing or wrong, one a line', () => {
    expect(() => readConfig({ PORT: 'x', PUBLIC_URL: 'nowhere', SECRETS_KEY: 'short' })).toThrow(
      expect.objectContaining({
        name: 'ConfigurationError',
        message: expect.stringMatching(
          /^PORT: .+\nPUBLIC_URL: .+\nMONGODB_URI is missing\nINTERNAL_SECRET is missing\nSECRETS_KEY: needs at least 32 characters$/,
        ),
      }),
    );
  });

  it.each([
    [{ TWILIO_ACCOUNT_SID: 'AC1' }, 'TWILIO_AUTH_TOKEN is missing'],
    [{ TWILIO_AUTH_TOKEN: 't' }, 'TWILIO_ACCOUNT_SID is missing'],
    [
      { SIMULATED_CARRIER_ACCOUNT_SID: 'AC1', SIMULATED_CARRIER_AUTH_TOKEN: 't' },
      'SIMULATED_CARRIER_URL is missing',
    ],
  ])('refuses half a carrier account: %j', (vars, complaint) => {
    expect(() => readConfig({ ...least, ...vars })).toThrow(complaint);
  });

  it('takes an empty variable for an absent one, and a public URL without its slash', () => {
    const config = readConfig({ ...least, OPENAI_API_KEY: ' ', PUBLIC_URL: 'https://voice.example/' });
    expect(config.vendors.openai.apiKey).toBeUndefined();
    expect(config.publicUrl).toBe('https://voice.example');
  });

  it('believes as many proxies as it is told, or those at the named addresses', () => {
    expect(readConfig({ ...least, TRUST_PROXY: '2' }).trustProxy).toBe(2);
    expect(readConfig({ ...least, TRUST_PROXY: '10.0.0.0/8, ::1' }).trustProxy).toEqual([
      '10.0.0.0/8',
      '::1',
    ]);
  });
});
