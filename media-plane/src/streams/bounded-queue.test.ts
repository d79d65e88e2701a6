import { describe, expect, it } from 'vitest';
import { BlockingQueue, DropOldestQueue } from './bounded-queue.js';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a queue that drops the oldest', () => {
  it('gives items in order', () => {
    const queue = new DropOldestQueue<number>(3);
    for (const n of [1, 2, 3]) queue.push(n);
    expect([queue.shift(), queue.shift(), queue.shift(), queue.shift()]).toEqual([1, 2, 3, undefined]);
  });

  it('when full makes room by dropping the oldest, and counts it', () => {
    const lost: number[] = [];
    const queue = new DropOldestQueue<number>(3, (n) => lost.push(n));
    for (let n = 1; n <= 8; n++) queue.push(n);
    expect([...queue.drain()]).toEqual([6, 7, 8]);
    expect([queue.size, queue.dropped, lost]).toEqual([0, 5, [1, 2, 3, 4, 5]]);
  });

  it('refuses a capacity that holds nothing', () => {
    expect(() => new DropOldestQueue(0)).toThrow(RangeError);
  });
});

describe('a queue that blocks', () => {
  it('makes its writer wait while it is full, and loses nothing', async () => {
    const queue = new BlockingQueue<number>(2);
    let written = 0;
    const writer = (async () => {
      for (let n = 1; n <= 6; n++) {
        await queue.push(n);
        written = n;
      }
      queue.end();
    })();
    await settled();
    expect(written).toBe(2);
    expect(await queue.shift()).toBe(1);
    await settled();
    expect(written).toBe(3);
    const rest: number[] = [];
    for await (const n of queue) rest.push(n);
    await writer;
    expect(rest).toEqual([2, 3, 4, 5, 6]);
  });

  it('makes its reader wait while it is empty', async () => {
    const queue = new BlockingQueue<string>(1);
    const reading = queue.shift();
    await settled();
    await queue.push('late');
    expect(await reading).toBe('late');
  });

  it('can be read to the end after its end', async () => {
    const queue = new BlockingQueue<number>(2);
    await queue.push(1);
    queue.end();
    expect([await queue.shift(), await queue.shift()]).toEqual([1, undefined]);
    await expect(queue.push(2)).rejects.toThrow('ended');
  });

  it('lets an abort end either wait, and gives the place to the next writer', async () => {
    const queue = new BlockingQueue<number>(1);
    const aborted = new AbortController();
    const reading = queue.shift(aborted.signal);
    aborted.abort(new Error('over'));
    await expect(reading).rejects.toThrow('over');
    await queue.push(1);
    const given = new AbortController();
    const second = queue.push(2, given.signal);
    const third = queue.push(3);
    const freed = queue.shift();
    given.abort(new Error('gone'));
    expect(await freed).toBe(1);
    await expect(second).rejects.toThrow('gone');
    await third;
    expect(await queue.shift()).toBe(3);
  });

  it('refuses waiting writers when it ends', async () => {
    const queue = new BlockingQueue<number>(1);
    await queue.push(1);
    const waiting = queue.push(2);
    queue.end();
    await expect(waiting).rejects.toThrow('ended');
  });
});
