import { isDuplicateKey } from '../http/errors.js';
import { sideBySide } from '../jobs/side-by-side.js';
import { ownedBy, scopeName, type TenantScope } from '../store/tenant-scope.js';
import { missing } from './missing-sums.js';
import type {
  RollupBatch,
  RollupChange,
  RollupModel,
  RollupRow,
  RollupState,
  RollupStateModel,
} from './model.js';
import { rowUpdate } from './row-update.js';

/** Documents that one batch counts. */
const ROLLUP_BATCH = 500;
/** How often a sweep counts what is due, in ms: what is read counts the rest itself. */
export const ROLLUP_EVERY_MS = 10_000;
/** Looks at rows and documents, each while nothing of them was added: this often before it is given up. */
const LOOKS = 20;

/** Whether a document is in the rows by now, given its mark. */
export type IsCounted = (document: { readonly _id: string; readonly rollup_seq?: number | null }) => boolean;

/** Counts documents in memory. What it adds may depend on those that were counted before. */
export interface Counter<Row> {
  add(rows: readonly Row[]): Promise<void>;
  changes(): RollupChange[];
}

/** The documents that are counted, each once and for all in its owner's rollups. */
export interface RollupSource<Row extends { readonly _id: string }> {
  /** Of the rollups, such as `calls`. */
  readonly name: string;
  /** Of all its rows. */
  readonly subjects: readonly string[];
  /** Returns documents that are final and not counted yet. */
  due(scope: TenantScope, limit: number): Promise<readonly Row[]>;
  /** Returns owners that have such documents, of the longest waiting. */
  owners(limit: number): Promise<readonly TenantScope[]>;
  /** Returns all that were counted, some at a time. */
  counted(scope: TenantScope): AsyncIterable<readonly Row[]>;
  /** Makes a counter that takes documents as known that are counted; one of nothing known without `isCounted`. */
  counter(scope: TenantScope, isCounted?: IsCounted): Counter<Row>;
  /** Marks documents as counted, but for those that are. */
  mark(scope: TenantScope, ids: readonly string[], seq: number): Promise<void>;
}

/** Which rows are wanted. */
export interface RollupQuery {
  readonly subjects: readonly string[];
  readonly subject_id?: string;
  /** Epoch ms, inclusive. */
  readonly since?: number;
  /** Epoch ms, exclusive. */
  readonly until?: number;
}

/** The sums of a row, or of documents that are in none yet. */
export type RollupPart = Pick<RollupRow, 'subject' | 'subject_id' | 'sums'> & {
  /** Epoch ms. */
  readonly day: number;
};

export interface RollupsOptions<Row extends { readonly _id: string }> {
  readonly source: RollupSource<Row>;
  readonly rows: RollupModel;
  readonly states: RollupStateModel;
}

/** Rows that take a batch by one command. */
const ROWS_AT_ONCE = 100;
/** Owners whose documents are counted side by side. */
const OWNERS_AT_ONCE = 8;

const isMarked: IsCounted = ({ rollup_seq }) => (rollup_seq ?? null) !== null;

/**
 * Sums over documents that are kept as these become final, each document exactly once whatever dies in between:
 *
 * 1. A batch is opened by one conditional write: its number, the documents and what they add. One is open at a time.
 * 2. Each row takes a batch's sums with its number, and none whose number it has seen.
 * 3. The documents are marked, and the batch is closed.
 *
 * Every step may be repeated by any replica at any time: the next replica goes on with a batch that
 * one before left open, and what a stalled replica sends late changes nothing.
 */
export class Rollups<Row extends { readonly _id: string }> {
  readonly #options: RollupsOptions<Row>;

  constructor(options: RollupsOptions<Row>) {
    this.#options = options;
  }

  /**
   * Counts what is due, of all owners that have something; returns how many documents were counted. What becomes due
   * meanwhile is left for the next sweep.
   */
  async sweep(): Promise<number> {
    for (let all = 0; ; ) {
      const owners = await this.#options.source.owners(ROLLUP_BATCH);
      const states = await this.#statesOf(owners);
      const counts = await sideBySide(owners, OWNERS_AT_ONCE, (scope) =>
        this.#foldDue(scope, states.get(this.#stateId(scope))),
      );
      const counted = counts.reduce((sum, count) => sum + count, 0);
      all += counted;
      if (counted < ROLLUP_BATCH) return all;
    }
  }

