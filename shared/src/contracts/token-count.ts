/** More than any request has: sums of such counts stay whole numbers. */
const MOST_TOKENS = 1_000_000_000;

/**
 * Returns the tokens that a model's server says it counted. The server may be a tenant's and say anything: what is no
 * count of tokens is none. Pure.
 */
export function tokenCount(said: unknown): number {
  return typeof said === 'number' && said > 0 ? Math.min(Math.round(said), MOST_TOKENS) : 0;
}
