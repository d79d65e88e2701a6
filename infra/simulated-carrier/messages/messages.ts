import { randomBytes } from 'node:crypto';
import { RestError } from '../requests/errors.js';

export interface Message {
  readonly sid: string;
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

/** Messages that can still be read; the oldest are forgotten first. */
const REMEMBERED = 1000;
const LONGEST_BODY = 1600;
const E164 = /^\+[1-9]\d{6,14}$/;
const KNOWN = new Set(['To', 'From', 'Body']);

/** Text messages (twilio.com/docs/messaging/api/message-resource). They go nowhere; who tests reads them. */
export class Messages {
  readonly #sent: Message[] = [];

  send(accountSid: string, form: URLSearchParams): object {
    for (const name of form.keys()) {
      if (!KNOWN.has(name)) throw new RestError(400, 20001, `${name} is not simulated`);
    }
    const [to, from, body] = ['To', 'From', 'Body'].map((name) => form.get(name) ?? '');
    if (!E164.test(to!))
      throw new RestError(400, 21211, `The 'To' number ${to} is not a valid phone number.`);
    if (!E164.test(from!)) {
      throw new RestError(400, 21212, `The 'From' number ${from} is not a valid phone number.`);
    }
    if (body === '') throw new RestError(400, 21602, 'Message body is required.');
    if (body!.length > LONGEST_BODY) {
      throw new RestError(400, 21617, 'The message body exceeds the 1600 character limit.');
    }
    const message = { sid: `SM${randomBytes(16).toString('hex')}`, from: from!, to: to!, body: body! };
    this.#sent.push(message);
    if (this.#sent.length > REMEMBERED) this.#sent.shift();
    return {
      ...message,
      account_sid: accountSid,
      status: 'queued',
      direction: 'outbound-api',
      num_segments: '1',
      num_media: '0',
      error_code: null,
      error_message: null,
      price: null,
      price_unit: 'USD',
      api_version: '2010-04-01',
      messaging_service_sid: null,
      date_created: null,
      date_updated: null,
      date_sent: null,
      uri: `/2010-04-01/Accounts/${accountSid}/Messages/${message.sid}.json`,
      subresource_uris: {},
    };
  }

  /** Lists the messages that were sent to a number, newest first. */
  to(number: string | null): Message[] {
    return this.#sent.filter((message) => number === null || message.to === number).reverse();
  }
}
