import { CARRIER_NAMES, CARRIERS, type CarrierAccounts } from '@voice/shared/catalogue/carriers';
import { systemClock } from '@voice/shared/clock/clock';
import { silentLog } from '@voice/shared/log/log';
import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import type { CallbackOptions } from './adapter.js';
import { Carriers, configuredCarriers } from './carriers.js';
import { installedCarriers } from './registration.js';

const apiUrl = 'http://127.0.0.1:9';
const ACCOUNTS: Required<CarrierAccounts> = {
  twilio: { accountSid: 'AC1', authToken: 't' },
  telnyx: { apiKey: 'k', publicKey: `${'A'.repeat(43)}=`, connectionId: '42', codec: 'PCMU' },
  plivo: { authId: 'MA1', authToken: 't', appId: '1' },
  simulated: { accountSid: 'AC2', authToken: 't', apiUrl },
};

const callbacks = (): CallbackOptions => ({
  reports: {
    accept: () => Promise.reject(new Error('nobody reports')),
    receive: () => Promise.reject(new Error('nobody calls')),
  },
  publicUrl: () => 'https://voice.example.com',
  store: mongoose.createConnection(),
  clock: systemClock,
  log: silentLog,
});

describe('the registered carriers', () => {
  it('are those of the catalogue, in its order', () => {
    expect(installedCarriers({}).map(({ name }) => name)).toEqual(CARRIER_NAMES);
  });

  it.each(CARRIER_NAMES)('build %s as the catalogue describes it', (name) => {
    const installed = installedCarriers(ACCOUNTS).find((one) => one.name === name);
    const { protocol, capabilities } = CARRIERS[name];
    expect(installed?.carrier).toMatchObject({
      name,
      link: { name, protocol },
      repeatable: capabilities.repeatableCommands,
    });
    expect(installed?.carrier?.price !== undefined).toBe(capabilities.ownPrice === 'request');
  });

  it.each([{}, ACCOUNTS])(
    'have callback routes of their own, with and without an account (%#)',
    (accounts) => {
      const options = callbacks();
      for (const { name, routes } of installedCarriers(accounts)) {
        const paths = routes(options).map(({ path }) => path);
        expect(paths.length).toBeGreaterThan(0);
        expect(paths.filter((path) => !path.startsWith(`/internal/carriers/${name}/`))).toEqual([]);
      }
    },
  );

  it('are connected where there is an account, and else refused by name', () => {
    const carriers = configuredCarriers({ telnyx: ACCOUNTS.telnyx });
    expect(carriers.require('telnyx').name).toBe('telnyx');
    expect(carriers.find('twilio')).toBeUndefined();
    expect(() => carriers.require('twilio')).toThrow('The carrier "twilio" is not configured here.');
  });
});

describe('the carrier that sends verification codes', () => {
  it('is the first in the catalogue that is configured and calls people', () => {
    expect(configuredCarriers(ACCOUNTS).requireForCodes('sms').name).toBe('twilio');
    expect(configuredCarriers({ ...ACCOUNTS, twilio: undefined }).requireForCodes('voice').name).toBe(
      'telnyx',
    );
  });

  it('is missing where there is none, the simulated one aside', () => {
    for (const carriers of [new Carriers([]), configuredCarriers({ simulated: ACCOUNTS.simulated })]) {
      expect(() => carriers.requireForCodes('sms')).toThrow(
        expect.objectContaining({ code: 'carrier_error', status: 502 }),
      );
    }
  });
});
