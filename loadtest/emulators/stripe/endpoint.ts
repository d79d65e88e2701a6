import type { StripeAccount } from './account.js';
import { invalid, missing, noSuch, unknown } from './errors.js';
import { type Form, namesOf, textAt } from './form.js';

/** A request whose credentials were checked. */
interface ApiRequest {
  /** Of the path's `{id}`. */
  readonly id: string;
  /** Of the body, or of the query of a GET. */
  readonly form: Form;
}

export interface EndpointContext {
  readonly account: StripeAccount;
  readonly baseUrl: string;
  readonly meters: readonly string[];
  readonly prices: readonly string[];
  /** Epoch ms. */
  readonly now: () => number;
}

export interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  /** Names that are taken; `*` stands for a number, and at the end for any one name. */
  readonly params: readonly string[];
  readonly required?: readonly string[];
  run(request: ApiRequest, context: EndpointContext): object;
}

/** Refuses parameters that are unknown, missing or empty. */
export function checkParams(endpoint: Endpoint, form: Form): void {
  const allowed = new Set(endpoint.params);
  const any = endpoint.params.filter((name) => name.endsWith('[*]')).map((name) => name.slice(0, -3));
  for (const name of namesOf(form)) {
    if (!allowed.has(name) && !any.some((prefix) => name.startsWith(`${prefix}[`))) throw unknown(name);
  }
  for (const name of endpoint.required ?? []) {
    const present = form[name];
    if (present === undefined) throw missing(name);
    if (present === '') throw invalid(name, `You passed an empty string for '${name}'.`);
  }
}

/** Reads a parameter that must be a whole number. */
export function wholeNumber(text: string | undefined, param: string): number {
  if (text === undefined) throw missing(param);
  if (!/^\d+$/.test(text)) throw invalid(param, `Invalid integer: ${text}`);
  return Number(text);
}

/** Refuses a `limit` that no list takes (https://docs.stripe.com/api/pagination). */
export function checkLimit(form: Form): void {
  const limit = textAt(form, 'limit');
  if (limit === undefined) return;
  const number = wholeNumber(limit, 'limit');
  if (number < 1 || number > 100) throw invalid('limit', `Invalid limit: ${limit}`);
}

/** Reads the `customer`, which must exist. */
export function requireCustomer(form: Form, account: StripeAccount): string {
  const customer = textAt(form, 'customer');
  if (customer === undefined) throw missing('customer');
  if (!account.customers.has(customer)) throw noSuch('customer', customer, 'customer');
  return customer;
}

export function listOf(url: string, data: readonly object[]): object {
  return { object: 'list', url, has_more: false, data };
}
