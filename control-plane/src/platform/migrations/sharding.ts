import type { Connection } from 'mongoose';
import { UnfitStoreError } from '../store/unfit-store-error.js';

const BY_TENANT_AND_ID = { tenant_id: 1, _id: 1 } as const;

/**
 * By what each collection that grows with calls is sharded; the others stay on one shard. Every key leads with the
 * tenant, so that its lists are read from one shard. A unique index must begin with the whole key: the ledger's is by
 * tenant and number.
 */
export const SHARD_KEYS: Readonly<Record<string, Readonly<Record<string, 1>>>> = {
  calls: BY_TENANT_AND_ID,
  call_events: BY_TENANT_AND_ID,
  call_analyses: BY_TENANT_AND_ID,
  transcripts: BY_TENANT_AND_ID,
  compliance_checks: BY_TENANT_AND_ID,
  events: BY_TENANT_AND_ID,
  webhook_deliveries: BY_TENANT_AND_ID,
  campaign_contacts: BY_TENANT_AND_ID,
  usage_records: BY_TENANT_AND_ID,
  billing_ledger: { tenant_id: 1 },
  billing_pending_entries: BY_TENANT_AND_ID,
};

/** What the router of a sharded cluster says of itself. */
const ROUTER = 'isdbgrid';

/** Whether the connection leads to a sharded cluster. */
export async function isSharded(store: Connection): Promise<boolean> {
  const answer = await store.db?.admin().command({ hello: 1 });
  return answer?.msg === ROUTER;
}

/**
 * Shards the collections that grow; those that are sharded so already stay as they are. Rejects where the store is no
 * sharded cluster, and where a collection is sharded by another key.
 */
export async function shardCollections(store: Connection): Promise<void> {
  if (!(await isSharded(store))) {
    throw new UnfitStoreError(
      'This store is not sharded. Let MONGODB_URI lead to the routers (mongos) of a sharded cluster.',
    );
  }
  const admin = store.getClient().db('admin');
  for (const [collection, key] of Object.entries(SHARD_KEYS)) {
    // A collection with documents is not sharded without an index of the key.
    await store.collection(collection).createIndex(key);
    await admin.command({ shardCollection: `${store.db?.databaseName}.${collection}`, key });
  }
}
