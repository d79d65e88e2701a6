import { type Connection, Schema } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../testing/eventually.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { Gathered } from './gathered.js';
import { insertMissing } from './insert-missing.js';

describe('gathered writes', () => {
  it('what comes while a write is under way goes out together as the next; each gets its own result', async () => {
    const batches: number[][] = [];
    const finish: (() => void)[] = [];
    const gathered = new Gathered<number, number>(async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => finish.push(resolve));
      return items.map((item) => item * 10);
    });
    const first = gathered.add(1);
    await eventually(() => batches.length === 1);
    const later = [gathered.add(2), gathered.add(3)];
    finish[0]!();
    expect(await first).toBe(10);
    await eventually(() => batches.length === 2);
    finish[1]!();
    expect(await Promise.all(later)).toEqual([20, 30]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it('a batch that fails fails for all of it, and for nobody after it', async () => {
    const gathered = new Gathered<number, number>(async (items) => {
      if (items.includes(2)) throw new Error('no');
      return items;
    });
    await expect(gathered.add(2)).rejects.toThrow('no');
    expect(await gathered.add(4)).toBe(4);
  });
});

interface Thing {
  _id: string;
  name?: string;
}

describe('inserting what is missing', () => {
  let store: TestStore;
  let connection: Connection;
  beforeAll(async () => {
    store = await startTestStore();
    connection = await store.connect();
  });
  afterAll(() => store?.close());

  it('leaves what is there as it is, and tells what was added', async () => {
    const things = connection.model<Thing>('Thing', new Schema<Thing>({ _id: String, name: String }));
    const row = (_id: string, name: string) => ({ _id, name });
    expect(await insertMissing(things, [row('a', 'first')])).toHaveLength(1);
    const added = await insertMissing(things, [row('a', 'second'), row('b', 'new'), row('b', 'twice')]);
    expect(added).toEqual([row('b', 'new')]);
    expect((await things.findById('a'))?.name).toBe('first');
    expect(await insertMissing(things, [])).toEqual([]);
  });

  it('does not hide any other failure', async () => {
    const gone = await store.connect();
    const things = gone.model<Thing>('Thing', new Schema<Thing>({ _id: String, name: String }));
    await gone.close();
    await expect(insertMissing(things, [{ _id: 'x' }])).rejects.toThrow();
  });
});
