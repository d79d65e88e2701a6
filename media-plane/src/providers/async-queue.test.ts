import { describe, expect, it } from 'vitest';
import { AsyncQueue } from './async-queue.js';

async function read<T>(queue: AsyncQueue<T>): Promise<{ items: T[]; error: unknown }> {
  const items: T[] = [];
  try {
    for await (const item of queue) items.push(item);
  } catch (error) {
    return { items, error };
  }
  return { items, error: undefined };
}

describe('a queue between two sides', () => {
  it('gives what was pushed before and after the reader came, then ends', async () => {
    const queue = new AsyncQueue<number>();
    queue.push(1);
    const reading = read(queue);
    await Promise.resolve();
    queue.push(2);
    queue.push(3);
    queue.end();
    queue.push(4);
    expect(await reading).toEqual({ items: [1, 2, 3], error: undefined });
  });

  it('fails after what was pushed before', async () => {
    const queue = new AsyncQueue<number>();
    const broken = new Error('broken');
    queue.push(1);
    queue.fail(broken);
    queue.fail(new Error('later'));
    expect(await read(queue)).toEqual({ items: [1], error: broken });
  });

  it('drops what waits when it is cut, also a failure', async () => {
    const queue = new AsyncQueue<number>();
    queue.push(1);
    queue.fail(new Error('broken'));
    queue.cut();
    expect(await read(queue)).toEqual({ items: [], error: undefined });
  });
});