  /** Counts until a batch is not full: to look once more costs two reads, and what is read is right at any moment. */
  async #foldDue(scope: TenantScope, seen: RollupState | undefined): Promise<number> {
    let counted = 0;
    for (let state = seen; ; state = undefined) {
      const batch = (await this.fold(scope, state)) ?? 0;
      counted += batch;
      if (batch < ROLLUP_BATCH) return counted;
    }
  }

  /** Counts all that is due of an owner. */
  async foldAll(scope: TenantScope): Promise<number> {
    let counted = 0;
    for (;;) {
      const batch = await this.fold(scope);
      if (batch === null) return counted;
      counted += batch;
    }
  }

  /**
   * Goes on with the open batch, or opens one; returns how many documents it counts, null where nothing is due.
   * @param seen the state as it was read last: what has moved since refuses the batch, or has taken it
   */
  async fold(scope: TenantScope, seen?: RollupState): Promise<number | null> {
    const state = seen ?? (await this.#stateOf(scope));
    const open = state.batch ? state : await this.#open(scope, state);
    if (!open?.batch) return null;
    await this.#add(scope, open.seq, open.batch);
    return open.batch.ids.length;
  }

  /**
   * Counts all documents anew that are in the rows, and returns what is to be added to the rows to be right: nothing
   * where they are. With `repair` it is added, if nothing else was added meanwhile; else it is looked at again.
   */
  async differences(scope: TenantScope, repair = false): Promise<RollupChange[]> {
    const { source } = this.#options;
    for (let left = LOOKS; left > 0; left--) {
      await this.foldAll(scope);
      const { seq } = await this.#stateOf(scope);
      const counter = source.counter(scope);
      for await (const some of source.counted(scope)) await counter.add(some);
      const kept = await this.#rows(scope, source);
      const after = await this.#stateOf(scope);
      if (after.seq !== seq || after.batch) continue;
      const changes = missing(counter.changes(), kept);
      if (!repair || changes.length === 0) return changes;
      const opened = await this.#begin(scope, seq, { ids: [], changes: JSON.stringify(changes) });
      if (!opened?.batch) continue;
      await this.#add(scope, opened.seq, opened.batch);
      return changes;
    }
    throw new Error(`the rollups of ${source.name} changed at each of ${LOOKS} looks`);
  }

  /**
   * Reads rows, and counts the documents that `uncounted` finds among those without a mark, as all are at one moment:
   * what is read while a batch is added is put right by the batch, and read again where another was opened.
   */
  async view(
    scope: TenantScope,
    query: RollupQuery,
    uncounted: () => Promise<readonly Row[]>,
  ): Promise<RollupPart[]> {
    for (let left = LOOKS; left > 0; left--) {
      const before = await this.#stateOf(scope);
      const [rows, found] = await Promise.all([this.#rows(scope, query), uncounted()]);
      const after = await this.#stateOf(scope);
      if (before.seq !== after.seq || (before.batch === null) !== (after.batch === null)) continue;
      const ids = new Set(before.batch?.ids ?? []);
      const documents = found.filter(({ _id }) => !ids.has(_id));
      const counter = this.#options.source.counter(scope, (one) => isMarked(one) || ids.has(one._id));
      await counter.add(documents);
      if (documents.length > 0 && (await this.#stateOf(scope)).seq !== after.seq) continue;
      return [...withBatch(rows, before, query), ...counter.changes().filter(isWanted(query)).map(asPart)];
    }
    throw new Error(`the rollups of ${this.#options.source.name} changed at each of ${LOOKS} looks`);
  }

  async #rows(scope: TenantScope, query: RollupQuery): Promise<RollupRow[]> {
    const { subjects, subject_id, since, until } = query;
    const days = {
      ...(since === undefined ? {} : { $gte: new Date(since) }),
      ...(until === undefined ? {} : { $lt: new Date(until) }),
    };
    return this.#options.rows
      .find({
        ...ownedBy(scope),
        subject: { $in: [...subjects] },
        ...(subject_id === undefined ? {} : { subject_id }),
        ...(since === undefined && until === undefined ? {} : { day: days }),
      })
      .lean<RollupRow[]>();
  }

  async #statesOf(scopes: readonly TenantScope[]): Promise<ReadonlyMap<string, RollupState>> {
    const ids = scopes.map((scope) => this.#stateId(scope));
    const found =
      ids.length === 0 ? [] : await this.#options.states.find({ _id: { $in: ids } }).lean<RollupState[]>();
    return new Map(found.map((state) => [state._id, state]));
  }

  async #stateOf(scope: TenantScope): Promise<RollupState> {
    const _id = this.#stateId(scope);
    const state = await this.#options.states.findById(_id).lean<RollupState>();
    return state ?? { _id, ...ownedBy(scope), seq: 0, batch: null };
  }

  async #open(scope: TenantScope, { seq }: RollupState): Promise<RollupState | null> {
    const { source } = this.#options;
    const due = await source.due(scope, ROLLUP_BATCH);
    if (due.length === 0) return null;
    const counter = source.counter(scope, isMarked);
    await counter.add(due);
    const batch = { ids: due.map(({ _id }) => _id), changes: JSON.stringify(counter.changes()) };
    // Where another replica was faster, its batch is what there is to go on with.
    return (await this.#begin(scope, seq, batch)) ?? this.#stateOf(scope);
  }

  async #begin(scope: TenantScope, seq: number, batch: RollupBatch): Promise<RollupState | null> {
    const _id = this.#stateId(scope);
    try {
      return await this.#options.states
        .findOneAndUpdate(
          { _id, ...ownedBy(scope), seq, batch: null },
          { $set: { seq: seq + 1, batch } },
          { upsert: seq === 0, returnDocument: 'after' },
        )
        .lean<RollupState>();
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }

  async #add(scope: TenantScope, seq: number, batch: RollupBatch): Promise<void> {
    const { source, states } = this.#options;
    await this.#addTo(scope, seq, JSON.parse(batch.changes) as RollupChange[]);
    if (batch.ids.length > 0) await source.mark(scope, batch.ids, seq);
    await states.updateOne({ _id: this.#stateId(scope), ...ownedBy(scope), seq }, { $set: { batch: null } });
  }

  /** Adds a batch to its rows, `ROWS_AT_ONCE` by one command. */
  async #addTo(scope: TenantScope, seq: number, changes: readonly RollupChange[]): Promise<void> {
    for (let at = 0; at < changes.length; at += ROWS_AT_ONCE) {
      const some = changes.slice(at, at + ROWS_AT_ONCE);
      try {
        await this.#options.rows.bulkWrite(
          some.map((change) => ({ updateOne: rowUpdate(scope, seq, change) })),
          { ordered: false },
        );
      } catch (error) {
        // The rows have this batch already.
        if (!isDuplicateKey(error)) throw error;
      }
    }
  }

  #stateId(scope: TenantScope): string {
    return `${this.#options.source.name}/${scopeName(scope)}`;
  }
}

