import { z } from 'zod';
import {
  type AvailableNumber,
  CarrierFailure,
  type CarrierNumbers,
  NUMBER_ORDER_PENDING,
  type NumberSearch,
  type OwnedNumber,
} from '../port.js';
import { isNotFound, type PlivoRestClient } from './rest-client.js';
import { digits } from './xml.js';

const available = z.object({
  objects: z.array(
    z.object({
      number: z.string(),
      region: z.string().nullish(),
      city: z.string().nullish(),
      voice_enabled: z.boolean(),
      sms_enabled: z.boolean(),
    }),
  ),
});
const bought = z.object({ numbers: z.array(z.object({ number: z.string(), status: z.string() })) });
const owned = z.object({ number: z.string() });

/** Numbers of a Plivo account (plivo.com/docs/numbers/api). A number's id is the number, without its plus. */
export class PlivoNumbers implements CarrierNumbers {
  readonly #client: PlivoRestClient;
  readonly #appId: string;

  constructor(client: PlivoRestClient, appId: string) {
    this.#client = client;
    this.#appId = appId;
  }

  async search({ country, areaCode, limit }: NumberSearch, signal: AbortSignal): Promise<AvailableNumber[]> {
    const query = new URLSearchParams({
      country_iso: country,
      type: 'local',
      services: 'voice',
      limit: String(limit),
      ...(areaCode === undefined ? {} : { pattern: areaCode }),
    });
    const path = `/PhoneNumber/?${query}`;
    const { objects } = await this.#client.request({ method: 'GET', path, answer: available, signal });
    return objects.map((entry) => ({
      number: `+${digits(entry.number)}`,
      country,
      region: entry.region ?? null,
      locality: entry.city ?? null,
      voice: entry.voice_enabled,
      sms: entry.sms_enabled,
    }));
  }

  /** Calls are reported where the application says, which is why no address is given. */
  async buy(number: string, _callbackBaseUrl: string, signal: AbortSignal): Promise<OwnedNumber> {
    const answer = await this.#client.request({
      method: 'POST',
      path: `/PhoneNumber/${digits(number)}/`,
      answer: bought,
      body: { app_id: this.#appId },
      signal,
    });
    const own = answer.numbers.find((entry) => digits(entry.number) === digits(number));
    if (own?.status === 'Success') return { number, carrierNumberId: digits(number) };
    // A number for which the vendor wants papers first.
    throw new CarrierFailure('unknown', NUMBER_ORDER_PENDING, 'The carrier has not sold the number yet.');
  }

  async owned(number: string, signal: AbortSignal): Promise<OwnedNumber | null> {
    try {
      const path = `/Number/${digits(number)}/`;
      await this.#client.request({ method: 'GET', path, answer: owned, signal });
      return { number, carrierNumberId: digits(number) };
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  async release(carrierNumberId: string, signal: AbortSignal): Promise<void> {
    try {
      const path = `/Number/${encodeURIComponent(carrierNumberId)}/`;
      await this.#client.request({ method: 'DELETE', path, answer: z.unknown(), signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
