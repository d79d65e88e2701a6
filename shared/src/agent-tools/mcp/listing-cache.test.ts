import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { expect, it } from 'vitest';
import { LISTING_LIFE_MS, ListingCache } from './listing-cache.js';
import type { McpServerConfig } from './offered-tools.js';

const server = (n: number) =>
  ({ type: 'mcp', name: 'shop', server_url: `https://mcp.example/${n}`, headers: {} }) as McpServerConfig;
const tools = [{ name: 'look_up', description: 'x'.repeat(1024 * 1024), inputSchema: {} }];

it('keeps what servers listed last, and of long listings fewer', () => {
  const clock = new ScriptedClock();
  const cache = new ListingCache(clock);
  for (let n = 0; n < 40; n++) cache.keep(server(n), tools);
  // The same once more takes no more room.
  for (let n = 0; n < 40; n++) cache.keep(server(39), tools);
  const kept = Array.from({ length: 40 }, (_, n) => n).filter((n) => cache.last(server(n)));
  expect(kept).toEqual(Array.from({ length: 15 }, (_, n) => 25 + n));
  expect(cache.fresh(server(39))).toEqual(tools);
  clock.advance(LISTING_LIFE_MS);
  expect(cache.fresh(server(39))).toBeUndefined();
});
