import { createHash } from 'node:crypto';
import type { Clock } from '../../clock/clock.js';
import type { ListedTool, McpServerConfig } from './offered-tools.js';

/** How long a listing counts as fresh, in ms. */
export const LISTING_LIFE_MS = 60_000;
const MAX_LISTINGS = 1000;
/** What all listings may be together, in characters of JSON: each may be a megabyte, and names its address itself. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

interface Listing {
  readonly tools: readonly ListedTool[];
  readonly until: number;
  /** In characters of JSON. */
  readonly length: number;
}

/**
 * Caches what servers listed as their tools, for a minute, by server and credentials: every session that sends the same
 * request with the same headers gets the same listing. Kept longer by name, to say what an agent goes without.
 */
export class ListingCache {
  readonly #clock: Clock;
  readonly #listings = new Map<string, Listing>();
  #characters = 0;

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
    const { length } = JSON.stringify(tools);
    this.#drop(key);
    this.#listings.set(key, { tools, until: this.#clock.monotonic() + LISTING_LIFE_MS, length });
    this.#characters += length;
    for (const oldest of this.#listings.keys()) {
      if (this.#listings.size <= MAX_LISTINGS && this.#characters <= MAX_CHARACTERS) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#characters -= this.#listings.get(key)?.length ?? 0;
    this.#listings.delete(key);
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
