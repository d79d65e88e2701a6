import type { Connection, mongo } from 'mongoose';
import { SHARD_KEYS } from '../platform/migrations/sharding.js';
import { type SentQuery, watchQueries } from './watched-commands.js';

/** Fields that name a document, or what it is of: who asks by one of them asks for a tenant's. */
const NAMES: ReadonlySet<string> = new Set([
  '_id',
  'call_id',
  'campaign_id',
  'contact_id',
  'destination',
  'event_id',
  'subject',
  'subscription_id',
]);
const WRITES: ReadonlySet<string> = new Set(['update', 'delete', 'findAndModify']);

/**
 * What goes to all shards although it names a document, or writes, by why. What a sweep looks for names nothing and may:
 * what it then does to what it found is done by tenant.
 */
const OF_ALL_SHARDS: Readonly<Record<string, string>> = {
  'calls.find _id':
    'workers, carriers, the operator and signed addresses of recordings name a call by its id alone',
  'calls.find _id,erasing_at': 'the same',
  'calls.find _id,status': 'the same',
  'calls.find _id,ended_at,status,worker_id': 'the same',
  'campaign_contacts.aggregate campaign_id,on_line':
    "a campaign's lines are counted by the keys of an index that has no tenant",
};

/** Returns the filters by which a command finds documents; one for each statement of a write. */
function filtersOf({ name, command }: SentQuery): mongo.Document[] {
  if (name === 'update' || name === 'delete') {
    return ((command[`${name}s`] ?? []) as mongo.Document[]).map(({ q }) => q as mongo.Document);
  }
  if (name === 'aggregate') return [(command.pipeline as mongo.Document[])[0]?.$match ?? {}];
  return [command.filter ?? command.query ?? {}];
}

const isValue = (condition: unknown): boolean =>
  typeof condition === 'string' ||
  (typeof condition === 'object' && condition !== null && ('$in' in condition || '$eq' in condition));

/** Returns whether the filter says whose documents it asks for; each branch of an `$or` has to. */
function saysTenant({ tenant_id, $or }: mongo.Document): boolean {
  return isValue(tenant_id) || (Array.isArray($or) && $or.every(saysTenant));
}

function names(filter: mongo.Document): boolean {
  return (
    Object.entries(filter).some(([field, condition]) => NAMES.has(field) && isValue(condition)) ||
    (Array.isArray(filter.$or) && filter.$or.some(names))
  );
}

/** Returns those of a command's filters that a sharded cluster would ask all shards for without need, by their fields. */
export function untargeted(sent: SentQuery): string[] {
  const { collection, name } = sent;
  if (!(collection in SHARD_KEYS)) return [];
  return filtersOf(sent)
    .filter((filter) => !saysTenant(filter) && (WRITES.has(name) || names(filter)))
    .map((filter) => `${collection}.${name} ${Object.keys(filter).sort().join()}`)
    .filter((shape) => !(shape in OF_ALL_SHARDS));
}

/** Holds what a control plane sends to its store to the keys that the store would be sharded by. */
export class ShardWatch {
  readonly #found = new Set<string>();

  /** @param connection one whose commands are monitored */
  constructor(connection: Connection) {
    watchQueries(connection, (sent) => {
      for (const shape of untargeted(sent)) this.#found.add(shape);
    });
  }

  /** Throws where a command should have named the tenant and did not. */
  check(): void {
    if (this.#found.size === 0) return;
    throw new Error(`a sharded store would ask all shards, name the tenant: ${[...this.#found].join('; ')}`);
  }
}
