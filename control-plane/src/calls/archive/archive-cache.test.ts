import { describe, expect, it } from 'vitest';
import { ArchiveCache } from './archive-cache.js';

const MINUTE_MS = 60_000;

describe('what is remembered of archived calls', () => {
  it('is given to those who ask within a minute, and then read again', async () => {
    let now = 0;
    const cache = new ArchiveCache(() => now);
    cache.put('a', Promise.resolve(['event']));
    now = MINUTE_MS - 1;
    expect(await cache.get('a')).toEqual(['event']);
    now = MINUTE_MS;
    expect(cache.get('a')).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  it('is bounded: the one that nobody asked for the longest goes first', async () => {
    const cache = new ArchiveCache(() => 0);
    const large = Promise.resolve(['x'.repeat(3_000_000)]);
    cache.put('a', large);
    cache.put('b', large);
    await large;
    expect(cache.get('a')).toBe(large);
    cache.put('c', large);
    await Promise.resolve();
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([large, undefined, large]);
    expect(cache.size).toBe(6_000_000);
  });

  it('is nothing of what could not be read, and nothing that was dropped', async () => {
    const cache = new ArchiveCache(() => 0);
    const failed = Promise.reject(new Error('away'));
    cache.put('a', failed);
    await failed.catch(() => {});
    expect(cache.get('a')).toBeUndefined();
    cache.put('b', Promise.resolve(['event']));
    cache.drop('b');
    await Promise.resolve();
    expect([cache.get('b'), cache.size]).toEqual([undefined, 0]);
  });
});
