import twilio from 'twilio';
import RequestClient from 'twilio/lib/base/RequestClient.js';
import type responses from 'twilio/lib/http/response.js';

const VENDOR_ORIGIN = 'https://api.twilio.com';

/** Twilio's HTTP client, pointed at another server that speaks the same API. */
class RebasedRequestClient extends RequestClient {
  readonly #origin: string;

  constructor(origin: string, timeoutMs: number) {
    super({ timeout: timeoutMs, keepAlive: true });
    this.#origin = origin;
  }

  override request<TData>(options: RequestClient.RequestOptions<TData>): Promise<responses.default<TData>> {
    const { uri } = options;
    if (!uri.startsWith(VENDOR_ORIGIN)) return super.request(options);
    return super.request({ ...options, uri: this.#origin + uri.slice(VENDOR_ORIGIN.length) });
  }
}

export interface TwilioAccount {
  readonly accountSid: string;
  readonly authToken: string;
  /** Default: Twilio's own. */
  readonly apiUrl?: string;
}

/** The SDK for the account; requests give up after `timeoutMs`. */
export function twilioRestClient(account: TwilioAccount, timeoutMs: number): twilio.Twilio {
  const origin = (account.apiUrl ?? VENDOR_ORIGIN).replace(/\/+$/, '');
  return twilio(account.accountSid, account.authToken, {
    httpClient: new RebasedRequestClient(origin, timeoutMs),
  });
}
