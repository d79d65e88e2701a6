import { randomUUID } from 'node:crypto';
import type { Body } from './call-body.js';
import { invalid, notFound } from './errors.js';

const AREAS = [
  { code: '312', region: 'Illinois, UNITED STATES', city: 'CHICAGO' },
  { code: '646', region: 'New York, UNITED STATES', city: 'NEW YORK' },
];
const KNOWN = new Set(['country_iso', 'type', 'services', 'limit', 'pattern']);

/** Number search, purchase and owned numbers (plivo.com/docs/numbers/api). Numbers are 555-01xx, nobody's. */
export class PlivoNumbers {
  readonly #owned = new Set<string>();
  /** While set, what is bought waits for papers. */
  salesPend = false;

  constructor(private readonly appId: string) {}

  search(query: URLSearchParams): object {
    for (const name of query.keys()) if (!KNOWN.has(name)) throw invalid(`${name} is not a parameter`);
    const limit = Number(query.get('limit') ?? '20');
    if (!Number.isInteger(limit) || limit < 1 || limit > 20) throw invalid('limit is at most 20');
    const pattern = query.get('pattern');
    const objects = query.get('country_iso') === 'US' ? this.#offers() : [];
    return {
      api_id: randomUUID(),
      objects: objects
        .filter(({ code }) => pattern === null || code.startsWith(pattern))
        .slice(0, limit)
        .map(({ number, region, city }) => ({
          number,
          region,
          city,
          type: 'fixed',
          voice_enabled: true,
          sms_enabled: true,
        })),
    };
  }

  buy(number: string, { app_id }: Body): object {
    if (app_id !== this.appId) throw invalid('app_id is not yours');
    if (!this.#offers().some((offer) => offer.number === number)) throw invalid(`${number} is not available`);
    if (!this.salesPend) this.#owned.add(number);
    const status = this.salesPend ? 'pending' : 'Success';
    return { api_id: randomUUID(), message: 'created', numbers: [{ number, status }], status: 'fulfilled' };
  }

  owned(number: string): object {
    if (!this.#owned.has(number)) throw notFound();
    return { api_id: randomUUID(), number, application: `/v1/Account/-/Application/${this.appId}/` };
  }

  release(number: string): void {
    if (!this.#owned.delete(number)) throw notFound();
  }

  #offers() {
    return AREAS.flatMap((area) =>
      Array.from({ length: 100 }, (_, i) => ({ ...area, number: `1${area.code}5550${100 + i}` })),
    ).filter(({ number }) => !this.#owned.has(number));
  }
}
