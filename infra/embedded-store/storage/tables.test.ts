import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeDocument } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { type Doc, Int32 } from '../bson/values.js';
import type { Collection } from './collection.js';
import { parseIndexSpec } from './index-spec.js';
import { Store } from './store.js';

let directory: string;
let store: Store;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'embedded-store-tables-'));
  store = new Store(directory);
});
afterEach(() => {
  store.close();
  rmSync(directory, { recursive: true, force: true });
});

const byName = () => {
  const key: Doc = new Map([['name', new Int32(1)]]);
  const spec: Doc = new Map();
  spec.set('key', key);
  spec.set('name', 'name_1');
  return parseIndexSpec(spec);
};

function calls(): Collection {
  const collection = store.ensureCollection('voice', 'calls');
  store.createIndex(collection, byName());
  return collection;
}

const put = (collection: Collection, id: string) => {
  const doc: Doc = new Map([
    ['_id', id],
    ['name', `name of ${id}`],
  ]);
  return store.transaction(() => collection.insert(doc, encodeDocument(doc)));
};

/** The tables of rows that the file has. */
function tables(): number {
  const file = new DatabaseSync(join(directory, 'embedded-store.sqlite'));
  const found = file
    .prepare("SELECT name FROM sqlite_master WHERE name LIKE 'documents_%' OR name LIKE 'index_%'")
    .all();
  file.close();
  return found.filter(({ name }) => /_\d+$/.test(String(name))).length;
}

const reopened = () => {
  store.close();
  store = new Store(directory);
  return store.collection('voice', 'calls')!;
};

describe('a collection that no document has come to', () => {
  it('has its indexes and no tables, and reads as empty', () => {
    const collection = calls();
    const index = collection.indexes[1]!;
    expect(collection.indexes.map(({ spec }) => spec.name)).toEqual(['_id_', 'name_1']);
    expect(collection.documents.count()).toBe(0);
    expect(collection.documents.page(0, false, 10)).toEqual([]);
    expect(collection.documents.read(1)).toBeUndefined();
    expect(index.table.holder(Buffer.from('x'))).toBeUndefined();
    const all = { from: Buffer.alloc(0), to: Buffer.from([0xff]) };
    expect(index.table.page(all, true, undefined, 10)).toEqual([]);
    expect(index.table.countRange(all, 5)).toBe(0);
    store.close();
    expect(tables()).toBe(0);
    store = new Store(directory);
  });

  it('is the same after a restart, and can be dropped', () => {
    calls();
    const again = reopened();
    expect(again.indexes.map(({ spec }) => spec.name)).toEqual(['_id_', 'name_1']);
    store.dropIndex(again, again.indexes[1]!);
    store.dropCollection(again);
    expect(reopened()).toBeUndefined();
  });
});

describe('the first document', () => {
  it('makes the tables, which a restart finds', () => {
    const id = put(calls(), 'a');
    const again = reopened();
    expect(again.documents.count()).toBe(1);
    expect(decodeDocument(again.documents.read(id)!).get('_id')).toBe('a');
    put(again, 'b');
    expect(reopened().documents.count()).toBe(2);
    store.close();
    expect(tables()).toBe(3);
    store = new Store(directory);
  });

  it('whose transaction is undone leaves no table, and the next one makes them', () => {
    const collection = calls();
    expect(() =>
      store.transaction(() => {
        put(collection, 'a');
        throw new Error('undone');
      }),
    ).toThrow('undone');
    const now = store.collection('voice', 'calls')!;
    expect(now.documents.count()).toBe(0);
    put(now, 'b');
    expect(reopened().documents.count()).toBe(1);
  });
});

describe('the row of a document', () => {
  const drop = (collection: Collection, row: number) =>
    store.transaction(() => collection.remove(row, decodeDocument(collection.documents.read(row)!)));

  it('has an id that none had before, though the last one is removed', () => {
    const collection = calls();
    const rows = [put(collection, 'a'), put(collection, 'b')];
    drop(collection, rows[1]!);
    rows.push(put(collection, 'c'));
    drop(collection, rows[2]!);
    drop(collection, rows[0]!);
    rows.push(put(collection, 'd'));
    expect(rows).toEqual([1, 2, 3, 4]);
  });

  it('has one after those that a restart finds, of which the last is removed first', () => {
    const before = calls();
    put(before, 'a');
    const last = put(before, 'b');
    const again = reopened();
    drop(again, last);
    expect(put(again, 'c')).toBe(last + 1);
  });

  it('has one that none had before a transaction that is undone', () => {
    const last = put(calls(), 'a');
    const undone = () =>
      store.transaction(() => {
        store.ensureCollection('voice', 'others');
        throw new Error('undone');
      });
    drop(store.collection('voice', 'calls')!, last);
    expect(undone).toThrow('undone');
    expect(put(store.collection('voice', 'calls')!, 'b')).toBe(last + 1);
  });
});
