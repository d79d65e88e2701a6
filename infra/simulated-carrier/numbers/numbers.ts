import { randomBytes } from 'node:crypto';
import { RestError } from '../requests/errors.js';

/** A number that a customer has bought, with its callback URLs. */
export interface BoughtNumber {
  readonly sid: string;
  readonly number: string;
  readonly voiceUrl: string | undefined;
  readonly statusCallback: string | undefined;
}

interface Offer {
  readonly number: string;
  readonly country: string;
  readonly region: string;
  readonly locality: string;
}

/** Area codes of the offers; their numbers are 555-0100 to 555-0199, which are nobody's (NANPA, ATIS-0300115). */
const AREAS: Readonly<Record<string, readonly { code: string; region: string; locality: string }[]>> = {
  US: [
    { code: '415', region: 'CA', locality: 'San Francisco' },
    { code: '212', region: 'NY', locality: 'New York' },
    { code: '512', region: 'TX', locality: 'Austin' },
  ],
  CA: [
    { code: '416', region: 'ON', locality: 'Toronto' },
    { code: '604', region: 'BC', locality: 'Vancouver' },
  ],
};
const NUMBERS_AN_AREA = 100;
/** The most that a page may hold (twilio.com/docs/usage/twilios-response#pagination). */
const LONGEST_PAGE = 1000;
const KNOWN_SEARCH = new Set(['AreaCode', 'VoiceEnabled', 'SmsEnabled', 'PageSize', 'Contains']);
const KNOWN_PURCHASE = new Set([
  'PhoneNumber',
  'VoiceUrl',
  'VoiceMethod',
  'StatusCallback',
  'StatusCallbackMethod',
  'FriendlyName',
]);

/** Numbers for sale and numbers that were sold (twilio.com/docs/phone-numbers/api). Kept in memory. */
export class Numbers {
  readonly #sold = new Map<string, BoughtNumber>();

  /** Searches for numbers to sell and gives the resource; throws 404 for a country in which nothing is sold. */
  search(accountSid: string, country: string, query: URLSearchParams): object {
    for (const name of query.keys()) {
      if (!KNOWN_SEARCH.has(name)) throw new RestError(400, 20001, `${name} is not simulated`);
    }
    const size = Number(query.get('PageSize') ?? '50');
    if (!Number.isInteger(size) || size < 1 || size > LONGEST_PAGE) {
      throw new RestError(400, 20001, `PageSize must be 1 to ${LONGEST_PAGE}`);
    }
    const offers = this.#offers(country, query.get('AreaCode')).slice(0, size);
    return {
      available_phone_numbers: offers.map((offer) => ({
        friendly_name: offer.number,
        phone_number: offer.number,
        lata: null,
        locality: offer.locality,
        rate_center: offer.locality.toUpperCase(),
        latitude: null,
        longitude: null,
        region: offer.region,
        postal_code: null,
        iso_country: offer.country,
        address_requirements: 'none',
        beta: false,
        capabilities: { voice: true, SMS: true, MMS: false },
      })),
      uri: `/2010-04-01/Accounts/${accountSid}/AvailablePhoneNumbers/${country}/Local.json`,
    };
  }

  buy(accountSid: string, form: URLSearchParams): object {
    for (const name of form.keys()) {
      if (!KNOWN_PURCHASE.has(name)) throw new RestError(400, 20001, `${name} is not simulated`);
    }
    const number = form.get('PhoneNumber') ?? '';
    if (!/^\+[1-9]\d{6,14}$/.test(number)) {
      throw new RestError(400, 21421, `PhoneNumber ${number} is not a valid number`);
    }
    const country = Object.keys(AREAS).find((name) =>
      this.#offers(name, null).some((offer) => offer.number === number),
    );
    if (!country) throw new RestError(400, 21422, `PhoneNumber ${number} is not available`);
    const bought: BoughtNumber = {
      sid: `PN${randomBytes(16).toString('hex')}`,
      number,
      voiceUrl: form.get('VoiceUrl') ?? undefined,
      statusCallback: form.get('StatusCallback') ?? undefined,
    };
    this.#sold.set(number, bought);
    return resource(accountSid, bought);
  }

  list(accountSid: string, query: URLSearchParams): object {
    const wanted = query.get('PhoneNumber');
    const found = [...this.#sold.values()].filter(({ number }) => wanted === null || number === wanted);
    return {
      incoming_phone_numbers: found.map((number) => resource(accountSid, number)),
      page: 0,
      page_size: 50,
      uri: `/2010-04-01/Accounts/${accountSid}/IncomingPhoneNumbers.json`,
      next_page_uri: null,
    };
  }

  /** Releases a number; false when there is no such number. */
  release(sid: string): boolean {
    const found = [...this.#sold.values()].find((number) => number.sid === sid);
    return found !== undefined && this.#sold.delete(found.number);
  }

  find(number: string): BoughtNumber | undefined {
    return this.#sold.get(number);
  }

  #offers(country: string, areaCode: string | null): Offer[] {
    const areas = AREAS[country];
    if (!areas) {
      const path = `AvailablePhoneNumbers/${country}/Local.json`;
      throw new RestError(404, 20404, `The requested resource ${path} was not found`);
    }
    return areas
      .filter(({ code }) => areaCode === null || code === areaCode)
      .flatMap(({ code, region, locality }) =>
        Array.from({ length: NUMBERS_AN_AREA }, (_, i) => ({
          number: `+1${code}5550${100 + i}`,
          country,
          region,
          locality,
        })),
      )
      .filter(({ number }) => !this.#sold.has(number));
  }
}

function resource(accountSid: string, number: BoughtNumber): object {
  return {
    sid: number.sid,
    account_sid: accountSid,
    friendly_name: number.number,
    phone_number: number.number,
    voice_url: number.voiceUrl ?? '',
    voice_method: 'POST',
    status_callback: number.statusCallback ?? '',
    status_callback_method: 'POST',
    capabilities: { voice: true, sms: true, mms: false, fax: false },
    api_version: '2010-04-01',
    beta: false,
    origin: 'twilio',
    status: 'in-use',
    date_created: null,
    date_updated: null,
    uri: `/2010-04-01/Accounts/${accountSid}/IncomingPhoneNumbers/${number.sid}.json`,
  };
}
