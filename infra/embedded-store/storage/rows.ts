import type { DatabaseSync } from 'node:sqlite';

/** A range of index keys: `from` included, `to` excluded. */
export interface KeyRange {
  readonly from: Buffer;
  readonly to: Buffer;
}

export interface IndexEntry {
  readonly key: Buffer;
  readonly id: number;
}

export interface StoredRow {
  readonly id: number;
  readonly body: Buffer;
}

/**
 * A bare `LIMIT ?` is a value that SQLite plans by: it prepares the statement anew each time that one is bound,
 * which costs as much as the reading. An expression is not looked into.
 */
const BOUND_LIMIT = '(? + 0)';

function buffer(bytes: unknown): Buffer {
  const view = bytes as Uint8Array;
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}

/** Where a table is: it is made when its first row comes, for most collections of a store never have one. */
export interface TablePlace {
  readonly db: DatabaseSync;
  readonly name: string;
  /** Whether it has been made. */
  readonly isThere: boolean;
  /** Called before it is made, in the transaction that makes it. */
  readonly onMake: () => void;
}

/** A table with its statements, which are prepared when they are first needed. */
class Table<T> {
  readonly #place: TablePlace;
  readonly #columns: string;
  readonly #prepare: (db: DatabaseSync, name: string) => T;
  #isThere: boolean;
  #statements: T | undefined;

  constructor(place: TablePlace, columns: string, prepare: (db: DatabaseSync, name: string) => T) {
    this.#place = place;
    this.#columns = columns;
    this.#prepare = prepare;
    this.#isThere = place.isThere;
  }

  /** Returns the statements to read by, or undefined where no row has come yet. */
  get filled(): T | undefined {
    if (!this.#isThere) return undefined;
    this.#statements ??= this.#prepare(this.#place.db, this.#place.name);
    return this.#statements;
  }

  /** Makes the table if it is not there yet. */
  get made(): T {
    if (!this.#isThere) {
      this.#place.onMake();
      this.#place.db.exec(`CREATE TABLE ${this.#place.name}${this.#columns}`);
      this.#isThere = true;
    }
    return this.filled as T;
  }
}

/** The highest id that a row of a collection has had while this process lives; undefined until it is needed. */
export interface RowIds {
  highest: number | undefined;
}

/**
 * One collection's table: row id in insertion order, and the document's bytes. SQLite would give the id of the last
 * row again once that is removed, and a cursor that has read it in an index would take the new document for the old one.
 */
export class DocumentTable {
  readonly #table;
  readonly #ids: RowIds;

  constructor(place: TablePlace, ids: RowIds) {
    this.#ids = ids;
    this.#table = new Table(place, '(id INTEGER PRIMARY KEY, body BLOB NOT NULL)', (db, table) => ({
      insertion: db.prepare(`INSERT INTO ${table}(id, body) VALUES (?, ?)`),
      replacement: db.prepare(`UPDATE ${table} SET body = ? WHERE id = ?`),
      removal: db.prepare(`DELETE FROM ${table} WHERE id = ?`),
      reading: db.prepare(`SELECT body FROM ${table} WHERE id = ?`),
      after: db.prepare(`SELECT id, body FROM ${table} WHERE id > ? ORDER BY id LIMIT ${BOUND_LIMIT}`),
      before: db.prepare(`SELECT id, body FROM ${table} WHERE id < ? ORDER BY id DESC LIMIT ${BOUND_LIMIT}`),
      counting: db.prepare(`SELECT count(*) AS n FROM ${table}`),
      highest: db.prepare(`SELECT max(id) AS id FROM ${table}`),
    }));
  }

  insert(body: Buffer): number {
    const { insertion } = this.#table.made;
    const id = this.#highestId() + 1;
    this.#ids.highest = id;
    insertion.run(id, body);
    return id;
  }

  replace(id: number, body: Buffer): void {
    this.#table.filled?.replacement.run(body, id);
  }

  remove(id: number): void {
    this.#highestId();
    this.#table.filled?.removal.run(id);
  }

  read(id: number): Buffer | undefined {
    const row = this.#table.filled?.reading.get(id);
    return row === undefined ? undefined : buffer(row.body);
  }

  /** Reads up to `limit` rows in insertion order beyond row `from`, or before it when going backwards. */
  page(from: number, backwards: boolean, limit: number): StoredRow[] {
    const table = this.#table.filled;
    if (!table) return [];
    const rows = (backwards ? table.before : table.after).all(from, limit);
    return rows.map((row) => ({ id: Number(row.id), body: buffer(row.body) }));
  }

  count(): number {
    return Number(this.#table.filled?.counting.get()?.n ?? 0);
  }

  /** Asks the table once, before the first row comes or goes. */
  #highestId(): number {
    this.#ids.highest ??= Number(this.#table.filled?.highest.get()?.id ?? 0);
    return this.#ids.highest;
  }
}

