import type { CarrierAccount } from '@voice/shared/catalogue/carriers';
import twilio from 'twilio';
import { TwilioHttpClient } from './http-client.js';

export type TwilioAccount = CarrierAccount<'twilio'>;

/** Builds the SDK's client for the account; requests give up after `timeoutMs`. */
export function twilioRestClient(account: TwilioAccount, timeoutMs: number): twilio.Twilio {
  return twilio(account.accountSid, account.authToken, {
    httpClient: new TwilioHttpClient(account.apiUrl?.replace(/\/+$/, ''), timeoutMs),
    // The SDK would read its own variables; the configuration is ours to read.
    env: {},
  });
}
