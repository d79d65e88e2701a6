import { createHash } from 'node:crypto';
import type { Clock } from '../../clock/clock.js';
import type { ListedTool, McpServerConfig } from './offered-tools.js';

/** How long a listing counts as fresh, in ms. */
export const LISTING_LIFE_MS = 60_000;
const MAX_LISTINGS = 1000;

interface Listing {
  readonly tools: readonly ListedTool[];
  readonly until: number;
}

/**
 * Caches what servers listed as their tools, for a minute, by server and credentials: every session that sends the same
 * request with the same headers gets the same listing. Kept longer by name, to say what an agent goes without.
 */
export class ListingCache {
  readonly #clock: Clock;
  readonly #listings = new Map<string, Listing>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns what the server listed within the last minute. */
  fresh(server: McpServerConfig): readonly ListedTool[] | undefined {
    const listing = this.#listings.get(keyOf(server));
    return listing && listing.until > this.#clock.monotonic() ? listing.tools : undefined;
  }

  /** Returns what the server listed last, however long ago. */
  last(server: McpServerConfig): readonly ListedTool[] | undefined {
    return this.#listings.get(keyOf(server))?.tools;
  }

  keep(server: McpServerConfig, tools: readonly ListedTool[]): void {
    const key = keyOf(server);
    this.#listings.delete(key);
    this.#listings.set(key, { tools, until: this.#clock.monotonic() + LISTING_LIFE_MS });
    const [oldest] = this.#listings.keys();
    if (this.#listings.size > MAX_LISTINGS && oldest !== undefined) this.#listings.delete(oldest);
  }
}

/** Computes a digest: credentials are not kept in another place. */
function keyOf({ server_url, headers, secret_headers }: McpServerConfig): string {
  const request = [server_url, sorted(headers), sorted(secret_headers)];
  return createHash('sha256').update(JSON.stringify(request)).digest('base64');
}

function sorted(headers: Readonly<Record<string, string>> = {}): [string, string][] {
  return Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
