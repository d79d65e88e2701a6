import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { LiveItems } from './live-items.js';

const items = (live: LiveItems<string>) => [...live];

describe('what is under way', () => {
  it('is there from when it was added until it is taken out, in the order in which it came', () => {
    const live = new LiveItems<string>();
    expect(items(live)).toEqual([]);
    const first = live.add('first');
    const second = live.add('second');
    live.add('third');
    expect(items(live)).toEqual(['first', 'second', 'third']);
    second();
    expect(items(live)).toEqual(['first', 'third']);
    first();
    live.add('fourth');
    expect(items(live)).toEqual(['third', 'fourth']);
  });

  it('is taken out once, however often that is asked for, and may be there twice', () => {
    const live = new LiveItems<string>();
    const out = live.add('call');
    live.add('call');
    out();
    out();
    expect(items(live)).toEqual(['call']);
  });

  it('may be taken out, and more be added, by those who look through it', () => {
    const live = new LiveItems<string>();
    const out = ['a', 'b', 'c'].map((item) => live.add(item));
    const met: string[] = [];
    for (const item of live) {
      met.push(item);
      for (const one of out) one();
      live.add(`${item}2`);
    }
    expect(met).toEqual(['a', 'b', 'c']);
    expect(items(live)).toEqual(['a2', 'b2', 'c2']);
  });
});

/** Collects what is young, or all, as V8 does by itself; what lives on through two of the first kind is old. */
function collector() {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;
}
const oldBytes = () =>
  getHeapSpaceStatistics().find((space) => space.space_name === 'old_space')!.space_used_size;

describe('what was under way', () => {
  it('is collected while it is young, though what it was in is old', () => {
    const collect = collector();
    const live = new LiveItems<object>();
    // From now on what holds the items is old, and so is one of them when it goes.
    let oldest = live.add({});
    collect();
    const before = oldBytes();
    for (let n = 0; n < 2000; n++) {
      const next = live.add({ request: Array.from({ length: 1000 }, (_, field) => ({ field })) });
      oldest();
      oldest = next;
      if (n % 100 === 99) collect({ type: 'minor' });
    }
    // 2,000 requests of 30 KB have come and gone; at each collection one was under way.
    expect(oldBytes() - before).toBeLessThan(4_000_000);
  });
});
