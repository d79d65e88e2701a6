import type { Connection } from 'mongoose';

/** An index that earlier versions declared, and that this one must not or need not have. */
export interface RetiredIndex {
  readonly collection: string;
  /** As the server names it: fields and directions, joined. */
  readonly name: string;
  /** Brings the documents of such a store up to now, before the index goes; safe to repeat. */
  readonly refit?: (store: Connection) => Promise<void>;
}

/** Documents changed at a time. */
const BATCH = 1000;
/** IndexNotFound: another replica was faster. NamespaceNotFound: a new store. */
const GONE: readonly unknown[] = [27, 26];

/**
 * What stores made by earlier versions still have. The unique one of the do-not-call list is an error
 * there, not just a waste: it refuses a number in one mode because it is listed in the other.
 */
export const RETIRED_INDEXES: readonly RetiredIndex[] = [
  { collection: 'dnc_entries', name: 'tenant_id_1_number_1', refit: nameModeOfDncEntries },
  { collection: 'dnc_entries', name: 'tenant_id_1_created_at_-1__id_-1' },
  { collection: 'calls', name: 'tenant_id_1_created_at_-1__id_-1' },
  { collection: 'calls', name: 'tenant_id_1_status_1_created_at_-1__id_-1' },
  { collection: 'calls', name: 'tenant_id_1_agent_id_1_created_at_-1__id_-1' },
  { collection: 'calls', name: 'tenant_id_1_carrier_1' },
  { collection: 'calls', name: 'tenant_id_1_post_call_due_at_1' },
  // Of all calls, where sweeps look for the few that are live or not done; lists without the direction.
  { collection: 'calls', name: 'tenant_id_1_sandbox_1_status_1_created_at_-1__id_-1' },
  { collection: 'calls', name: 'tenant_id_1_sandbox_1_agent_id_1_created_at_-1__id_-1' },
  { collection: 'calls', name: 'worker_id_1_status_1__id_1' },
  { collection: 'calls', name: 'status_1_dispatch_lease_until_1' },
  { collection: 'calls', name: 'status_1_ring_deadline_at_1' },
  { collection: 'calls', name: 'status_1_carrier_ended_at_1' },
  { collection: 'calls', name: 'untold_1' },
  { collection: 'calls', name: 'post_call_due_at_1' },
  { collection: 'calls', name: 'publish_due_at_1' },
  { collection: 'usage_records', name: 'meter_due_at_1' },
  { collection: 'compliance_checks', name: 'tenant_id_1_created_at_-1__id_-1' },
  { collection: 'apikeys', name: 'tenant_id_1_created_at_-1__id_-1' },
  { collection: 'campaigns', name: 'tenant_id_1_published_1_created_at_-1__id_-1' },
  { collection: 'campaigns', name: 'tenant_id_1_published_1_status_1_created_at_-1__id_-1' },
];

/**
 * Drops the indexes that are declared no more, by name: what an operator has made stays. To be called
 * when the declared ones are there, so that no list is ever without one.
 */
export async function dropRetiredIndexes(store: Connection): Promise<void> {
  for (const collection of new Set(RETIRED_INDEXES.map((retired) => retired.collection))) {
    const present = new Set((await indexesOf(store, collection)).map(({ name }) => name));
    for (const { name, refit } of RETIRED_INDEXES.filter((retired) => retired.collection === collection)) {
      if (!present.has(name)) continue;
      await refit?.(store);
      await store.collection(collection).dropIndex(name).catch(unlessGone);
    }
  }
}

/** Entries from before the list was kept by mode are the production's: their ids are the same. */
async function nameModeOfDncEntries(store: Connection): Promise<void> {
  const entries = store.collection<{ _id: string; sandbox?: boolean }>('dnc_entries');
  for (let last = ''; ; ) {
    const batch = await entries
      .find({ _id: { $gt: last }, sandbox: { $exists: false } }, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(BATCH)
      .toArray();
    const ids = batch.map(({ _id }) => _id);
    if (ids.length > 0) await entries.updateMany({ _id: { $in: ids } }, { $set: { sandbox: false } });
    if (batch.length < BATCH) return;
    last = ids.at(-1)!;
  }
}

async function indexesOf(store: Connection, collection: string): Promise<readonly { name?: string }[]> {
  try {
    return await store.collection(collection).indexes();
  } catch (error) {
    unlessGone(error);
    return [];
  }
}

function unlessGone(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && GONE.includes(error.code))) throw error;
}
