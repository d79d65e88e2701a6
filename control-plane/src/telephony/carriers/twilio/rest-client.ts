import type { CarrierAccount } from '@voice/shared/catalogue/carriers';
import twilio from 'twilio';
import RequestClient from 'twilio/lib/base/RequestClient.js';
import type responses from 'twilio/lib/http/response.js';

/** Twilio's HTTP client; with an origin, every request goes there and none to Twilio. */
class RebasedRequestClient extends RequestClient {
  readonly #origin: string | undefined;

  constructor(origin: string | undefined, timeoutMs: number) {
    super({ timeout: timeoutMs, keepAlive: true });
    this.#origin = origin;
  }

  override request<TData>(options: RequestClient.RequestOptions<TData>): Promise<responses.default<TData>> {
    if (this.#origin === undefined) return super.request(options);
    const { pathname, search } = new URL(options.uri);
    return super.request({ ...options, uri: this.#origin + pathname + search });
  }
}

export type TwilioAccount = CarrierAccount<'twilio'>;

/** Builds the SDK's client for the account; requests give up after `timeoutMs`. */
export function twilioRestClient(account: TwilioAccount, timeoutMs: number): twilio.Twilio {
  return twilio(account.accountSid, account.authToken, {
    httpClient: new RebasedRequestClient(account.apiUrl?.replace(/\/+$/, ''), timeoutMs),
    // The SDK would read its own variables; the configuration is ours to read.
    env: {},
  });
}
