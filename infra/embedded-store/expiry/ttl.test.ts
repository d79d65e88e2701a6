import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { decodeDocument } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { UtcDate, type Value } from '../bson/values.js';
import type { Collection } from '../storage/collection.js';
import { parseIndexSpec } from '../storage/index-spec.js';
import { Store } from '../storage/store.js';
import { doc, int } from '../testing/generated-queries.js';
import { sweepExpired } from './ttl.js';

const NOW = Date.UTC(2026, 0, 1);

let directory: string;
let store: Store;
let collection: Collection;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'embedded-store-ttl-'));
  store = new Store(directory);
  collection = store.ensureCollection('voice', 'calls');
});
afterEach(() => {
  store.close();
  rmSync(directory, { recursive: true, force: true });
});

let names = 0;
function declare(key: Record<string, Value>, options: Record<string, Value> = {}): void {
  store.createIndex(collection, parseIndexSpec(doc({ key: doc(key), name: `i${++names}`, ...options })));
}

/** Stores documents with these ids, each with its date. */
function put(ids: readonly number[], at: number, fields: Record<string, Value> = {}): void {
  for (const id of ids) {
    const one = doc({ _id: int(id), at: new UtcDate(at), ...fields });
    store.transaction(() => collection.insert(one, encodeDocument(one)));
  }
}

const idsLeft = () =>
  collection.documents.page(0, false, 100).map(({ body }) => decodeDocument(body).get('_id'));

describe('a sweep', () => {
  test('removes as many as it may and says how many, over all indexes', () => {
    declare({ at: int(1) }, { expireAfterSeconds: int(60) });
    declare({ other: int(1) }, { expireAfterSeconds: int(0) });
    put([1, 2, 3], NOW - 60_000);
    put([4], NOW - 59_999);
    put([5, 6], NOW, { other: new UtcDate(NOW) });
    expect([4, 4, 4].map((limit) => sweepExpired(store, NOW, limit))).toEqual([4, 1, 0]);
    expect(idsLeft()).toEqual([int(4)]);
  });

  test('reads no document that stays, though the filter of its index is kept by another index, too', () => {
    const done = { done: true, kind: 'a' };
    const partialFilterExpression = doc({ done: true, kind: doc({ $in: ['a', 'b'] }) });
    declare({ done: int(1), kind: int(1) });
    declare({ at: int(-1) }, { expireAfterSeconds: int(0), partialFilterExpression });
    put([1, 2, 3], NOW, done);
    put([4, 5, 6], NOW + 1, done);
    put([7, 8], NOW, { done: true, kind: 'c' });
    const read = vi.spyOn(collection.documents, 'read');
    const scanned = vi.spyOn(collection.documents, 'page');
    expect(sweepExpired(store, NOW, 100)).toBe(3);
    expect(read).toHaveBeenCalledTimes(3);
    expect(scanned).not.toHaveBeenCalled();
    expect(idsLeft()).toEqual([4, 5, 6, 7, 8].map(int));
  });
});
