import twilio from 'twilio';
import RequestClient from 'twilio/lib/base/RequestClient.js';

/** Creates Twilio's SDK with its host replaced. */
export function twilioClient(url: string, accountSid: string, authToken: string): twilio.Twilio {
  class Redirected extends RequestClient {
    override request<TData>(options: RequestClient.RequestOptions<TData>) {
      return super.request({ ...options, uri: options.uri.replace('https://api.twilio.com', url) });
    }
  }
  return twilio(accountSid, authToken, { httpClient: new Redirected() });
}
