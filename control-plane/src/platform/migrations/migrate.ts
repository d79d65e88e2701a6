import { createHash } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import type { Connection } from 'mongoose';
import { dropIndex, ensureIndexes, presentIndexes } from '../store/ensure-indexes.js';
import { declaredIndexes, describeIndex } from '../store/index-differences.js';
import { changeDocuments } from './change-documents.js';
import { type IndexName, type Migration, newestOf } from './migration.js';
import { type Hold, LEASE_PACE, LeaseLostError, type LeasePace, MigrationLease } from './migration-lease.js';
import { beginStep, keepProgress, noteAsDone, readSteps } from './migration-rows.js';
import { MIGRATIONS } from './migrations.js';

export interface MigrateOptions {
  /** With every model built on it. */
  readonly store: Connection;
  readonly clock: Clock;
  readonly log: Log;
  readonly migrations?: readonly Migration[];
  /** Documents changed at a time. */
  readonly batchSize?: number;
  /** Called whenever it has come a step further, or has looked whether another replica has. */
  readonly onProgress?: () => void;
  /** Stops it; the next start goes on. */
  readonly signal?: AbortSignal;
  readonly pace?: LeasePace;
}

/**
 * Brings the store up to date: the steps that are not done, and the declared indexes. One replica does it, under a
 * lease; the others wait for it. A replica that dies is taken over, and gone on with where it was.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const { store, log, migrations = MIGRATIONS, batchSize = 1000, onProgress = () => {} } = options;
  const { signal = new AbortController().signal, pace = LEASE_PACE } = options;
  let isWaiting = false;
  const onWait = () => {
    if (!isWaiting) log.info({}, 'another replica brings the store up to date: waiting for it');
    isWaiting = true;
    onProgress();
  };
  const fingerprint = fingerprintOf(store, migrations);
  const lease = new MigrationLease({ store, fingerprint, pace, signal, onWait });
  for (;;) {
    try {
      await lease.run((hold) => bringUpToDate({ ...options, migrations, batchSize, onProgress }, hold));
      return;
    } catch (error) {
      if (!(error instanceof LeaseLostError)) throw error;
      log.warn({}, 'the migration was taken over by another replica: waiting for it');
    }
  }
}

/** Names what this code brings a store up to. */
function fingerprintOf(store: Connection, migrations: readonly Migration[]): string {
  const indexes = [...declaredIndexes(store)].map(([collection, specs]) => [
    collection,
    specs.map((spec) => `${spec.name} ${describeIndex(spec)}`),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([newestOf(migrations), indexes]))
    .digest('hex');
}

async function bringUpToDate(
  options: Required<Omit<MigrateOptions, 'signal' | 'pace'>>,
  { confirm }: Hold,
): Promise<void> {
  const { store, clock, log, migrations, batchSize, onProgress } = options;
  const known = await readSteps(store);
  const pending = migrations.filter(({ number }) => !known.get(number)?.done_at);
  if (known.size === 0 && (await isNew(store))) {
    await noteAsDone(store, pending.splice(0), new Date(clock.now()));
  }
  for (const step of pending) {
    await confirm();
    const begun = await beginStep(store, step, new Date(clock.now()));
    await changeDocuments(step, begun, { store, batchSize, confirm, onProgress });
  }
  const isOlder = Math.max(0, ...known.keys()) > newestOf(migrations);
  if (isOlder) log.warn({}, 'a newer version has changed this store: indexes of its own stay as they are');
  const replaces = pending.flatMap((step) => step.replaces ?? []);
  await ensureIndexes(store, {
    onProgress,
    confirm,
    keepsOthers: isOlder,
    onReplaced: ({ collection, index }) => {
      const isExpected = replaces.some(
        (other) => other.collection === collection && other.name === index.name,
      );
      const replaced = { collection, index: index.name, was: describeIndex(index) };
      if (isExpected) log.info(replaced, 'an index is replaced');
      else
        log.warn(replaced, 'an index that no step replaces is in the way of a declared one, and is replaced');
    },
  });
  for (const step of pending) {
    for (const { collection, names } of await presentOf(store, step.retires ?? [])) {
      for (const name of names) {
        await confirm();
        await dropIndex(store, { collection, name });
      }
    }
    await keepProgress(store, step.number, { done_at: new Date(clock.now()) });
    log.info({ step: step.number, name: step.name }, 'the store was migrated');
    onProgress();
  }
}

/** Whether there is nothing that a step could be about. */
async function isNew(store: Connection): Promise<boolean> {
  const present = (await store.db?.listCollections({}, { nameOnly: true }).toArray()) ?? [];
  const declared = declaredIndexes(store);
  return !present.some(({ name }) => declared.has(name));
}

/** Returns those of the indexes that are there, by collection, so that each is asked once. */
export async function presentOf(
  store: Connection,
  indexes: readonly IndexName[],
): Promise<readonly { readonly collection: string; readonly names: readonly string[] }[]> {
  const collections = [...new Set(indexes.map(({ collection }) => collection))];
  return Promise.all(
    collections.map(async (collection) => {
      const present = new Set((await presentIndexes(store, collection)).map(({ name }) => name));
      const names = indexes.filter((index) => index.collection === collection && present.has(index.name));
      return { collection, names: names.map(({ name }) => name) };
    }),
  );
}
