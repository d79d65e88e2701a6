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
      rateLimits: { default: 60, session: 600, dial: 10, 'campaign-dispatch': 120 },
      trustProxy: 0,
      logLevel: 'info',
    });
  });

  it('names every variable that is missing or wrong, one a line', () => {
    expect(() => readConfig({ PORT: 'x', PUBLIC_URL: 'nowhere', SECRETS_KEY: 'short' })).toThrow(
      expect.objectContaining({
        name: 'ConfigurationError',
        message: expect.stringMatching(
          /^PORT: expected a number, got 'x'\nPUBLIC_URL: .+\nMONGODB_URI is missing\nINTERNAL_SECRET is missing\nSECRETS_KEY: expected at least 32 characters, got 5: .+$/,
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

  it('wants billing where there is a payment provider, unless it is set otherwise', () => {
    const stripe = { ...least, STRIPE_SECRET_KEY: 'sk_live_x' };
    expect(readConfig(least).billing).toBe('off');
    expect(readConfig(stripe).billing).toBe('required');
    expect(readConfig({ ...stripe, BILLING: 'off' }).billing).toBe('off');
    expect(readConfig({ ...least, BILLING: 'required' }).billing).toBe('required');
    expect(() => readConfig({ ...least, BILLING: 'yes' })).toThrow(
      /^BILLING: expected off or required, got 'yes'$/,
    );
  });

  it('takes where verification codes may go, and how many a day', () => {
    expect(readConfig(least)).toMatchObject({
      verificationCountries: undefined,
      verificationsPerDay: { tenant: 20, installation: 500 },
    });
    expect(readConfig({ ...least, VERIFICATION_COUNTRIES: 'us, ca' }).verificationCountries).toEqual([
      'US',
      'CA',
    ]);
    expect(readConfig({ ...least, VERIFICATION_COUNTRIES: '*' }).verificationCountries).toBe('all');
    expect(() => readConfig({ ...least, VERIFICATION_COUNTRIES: 'Germany' })).toThrow(
      /^VERIFICATION_COUNTRIES: /,
    );
    expect(() => readConfig({ ...least, VERIFICATIONS_PER_DAY: '-1' })).toThrow(/^VERIFICATIONS_PER_DAY: /);
    expect(() => readConfig({ ...least, VERIFICATIONS_PER_DAY_TENANT: 'x' })).toThrow(
      /^VERIFICATIONS_PER_DAY_TENANT: /,
    );
  });

  it('refuses a TURN server to which browsers would bring no credential', () => {
    const ICE_SERVERS = '[{"urls":["stun:turn.example.com","turn:turn.example.com"]}]';
    expect(() => readConfig({ ...least, ICE_SERVERS })).toThrow(/^ICE_SERVERS: .* or TURN_SECRET/);
    expect(() => readConfig({ ...least, ICE_SERVERS, TURN_SECRET: 'short' })).toThrow(/^TURN_SECRET: /);
    const TURN_SECRET = 'shared-with-the-server';
    expect(readConfig({ ...least, ICE_SERVERS, TURN_SECRET }).ice.turnSecret).toBe(TURN_SECRET);
    expect(readConfig({ ...least, ICE_SERVERS: '[{"urls":"stun:x"}]', TURN_SECRET: '' }).ice.turnSecret).toBe(
      undefined,
    );
  });

  it('takes the STUN and TURN servers of testers as JSON, and says what is wrong with them', () => {
    const servers = [{ urls: ['turn:turn.example.com:3478'], username: 'u', credential: 'c' }];
    expect(readConfig({ ...least, ICE_SERVERS: JSON.stringify(servers) }).ice.servers).toEqual(servers);
    expect(readConfig(least).ice).toEqual({ servers: [], turnSecret: undefined });
    const wrong = [
      'turn:x',
      '[{"urls":"http://turn.example.com"}]',
      '[{"url":"stun:x"}]',
      '{"urls":"stun:x"}',
    ];
    for (const ICE_SERVERS of wrong) {
      expect(() => readConfig({ ...least, ICE_SERVERS })).toThrow(/^ICE_SERVERS: expected a JSON list/);
    }
  });

  it('takes an empty variable for an absent one, and a public URL without its slash', () => {
    const config = readConfig({ ...least, OPENAI_API_KEY: ' ', PUBLIC_URL: 'https://voice.example/' });
    expect(config.vendors.openai.apiKey).toBeUndefined();
    expect(config.publicUrl).toBe('https://voice.example');
  });

  it('takes earlier keys of secrets by comma, or as JSON where one has a comma itself', () => {
    const [one, two] = ['1'.repeat(32), `2,${'2'.repeat(32)}`];
    const keysOf = (SECRETS_KEYS_OLD: string) => readConfig({ ...least, SECRETS_KEYS_OLD }).secretsKeys;
    expect(readConfig(least).secretsKeys).toEqual([least.SECRETS_KEY]);
    expect(keysOf('')).toEqual([least.SECRETS_KEY]);
    expect(keysOf(`${one}, ${one}`)).toEqual([least.SECRETS_KEY, one, one]);
    expect(keysOf(JSON.stringify([one, two]))).toEqual([least.SECRETS_KEY, one, two]);
    for (const wrong of ['short', two, '[1]', '["short"]', '[']) {
      expect(() => keysOf(wrong)).toThrow(/^SECRETS_KEYS_OLD: /);
    }
  });

  it('listens on loopback, with what is between the planes on a port of its own', () => {
    expect(readConfig(least)).toMatchObject({
      host: '127.0.0.1',
      internal: { host: '127.0.0.1', port: 8082 },
    });
    expect(readConfig({ ...least, PORT: '0' }).internal.port).toBe(0);
    expect(readConfig({ ...least, HOST: '0.0.0.0' }).internal.host).toBe('127.0.0.1');
    expect(() => readConfig({ ...least, PORT: '9000', INTERNAL_PORT: '9000' })).toThrow(
      /^INTERNAL_PORT: must not be PORT/,
    );
    expect(() => readConfig({ ...least, HOST: 'not a host' })).toThrow(/^HOST: /);
  });

  it('trusts as many proxies as configured, or those at the named addresses', () => {
    expect(readConfig({ ...least, TRUST_PROXY: '2' }).trustProxy).toBe(2);
    expect(readConfig({ ...least, TRUST_PROXY: '10.0.0.0/8, ::1' }).trustProxy).toEqual([
      '10.0.0.0/8',
      '::1',
    ]);
  });
});
