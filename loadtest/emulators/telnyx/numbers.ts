import { randomUUID } from 'node:crypto';
import { invalid, notFound, TelnyxError } from './errors.js';

const AREAS = [
  { code: '312', state: 'IL', place: 'CHICAGO' },
  { code: '646', state: 'NY', place: 'NEW YORK' },
];
const KNOWN_FILTERS = new Set([
  'filter[country_code]',
  'filter[national_destination_code]',
  'filter[features]',
  'filter[limit]',
]);

/** Number search, orders and owned numbers (developers.telnyx.com). Numbers are 555-01xx, nobody's. */
export class EmulatedNumbers {
  readonly #owned = new Map<string, { id: string; connectionId: string | null }>();
  readonly #pending = new Map<string, string | null>();
  /** While set, orders stay pending: the number is not there yet, and nobody else's either. */
  ordersPend = false;
  /** While set, the account's numbers are not listed: 503. */
  listsFail = false;

  search(query: URLSearchParams): object[] {
    for (const name of query.keys()) {
      if (!KNOWN_FILTERS.has(name)) throw invalid(`${name} is not emulated`);
    }
    if ((query.get('filter[country_code]') ?? 'US') !== 'US') return [];
    const code = query.get('filter[national_destination_code]');
    const limit = Number(query.get('filter[limit]') ?? '100');
    return this.#offers()
      .filter((offer) => code === null || offer.code === code)
      .slice(0, limit)
      .map(({ number, state, place }) => ({
        record_type: 'available_phone_number',
        phone_number: number,
        region_information: [
          { region_type: 'rate_center', region_name: place },
          { region_type: 'state', region_name: state },
          { region_type: 'country_code', region_name: 'US' },
        ],
        features: [{ name: 'sms' }, { name: 'voice' }],
        best_effort: false,
      }));
  }

  order(body: Readonly<Record<string, unknown>>): object {
    const wanted = body.phone_numbers;
    if (!Array.isArray(wanted) || wanted.length === 0) throw invalid('phone_numbers');
    const numbers = wanted.map((entry) => String((entry as { phone_number?: unknown }).phone_number));
    for (const number of numbers) {
      if (!this.#offers().some((offer) => offer.number === number)) {
        throw new TelnyxError(422, '85001', 'Phone number is not available', `${number} is not available`);
      }
    }
    const connectionId = typeof body.connection_id === 'string' ? body.connection_id : null;
    const phone_numbers = numbers.map((number) => {
      const id = randomUUID();
      if (this.ordersPend) this.#pending.set(number, connectionId);
      else this.#owned.set(number, { id, connectionId });
      return { id: randomUUID(), record_type: 'number_order_phone_number', phone_number: number };
    });
    return {
      id: randomUUID(),
      record_type: 'number_order',
      phone_numbers_count: numbers.length,
      connection_id: connectionId,
      phone_numbers,
      status: this.ordersPend ? 'pending' : 'success',
      requirements_met: true,
    };
  }

  /** Completes the orders that are pending. */
  complete(): void {
    for (const [number, connectionId] of this.#pending) {
      this.#owned.set(number, { id: randomUUID(), connectionId });
    }
    this.#pending.clear();
  }

  list(query: URLSearchParams): object[] {
    if (this.listsFail) throw new TelnyxError(503, '10007', 'Service unavailable');
    const wanted = query.get('filter[phone_number]');
    return [...this.#owned]
      .filter(([number]) => wanted === null || number === wanted)
      .map(([number, { id, connectionId }]) => ({
        id,
        record_type: 'phone_number',
        phone_number: number,
        status: 'active',
        connection_id: connectionId,
      }));
  }

  release(id: string): object {
    const found = [...this.#owned].find(([, owned]) => owned.id === id);
    if (!found) throw notFound();
    this.#owned.delete(found[0]);
    return { id, record_type: 'phone_number', phone_number: found[0], status: 'deleted' };
  }

  #offers() {
    return AREAS.flatMap((area) =>
      Array.from({ length: 100 }, (_, i) => ({ ...area, number: `+1${area.code}5550${100 + i}` })),
    ).filter(({ number }) => !this.#owned.has(number) && !this.#pending.has(number));
  }
}