/** One index's table of (key, row id). */
export class IndexTable {
  readonly #table;

  /** @param documents the table of what it points to: it has a row as soon as this one has */
  constructor(place: TablePlace, documents: string) {
    const columns = '(key BLOB NOT NULL, id INTEGER NOT NULL, PRIMARY KEY(key, id)) WITHOUT ROWID';
    this.#table = new Table(place, columns, (db, table) => ({
      insertion: db.prepare(`INSERT OR IGNORE INTO ${table}(key, id) VALUES (?, ?)`),
      removal: db.prepare(`DELETE FROM ${table} WHERE key = ? AND id = ?`),
      taken: db.prepare(`SELECT id FROM ${table} WHERE key = ? LIMIT 1`),
      document: db.prepare(
        `SELECT d.id, d.body FROM ${table} AS i JOIN ${documents} AS d ON d.id = i.id WHERE i.key = ? LIMIT 1`,
      ),
      forwards: db.prepare(
        `SELECT key, id FROM ${table} WHERE (key, id) > (?, ?) AND key < ? ORDER BY key, id LIMIT ${BOUND_LIMIT}`,
      ),
      backwards: db.prepare(
        `SELECT key, id FROM ${table} WHERE (key, id) < (?, ?) AND key >= ? ORDER BY key DESC, id DESC LIMIT ${BOUND_LIMIT}`,
      ),
      counting: db.prepare(`SELECT count(*) AS n FROM ${table} WHERE key >= ? AND key < ?`),
      countingTo: db.prepare(
        `SELECT count(*) AS n FROM (SELECT 1 FROM ${table} WHERE key >= ? AND key < ? LIMIT ${BOUND_LIMIT})`,
      ),
    }));
  }

  insert(key: Buffer, id: number): void {
    this.#table.made.insertion.run(key, id);
  }

  remove(key: Buffer, id: number): void {
    this.#table.filled?.removal.run(key, id);
  }

  /** Reads the row id that holds exactly this key, of a unique index: there is one at most. */
  holder(key: Buffer): number | undefined {
    const row = this.#table.filled?.taken.get(key);
    return row === undefined ? undefined : Number(row.id);
  }

  /** Reads the document of exactly this key, of a unique index. */
  document(key: Buffer): StoredRow | undefined {
    const row = this.#table.filled?.document.get(key);
    return row === undefined ? undefined : { id: Number(row.id), body: buffer(row.body) };
  }

  /** Reads up to `limit` entries of a range, in key order from either end, beyond the entry `last`. */
  page(range: KeyRange, backwards: boolean, last: IndexEntry | undefined, limit: number): IndexEntry[] {
    const table = this.#table.filled;
    if (!table) return [];
    const rows = backwards
      ? table.backwards.all(last?.key ?? range.to, last?.id ?? -1, range.from, limit)
      : table.forwards.all(last?.key ?? range.from, last?.id ?? -1, range.to, limit);
    return rows.map((row) => ({ key: buffer(row.key), id: Number(row.id) }));
  }

  /** Counts the entries of a range; stops counting at `limit`. */
  countRange(range: KeyRange, limit: number): number {
    const table = this.#table.filled;
    const row =
      limit < Number.MAX_SAFE_INTEGER
        ? table?.countingTo.get(range.from, range.to, limit)
        : table?.counting.get(range.from, range.to);
    return Number(row?.n ?? 0);
  }
}

export function documentTable(collectionId: number): string {
  return `documents_${collectionId}`;
}

export function indexTable(indexId: number): string {
  return `index_${indexId}`;
}
