import type { Clock } from '@voice/shared/clock/clock';
import { newId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { type Connection, type Model, Schema } from 'mongoose';
import { type SecretBox, sealedUnder } from '../secrets/secret-box.js';
import { SEALED_COLUMNS, type SealedColumn, type SealedRow } from './sealed-columns.js';

/** Rows that are read and written at once. */
const BATCH = 100;
/** Rows that one command looks at, at most: no index leads to those that are behind, and they may be few among millions. */
const WINDOW = 1000;
/** Between two batches, so that requests come first, in ms. */
const PAUSE_MS = 20;
/** After this long without a sign of life, another replica goes on, in ms. */
const LEASE_MS = 30_000;
/** Replicas that still have the old key may write under it for a while: a pass is repeated until it finds nothing. */
const MAX_PASSES = 10;

/** One rotation to one key. */
export interface RotationRow {
  /** The id of the key that everything is sealed under in the end. */
  _id: string;
  state: 'running' | 'done';
  /** Values that were sealed anew. */
  rewritten: number;
  /** Values of the last pass that no key of ours opens: their key is missing in SECRETS_KEYS_OLD. */
  unreadable: number;
  started_at: Date;
  finished_at: Date | null;
  /** Which replica works on it, and until when that is believed. */
  holder: string | null;
  lease_until: Date;
}

const rotationSchema = new Schema<RotationRow>(
  {
    _id: { type: String, required: true },
    state: { type: String, required: true },
    rewritten: { type: Number, required: true },
    unreadable: { type: Number, required: true },
    started_at: { type: Date, required: true },
    finished_at: { type: Date, default: null },
    holder: { type: String, default: null },
    lease_until: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'secret_rotations' },
);

export interface SecretRotationOptions {
  readonly store: Connection;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Seals everything in the store under the current key, in the background: row by row, each only if nobody has changed
 * it meanwhile. It survives crashes by beginning anew, which finds what is left.
 */
export class SecretRotation {
  readonly #options: SecretRotationOptions;
  readonly #rows: Model<RotationRow>;
  readonly #holder = newId();
  readonly #stopped = new AbortController();
  #working: Promise<void> | undefined;

  constructor(options: SecretRotationOptions) {
    this.#options = options;
    this.#rows = options.store.model<RotationRow>('SecretRotation', rotationSchema);
  }

  /** Begins, or goes on with one that has begun; a finished one is done again. */
  async begin(): Promise<RotationRow> {
    const { secrets, clock } = this.#options;
    const now = new Date(clock.now());
    const fresh = { rewritten: 0, unreadable: 0, started_at: now, finished_at: null, holder: null };
    await this.#rows.updateOne(
      { _id: secrets.keyId },
      { $setOnInsert: { ...fresh, state: 'running', lease_until: new Date(0) } },
      { upsert: true },
    );
    await this.#rows.updateOne(
      { _id: secrets.keyId, state: 'done' },
      { $set: { ...fresh, state: 'running', lease_until: new Date(0) } },
    );
    await this.resume();
    return (await this.status())!;
  }

  /** Returns the rotation to the current key; null when there was none. */
  status(): Promise<RotationRow | null> {
    return this.#rows.findOne({ _id: this.#options.secrets.keyId }).lean<RotationRow>().exec();
  }

  /** Goes on with a rotation that its replica has left. */
  async resume(): Promise<void> {
    if (this.#working || this.#stopped.signal.aborted || !(await this.#hold({ expired: true }))) return;
    this.#working = this.#run()
      .catch((err: unknown) => {
        if (!this.#stopped.signal.aborted) this.#options.log.error({ err }, 'the rotation of secrets failed');
      })
      .finally(() => {
        this.#working = undefined;
      });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#working;
  }

  /** Takes the rotation, or keeps it: false when it is over or another replica's. */
  async #hold({ expired }: { readonly expired: boolean }): Promise<boolean> {
    const { secrets, clock } = this.#options;
    const now = clock.now();
    const mine = expired ? { lease_until: { $lte: new Date(now) } } : { holder: this.#holder };
    const held = await this.#rows.updateOne(
      { _id: secrets.keyId, state: 'running', ...mine },
      { $set: { holder: this.#holder, lease_until: new Date(now + LEASE_MS) } },
    );
    return held.matchedCount === 1;
  }

  async #run(): Promise<void> {
    const { secrets, clock, log } = this.#options;
    let unreadable = 0;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      let found = 0;
      unreadable = 0;
      for (const column of SEALED_COLUMNS) {
        const result = await this.#rotateColumn(column);
        if (!result) return;
        found += result.rewritten;
        unreadable += result.unreadable;
      }
      if (found === 0) break;
    }
    const done = { state: 'done', unreadable, finished_at: new Date(clock.now()), holder: null } as const;
    await this.#rows.updateOne({ _id: secrets.keyId, holder: this.#holder }, { $set: done });
    const level = unreadable > 0 ? 'warn' : 'info';
    log[level]({ key_id: secrets.keyId, unreadable }, 'all secrets are sealed under the current key');
  }

  /** Undefined when the rotation was taken from this replica, or the replica stops. */
  async #rotateColumn(
    column: SealedColumn,
  ): Promise<{ readonly rewritten: number; readonly unreadable: number } | undefined> {
    const { store, secrets, clock } = this.#options;
    const rows = store.collection<SealedRow>(column.collection);
    const { field } = column;
    // What begins otherwise than with the current key: `/` comes right after the prefix's last dot.
    const prefix = secrets.currentPrefix;
    const behind = `${prefix.slice(0, -1)}/`;
    const others = { $or: [{ [field]: { $lt: prefix } }, { [field]: { $gte: behind } }] };
    const projection = Object.fromEntries(
      ['tenant_id', field, ...(column.needs ?? [])].map((name) => [name, 1]),
    );
    let [rewritten, unreadable, last] = [0, 0, ''];
    for (;;) {
      const end = await this.#windowEnd(column, last);
      const within = end === undefined ? { $gt: last } : { $gt: last, $lte: end };
      const batch = await rows
        .find({ _id: within, ...others }, { projection, sort: { _id: 1 }, limit: BATCH })
        .toArray();
      let changed = 0;
      for (const row of batch) {
        const outcome = await this.#rewrite(column, row);
        if (outcome === 'rewritten') changed++;
        else if (outcome === 'unreadable') unreadable++;
      }
      rewritten += changed;
      if (changed > 0) {
        await this.#rows.updateOne(
          { _id: secrets.keyId, holder: this.#holder },
          { $inc: { rewritten: changed } },
        );
      }
      if (this.#stopped.signal.aborted || !(await this.#hold({ expired: false }))) return undefined;
      if (batch.length === BATCH) last = batch.at(-1)!._id;
      else if (end === undefined) return { rewritten, unreadable };
      else last = end;
      await clock.sleep(PAUSE_MS, this.#stopped.signal).catch(() => {});
    }
  }

  /** Returns the id that a window after `last` ends with, from the index of ids alone; undefined for the last window. */
  async #windowEnd({ collection }: SealedColumn, last: string): Promise<string | undefined> {
    const end = await this.#options.store
      .collection<SealedRow>(collection)
      .findOne({ _id: { $gt: last } }, { projection: { _id: 1 }, sort: { _id: 1 }, skip: WINDOW - 1 });
    return end?._id;
  }

  async #rewrite(column: SealedColumn, row: SealedRow): Promise<'rewritten' | 'unreadable' | 'left'> {
    const { store, secrets, log } = this.#options;
    const { collection, field, purpose } = column;
    const sealed = row[field];
    // A placeholder, or what the current key sealed.
    const under = typeof sealed === 'string' ? sealedUnder(sealed) : undefined;
    if (typeof sealed !== 'string' || !under || under.keyId === secrets.keyId) return 'left';
    let text: Buffer;
    try {
      text = secrets.openBytes(purpose(row), sealed);
    } catch {
      log.warn({ collection, field, id: row._id, key_id: under.keyId }, 'a secret cannot be opened');
      return 'unreadable';
    }
    const tenant = row.tenant_id === undefined ? {} : { tenant_id: row.tenant_id };
    const changed = await store
      .collection<SealedRow>(collection)
      .updateOne(
        { _id: row._id, ...tenant, [field]: sealed },
        { $set: { [field]: secrets.seal(purpose(row), text) } },
      );
    return changed.modifiedCount === 1 ? 'rewritten' : 'left';
  }
}
