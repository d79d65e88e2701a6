import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeDocument } from '../bson/encode.js';
import type { Doc } from '../bson/values.js';
import { Store } from './store.js';

const MB = 1024 ** 2;

let directory: string;
let store: Store;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'embedded-store-checkpoints-'));
  store = new Store(directory);
});
afterEach(() => {
  store.close();
  rmSync(directory, { recursive: true, force: true });
});

const file = () => join(directory, 'embedded-store.sqlite');
const log = () => `${file()}-wal`;

/** Inserts documents of 4 KB, as commands do: one after the other, with the event loop between. */
async function insert(from: number, to: number): Promise<void> {
  const text = 'x'.repeat(4000);
  for (let n = from; n < to; n++) {
    const doc: Doc = new Map([
      ['_id', `call ${n}`],
      ['text', text],
    ]);
    const calls = store.ensureCollection('voice', 'calls');
    store.transaction(() => calls.insert(doc, encodeDocument(doc)));
    if (n % 20 === 0) await turn();
  }
}
const stored = () => store.collection('voice', 'calls')!.documents.count();

describe('checkpoints', () => {
  it('move what was written into the database file while commands go on, and the log stays bounded', async () => {
    await insert(0, 12_000);
    await expect.poll(() => statSync(file()).size).toBeGreaterThan(30 * MB);
    await insert(12_000, 40_000);
    // 670 MB have gone through it; where the thread cannot keep up, writers wait from 256 MB on.
    expect(statSync(log()).size).toBeLessThan(264 * MB);
    expect(statSync(file()).size + statSync(log()).size).toBeGreaterThan(160 * MB);
    expect(stored()).toBe(40_000);
  });

  it('end with the store, which then has no log and everything in one file', async () => {
    // The thread may be in the middle of one.
    await insert(0, 9000);
    store.close();
    expect(existsSync(log())).toBe(false);
    store = new Store(directory);
    expect(stored()).toBe(9000);
  });

  it('leave a store of little as it is: no thread, and nothing copied', async () => {
    await insert(0, 500);
    expect(statSync(file()).size).toBeLessThan(1 * MB);
    expect(stored()).toBe(500);
  });
});
