import { z } from 'zod';
import {
  type AvailableNumber,
  CarrierFailure,
  type CarrierNumbers,
  NUMBER_ORDER_PENDING,
  type NumberSearch,
  type OwnedNumber,
} from '../port.js';
import { isNotFound, type TelnyxRestClient } from './rest-client.js';

const available = z.array(
  z.object({
    phone_number: z.string(),
    region_information: z.array(z.object({ region_type: z.string(), region_name: z.string() })).default([]),
    features: z.array(z.object({ name: z.string() })).default([]),
  }),
);
const order = z.object({
  id: z.string(),
  status: z.string(),
  phone_numbers: z.array(z.object({ id: z.string(), phone_number: z.string() })),
});
const ownedNumbers = z.array(z.object({ id: z.string(), phone_number: z.string() }));

/** Numbers of a Telnyx account (developers.telnyx.com: number search, number orders, phone numbers). */
export class TelnyxNumbers implements CarrierNumbers {
  readonly #client: TelnyxRestClient;
  readonly #connectionId: string;

  constructor(client: TelnyxRestClient, connectionId: string) {
    this.#client = client;
    this.#connectionId = connectionId;
  }

  async search({ country, areaCode, limit }: NumberSearch, signal: AbortSignal): Promise<AvailableNumber[]> {
    const query = new URLSearchParams({
      'filter[country_code]': country,
      'filter[features]': 'voice',
      'filter[limit]': String(limit),
      ...(areaCode === undefined ? {} : { 'filter[national_destination_code]': areaCode }),
    });
    const found = await this.#client.request(
      'GET',
      `/available_phone_numbers?${query}`,
      available,
      undefined,
      signal,
    );
    return found.map((entry) => {
      const region = (type: string) =>
        entry.region_information.find(({ region_type }) => region_type === type)?.region_name ?? null;
      return {
        number: entry.phone_number,
        country,
        region: region('state'),
        locality: region('rate_center') ?? region('location'),
        voice: entry.features.some(({ name }) => name === 'voice'),
        sms: entry.features.some(({ name }) => name === 'sms'),
      };
    });
  }

  /** Webhooks go where the application of the connection says, which is why no address is given. */
  async buy(number: string, _callbackBaseUrl: string, signal: AbortSignal): Promise<OwnedNumber> {
    const made = await this.#client.request(
      'POST',
      '/number_orders',
      order,
      { phone_numbers: [{ phone_number: number }], connection_id: this.#connectionId },
      signal,
    );
    if (made.status === 'failure') {
      throw new CarrierFailure('rejected', 'number_order_failed', 'The carrier did not sell the number.');
    }
    // The order is taken: whatever this answer is, the number may become ours.
    const owned = await this.owned(number, signal).catch((error: unknown) => {
      throw orderPending(error);
    });
    // An order takes a moment to become a number.
    if (!owned) throw orderPending();
    return owned;
  }

  async owned(number: string, signal: AbortSignal): Promise<OwnedNumber | null> {
    const query = new URLSearchParams({ 'filter[phone_number]': number });
    const found = await this.#client.request(
      'GET',
      `/phone_numbers?${query}`,
      ownedNumbers,
      undefined,
      signal,
    );
    const match = found.find(({ phone_number }) => phone_number === number);
    return match ? { number, carrierNumberId: match.id } : null;
  }

  async release(carrierNumberId: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.request(
        'DELETE',
        `/phone_numbers/${encodeURIComponent(carrierNumberId)}`,
        z.unknown(),
        undefined,
        signal,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function orderPending(cause?: unknown): CarrierFailure {
  return new CarrierFailure('unknown', NUMBER_ORDER_PENDING, 'The order is not complete yet.', cause);
}
