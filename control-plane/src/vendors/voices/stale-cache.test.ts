import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { beforeEach, describe, expect, it } from 'vitest';
import { StaleCache } from './stale-cache.js';

let clock: ScriptedClock;
let cache: StaleCache<string>;
beforeEach(() => {
  clock = new ScriptedClock();
  cache = new StaleCache({ clock, size: 2, freshMs: 100, staleMs: 1000 });
});
const away = () => Promise.reject(new Error('away'));

describe('a cache that serves what is old when it must', () => {
  it('asks once for askers at the same time, and again when the value is old', async () => {
    let asked = 0;
    const load = async () => `value ${++asked}`;
    const [first, second] = await Promise.all([cache.get('a', load), cache.get('a', load)]);
    expect([first.value, second.value, asked]).toEqual(['value 1', 'value 1', 1]);
    clock.advance(99);
    expect((await cache.get('a', load)).value).toBe('value 1');
    clock.advance(1);
    expect(await cache.get('a', load)).toMatchObject({ value: 'value 2', failure: null });
  });

  it('serves the old value with the failure, for a time', async () => {
    const { fetchedAt } = await cache.get('a', async () => 'old');
    clock.advance(999);
    expect(await cache.get('a', away)).toEqual({ value: 'old', fetchedAt, failure: new Error('away') });
    clock.advance(1);
    await expect(cache.get('a', away)).rejects.toThrow('away');
  });

  it('keeps no failure, and forgets what was asked for longest ago', async () => {
    await expect(cache.get('a', away)).rejects.toThrow('away');
    await cache.get('a', async () => 'a');
    await cache.get('b', async () => 'b');
    await cache.get('a', away);
    await cache.get('c', async () => 'c');
    expect((await cache.get('a', away)).value).toBe('a');
    await expect(cache.get('b', away)).rejects.toThrow('away');
  });
});
