import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@voice/shared/clock/clock';
import { type Collection, type Db, type Document, MongoClient, MongoServerError } from 'mongodb';
import { type EmbeddedStore, type EmbeddedStoreOptions, startEmbeddedStore } from '../server.js';

/** A store of its own with the real driver connected to it, for tests. */
export interface StoreFixture {
  readonly store: EmbeddedStore;
  readonly client: MongoClient;
  readonly db: Db;
  /** Creates a collection of a name that no other test has, holding the given documents. */
  filled(...documents: Document[]): Promise<Collection>;
  close(): Promise<void>;
}

export async function openStore(
  clock?: Clock,
  options: Pick<EmbeddedStoreOptions, 'ttlMonitor'> = {},
): Promise<StoreFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'embedded-store-'));
  const store = await startEmbeddedStore({ port: 0, dataDir: directory, clock, ...options });
  const client = await MongoClient.connect(store.uri);
  const db = client.db('test');
  let names = 0;
  return {
    store,
    client,
    db,
    async filled(...documents) {
      const collection = db.collection(`c${++names}`);
      if (documents.length > 0) await collection.insertMany(documents);
      return collection;
    },
    async close() {
      await client.close();
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Returns the server's error that an operation ends with; fails when it succeeds. */
export async function errorOf(operation: Promise<unknown>): Promise<MongoServerError> {
  try {
    await operation;
  } catch (error) {
    if (error instanceof MongoServerError) return error;
    throw error;
  }
  throw new Error('the operation succeeded, but was expected to be refused');
}
