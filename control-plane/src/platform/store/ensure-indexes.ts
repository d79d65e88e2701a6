import { type Connection, mongo } from 'mongoose';
import { mayWorkLater } from './connection.js';
import { declaredIndexes, describeIndex, type IndexSpec, indexWork } from './index-differences.js';
import { UnfitStoreError } from './unfit-store-error.js';

/** How often an index that takes longer than one answer may is asked for again. */
const INDEX_ATTEMPTS = 60;
/** How often what is in the way is looked for: another replica may be at work on the same. */
const CONFLICT_ATTEMPTS = 3;
/** IndexOptionsConflict, IndexKeySpecsConflict. */
const CONFLICTS: readonly unknown[] = [85, 86];
/** IndexNotFound: another replica was faster. NamespaceNotFound: a new store. */
const GONE: readonly unknown[] = [27, 26];
const DUPLICATE_KEY = 11000;

export interface EnsureIndexesOptions {
  /** Called after each collection, and whenever a long build is asked for again. */
  readonly onProgress?: () => void;
  /** Called before each command; stops it by throwing. The indexes that are there then stay. */
  readonly confirm?: () => Promise<void>;
  /** Called before an index is dropped that is in the way of a declared one. */
  readonly onReplaced?: (replaced: { readonly collection: string; readonly index: IndexSpec }) => void;
  /**
   * Leaves what is in the way where it is, and declared indexes unbuilt that need its place: the store was brought up
   * to date by a newer version, which an older one must not undo.
   */
  readonly keepsOthers?: boolean;
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/**
 * Makes every index that the models declare; a unique one is part of the program's correctness. One of another key or
 * other options that is in the way is replaced. An index that takes longer than one answer may is asked for again: the
 * server goes on with it meanwhile.
 */
export async function ensureIndexes(store: Connection, options: EnsureIndexesOptions = {}): Promise<void> {
  const { onProgress = () => {}, confirm } = options;
  for (const [collection, declared] of declaredIndexes(store)) {
    for (let left = INDEX_ATTEMPTS - 1; ; left--) {
      await confirm?.();
      try {
        await ensureIndexesOf(store, collection, declared, options);
        break;
      } catch (error) {
        if (codeOf(error) === DUPLICATE_KEY) throw duplicatesIn(collection, error as Error);
        if (left === 0 || !mayWorkLater(error)) throw error;
      } finally {
        onProgress();
      }
    }
  }
}

/** Makes a collection's indexes by one command, so that a server reads the collection once for all of them. */
async function ensureIndexesOf(
  store: Connection,
  collection: string,
  declared: readonly IndexSpec[],
  { confirm, onReplaced, keepsOthers = false }: EnsureIndexesOptions,
): Promise<void> {
  let wanted = declared;
  for (let attempt = 1; wanted.length > 0; attempt++) {
    try {
      await store.collection(collection).createIndexes([...wanted]);
      return;
    } catch (error) {
      if (!CONFLICTS.includes(codeOf(error)) || attempt > CONFLICT_ATTEMPTS) throw error;
    }
    const work = indexWork(declared, await presentIndexes(store, collection), { strict: attempt > 1 });
    if (keepsOthers) {
      await createOneByOne(store, collection, work.missing);
      return;
    }
    for (const index of work.inTheWay) {
      await confirm?.();
      onReplaced?.({ collection, index });
      await dropIndex(store, { collection, name: index.name });
    }
    wanted = work.missing;
  }
}

/** Makes those that nothing is in the way of. */
async function createOneByOne(
  store: Connection,
  collection: string,
  missing: readonly IndexSpec[],
): Promise<void> {
  for (const spec of missing) {
    try {
      await store.collection(collection).createIndexes([spec]);
    } catch (error) {
      if (!CONFLICTS.includes(codeOf(error))) throw error;
    }
  }
}

/** Lists a collection's indexes; none where there is no such collection. */
export async function presentIndexes(store: Connection, collection: string): Promise<readonly IndexSpec[]> {
  try {
    return (await store.collection(collection).indexes()) as IndexSpec[];
  } catch (error) {
    if (GONE.includes(codeOf(error))) return [];
    throw error;
  }
}

/** Drops an index by its name, where it is there. */
export async function dropIndex(
  store: Connection,
  { collection, name }: { readonly collection: string; readonly name: string },
): Promise<void> {
  try {
    await store.collection(collection).dropIndex(name);
  } catch (error) {
    if (!GONE.includes(codeOf(error))) throw error;
  }
}

/** Names what is doubled by its index and fields alone: values may be of persons, and this goes to the log. */
function duplicatesIn(collection: string, error: Error): UnfitStoreError {
  const { keyPattern } = (error instanceof mongo.MongoServerError ? error.errorResponse : {}) as {
    keyPattern?: IndexSpec['key'];
  };
  const index = keyPattern ? describeIndex({ key: keyPattern, name: '' }) : 'that must be unique';
  return new UnfitStoreError(
    `An index ${index} of the collection ${collection} cannot be built: several documents have the same values. ` +
      'Remove all but one of them, then start again.',
  );
}