/** Returns whether a query wants what is of a row. */
function isWanted(query: RollupQuery): (change: RollupChange) => boolean {
  const { subjects, subject_id, since = 0, until = Number.POSITIVE_INFINITY } = query;
  return (change) =>
    subjects.includes(change.subject) &&
    (subject_id === undefined || change.subject_id === subject_id) &&
    (change.day === 0 || (change.day >= since && change.day < until));
}

function asPart({ add, ...row }: RollupChange): RollupPart {
  return { ...row, sums: add };
}

/** Returns the rows, with what they have not taken yet of the open batch beside them. Pure. */
function withBatch(rows: readonly RollupRow[], state: RollupState, query: RollupQuery): RollupPart[] {
  const parts = rows.map(({ subject, subject_id, day, sums }) => ({
    subject,
    subject_id,
    day: day.getTime(),
    sums,
  }));
  const changes = (JSON.parse(state.batch?.changes ?? '[]') as RollupChange[]).filter(isWanted(query));
  const hasTaken = (change: RollupChange) =>
    rows.some(
      (row) =>
        row.subject === change.subject &&
        row.subject_id === change.subject_id &&
        row.day.getTime() === change.day &&
        row.seq >= state.seq,
    );
  return [...parts, ...changes.filter((change) => !hasTaken(change)).map(asPart)];
}
