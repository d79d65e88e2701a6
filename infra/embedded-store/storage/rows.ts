import type { DatabaseSync, StatementSync } from 'node:sqlite';

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

function buffer(bytes: unknown): Buffer {
  const view = bytes as Uint8Array;
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}

/** Statements over one collection's table: row id in insertion order, and the document's bytes. */
export class DocumentTable {
  private readonly insertion: StatementSync;
  private readonly replacement: StatementSync;
  private readonly removal: StatementSync;
  private readonly reading: StatementSync;
  private readonly after: StatementSync;
  private readonly before: StatementSync;
  private readonly counting: StatementSync;

  constructor(db: DatabaseSync, collectionId: number) {
    const table = documentTable(collectionId);
    this.insertion = db.prepare(`INSERT INTO ${table}(body) VALUES (?)`);
    this.replacement = db.prepare(`UPDATE ${table} SET body = ? WHERE id = ?`);
    this.removal = db.prepare(`DELETE FROM ${table} WHERE id = ?`);
    this.reading = db.prepare(`SELECT body FROM ${table} WHERE id = ?`);
    this.after = db.prepare(`SELECT id, body FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`);
    this.before = db.prepare(`SELECT id, body FROM ${table} WHERE id < ? ORDER BY id DESC LIMIT ?`);
    this.counting = db.prepare(`SELECT count(*) AS n FROM ${table}`);
  }

  insert(body: Buffer): number {
    return Number(this.insertion.run(body).lastInsertRowid);
  }

  replace(id: number, body: Buffer): void {
    this.replacement.run(body, id);
  }

  remove(id: number): void {
    this.removal.run(id);
  }

  read(id: number): Buffer | undefined {
    const row = this.reading.get(id);
    return row === undefined ? undefined : buffer(row.body);
  }

  /** Reads up to `limit` rows in insertion order beyond row `from`, or before it when going backwards. */
  page(from: number, backwards: boolean, limit: number): StoredRow[] {
    const rows = (backwards ? this.before : this.after).all(from, limit);
    return rows.map((row) => ({ id: Number(row.id), body: buffer(row.body) }));
  }

  count(): number {
    return Number(this.counting.get()?.n ?? 0);
  }
}

/** Statements over one index's table of (key, row id). */
export class IndexTable {
  private readonly insertion: StatementSync;
  private readonly removal: StatementSync;
  private readonly taken: StatementSync;
  private readonly forwards: StatementSync;
  private readonly backwards: StatementSync;
  private readonly counting: StatementSync;
  private readonly countingTo: StatementSync;

  constructor(db: DatabaseSync, indexId: number) {
    const table = indexTable(indexId);
    this.insertion = db.prepare(`INSERT OR IGNORE INTO ${table}(key, id) VALUES (?, ?)`);
    this.removal = db.prepare(`DELETE FROM ${table} WHERE key = ? AND id = ?`);
    this.taken = db.prepare(`SELECT id FROM ${table} WHERE key = ? LIMIT 2`);
    this.forwards = db.prepare(
      `SELECT key, id FROM ${table} WHERE (key, id) > (?, ?) AND key < ? ORDER BY key, id LIMIT ?`,
    );
    this.backwards = db.prepare(
      `SELECT key, id FROM ${table} WHERE (key, id) < (?, ?) AND key >= ? ORDER BY key DESC, id DESC LIMIT ?`,
    );
    this.counting = db.prepare(`SELECT count(*) AS n FROM ${table} WHERE key >= ? AND key < ?`);
    this.countingTo = db.prepare(
      `SELECT count(*) AS n FROM (SELECT 1 FROM ${table} WHERE key >= ? AND key < ? LIMIT ?)`,
    );
  }

  insert(key: Buffer, id: number): void {
    this.insertion.run(key, id);
  }

  remove(key: Buffer, id: number): void {
    this.removal.run(key, id);
  }

  /** Reads the row ids that hold exactly this key: at most two are read. */
  holders(key: Buffer): number[] {
    return this.taken.all(key).map((row) => Number(row.id));
  }

  /** Reads up to `limit` entries of a range, in key order from either end, beyond the entry `last`. */
  page(range: KeyRange, backwards: boolean, last: IndexEntry | undefined, limit: number): IndexEntry[] {
    const rows = backwards
      ? this.backwards.all(last?.key ?? range.to, last?.id ?? -1, range.from, limit)
      : this.forwards.all(last?.key ?? range.from, last?.id ?? -1, range.to, limit);
    return rows.map((row) => ({ key: buffer(row.key), id: Number(row.id) }));
  }

  /** Counts the entries of a range; stops counting at `limit`. */
  countRange(range: KeyRange, limit: number): number {
    const row =
      limit < Number.MAX_SAFE_INTEGER
        ? this.countingTo.get(range.from, range.to, limit)
        : this.counting.get(range.from, range.to);
    return Number(row?.n ?? 0);
  }
}

export function documentTable(collectionId: number): string {
  return `documents_${collectionId}`;
}

export function indexTable(indexId: number): string {
  return `index_${indexId}`;
}
