import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { decodeDocument } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { type Doc, Int32 } from '../bson/values.js';
import { CommandError, codes } from '../errors/errors.js';
import { Checkpoints } from './checkpoints.js';
import { Collection, type Index } from './collection.js';
import { type IndexSpec, parseIndexSpec, sameIndex, sameOptions } from './index-spec.js';
import {
  DocumentTable,
  documentTable,
  IndexTable,
  indexTable,
  type RowIds,
  type TablePlace,
} from './rows.js';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS collections(
  id INTEGER PRIMARY KEY AUTOINCREMENT, database TEXT NOT NULL, name TEXT NOT NULL, UNIQUE(database, name));
CREATE TABLE IF NOT EXISTS indexes(
  id INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL, spec BLOB NOT NULL,
  multikey INTEGER NOT NULL DEFAULT 0);
`;

/** Of what is new: its tables are made when their first rows come. */
const NO_TABLES: ReadonlySet<string> = new Set();

/**
 * All databases in one SQLite file. Write-ahead log with synchronous NORMAL: a commit is in the operating
 * system's hands before it is acknowledged, so the death of this process loses nothing.
 */
export class Store {
  private readonly db: DatabaseSync;
  private readonly checkpoints: Checkpoints;
  /** Held by one process at a time, for the database itself is read by the thread of its checkpoints too. */
  private readonly lock: DatabaseSync;
  private readonly begin: StatementSync;
  private readonly commit: StatementSync;
  private catalog = new Map<string, Map<string, Collection>>();
  /** By collection id. Kept when the catalog is loaded again, since cursors stay open. */
  private readonly rowIds = new Map<number, RowIds>();
  private inTransaction = false;
  /** The running transaction has changed what `catalog` mirrors, so undoing it needs a reload. */
  private catalogChanged = false;

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true });
    this.lock = new DatabaseSync(join(directory, 'embedded-store.lock'));
    this.lock.exec('PRAGMA busy_timeout = 2000; BEGIN EXCLUSIVE');
    const file = join(directory, 'embedded-store.sqlite');
    this.db = new DatabaseSync(file);
    this.db.exec('PRAGMA busy_timeout = 2000');
    this.db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536');
    this.db.exec('PRAGMA wal_autocheckpoint = 0');
    this.db.exec(SCHEMA);
    this.begin = this.db.prepare('BEGIN IMMEDIATE');
    this.commit = this.db.prepare('COMMIT');
    this.checkpoints = new Checkpoints(file, this.db);
    this.load();
  }

  /** Runs `work` as one transaction that is committed when it returns and undone when it throws. */
  transaction<T>(work: () => T): T {
    if (this.inTransaction) return work();
    this.begin.run();
    this.inTransaction = true;
    this.catalogChanged = false;
    try {
      const result = work();
      this.commit.run();
      this.checkpoints.afterCommit();
      return result;
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      if (this.catalogChanged) this.load();
      throw error;
    } finally {
      this.inTransaction = false;
    }
  }

  databases(): string[] {
    return [...this.catalog.keys()].sort();
  }

  collections(database: string): Collection[] {
    return [...(this.catalog.get(database)?.values() ?? [])];
  }

  collection(database: string, name: string): Collection | undefined {
    return this.catalog.get(database)?.get(name);
  }

  /** Returns the collection; creates it with its `_id` index if it is new. */
  ensureCollection(database: string, name: string): Collection {
    const existing = this.collection(database, name);
    if (existing) return existing;
    checkNamespace(database, name);
    return this.transaction(() => {
      this.catalogChanged = true;
      const { lastInsertRowid } = this.db
        .prepare('INSERT INTO collections(database, name) VALUES (?, ?)')
        .run(database, name);
      const collection = this.open(Number(lastInsertRowid), database, name, NO_TABLES);
      this.addIndex(collection, idIndex());
      return collection;
    });
  }

  dropCollection(collection: Collection): void {
    this.transaction(() => {
      this.catalogChanged = true;
      for (const index of collection.indexes) this.db.exec(`DROP TABLE IF EXISTS ${indexTable(index.id)}`);
      this.db.exec(`DROP TABLE IF EXISTS ${documentTable(collection.id)}`);
      this.db.prepare('DELETE FROM indexes WHERE collection = ?').run(collection.id);
      this.db.prepare('DELETE FROM collections WHERE id = ?').run(collection.id);
      this.rowIds.delete(collection.id);
      collection.dropped = true;
      const database = this.catalog.get(collection.database);
      database?.delete(collection.name);
      if (database?.size === 0) this.catalog.delete(collection.database);
    });
  }

  /** Declares and fills an index. False if it exists already; throws when it conflicts with another. */
  createIndex(collection: Collection, spec: IndexSpec): boolean {
    for (const { spec: other } of collection.indexes) {
      if (other.name === spec.name) {
        if (sameIndex(other, spec) && sameOptions(other, spec)) return false;
        const code = sameIndex(other, spec) ? codes.IndexOptionsConflict : codes.IndexKeySpecsConflict;
        throw new CommandError(
          code,
          `An existing index has the same name as the requested index: ${spec.name}`,
        );
      }
      if (sameIndex(other, spec)) {
        if (other.name === '_id_' && sameIndex(other, spec)) return false;
        throw new CommandError(
          codes.IndexOptionsConflict,
          `Index already exists with a different name: ${other.name}`,
        );
      }
    }
    this.transaction(() => this.addIndex(collection, spec));
    return true;
  }

  dropIndex(collection: Collection, index: Index): void {
    this.transaction(() => {
      this.catalogChanged = true;
      this.db.exec(`DROP TABLE IF EXISTS ${indexTable(index.id)}`);
      this.db.prepare('DELETE FROM indexes WHERE id = ?').run(index.id);
      collection.indexes.splice(collection.indexes.indexOf(index), 1);
    });
  }

  close(): void {
    if (!this.db.isOpen) return;
    this.checkpoints.close();
    this.lock.close();
  }

  private addIndex(collection: Collection, spec: IndexSpec): void {
    this.catalogChanged = true;
    const { lastInsertRowid } = this.db
      .prepare('INSERT INTO indexes(collection, spec) VALUES (?, ?)')
      .run(collection.id, encodeDocument(spec.document));
    const id = Number(lastInsertRowid);
    const table = new IndexTable(this.place(indexTable(id), NO_TABLES), documentTable(collection.id));
    const index: Index = { id, spec, table, multikey: 0 };
    collection.build(index);
    collection.indexes.push(index);
  }

  private place(name: string, tables: ReadonlySet<string>): TablePlace {
    const onMake = () => {
      this.catalogChanged = true;
    };
    return { db: this.db, name, isThere: tables.has(name), onMake };
  }

  private open(id: number, database: string, name: string, tables: ReadonlySet<string>): Collection {
    const rowIds = this.rowIds.get(id) ?? { highest: undefined };
    this.rowIds.set(id, rowIds);
    const documents = new DocumentTable(this.place(documentTable(id), tables), rowIds);
    const collection = new Collection({
      id,
      database,
      name,
      documents,
      onMultikey: (index) => {
        this.catalogChanged = true;
        this.db.prepare('UPDATE indexes SET multikey = ? WHERE id = ?').run(index.multikey, index.id);
      },
    });
    const collections = this.catalog.get(database) ?? new Map<string, Collection>();
    collections.set(name, collection);
    this.catalog.set(database, collections);
    return collection;
  }

  private load(): void {
    this.catalog = new Map();
    const found = this.db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const tables: ReadonlySet<string> = new Set(found.map(({ name }) => String(name)));
    for (const row of this.db.prepare('SELECT id, database, name FROM collections ORDER BY id').all()) {
      const collection = this.open(Number(row.id), String(row.database), String(row.name), tables);
      const indexes = this.db
        .prepare('SELECT id, spec, multikey FROM indexes WHERE collection = ? ORDER BY id')
        .all(collection.id);
      for (const index of indexes) {
        const id = Number(index.id);
        const spec = parseIndexSpec(decodeDocument(Buffer.from(index.spec as Uint8Array)));
        collection.indexes.push({
          id,
          spec: spec.name === '_id_' ? { ...spec, unique: true } : spec,
          table: new IndexTable(this.place(indexTable(id), tables), documentTable(collection.id)),
          multikey: Number(index.multikey),
        });
      }
    }
  }
}

/** Returns the index that every collection has; unique without saying so, as MongoDB lists it. */
function idIndex(): IndexSpec {
  const document: Doc = new Map();
  document.set('key', new Map([['_id', new Int32(1)]]));
  document.set('name', '_id_');
  return { ...parseIndexSpec(document), unique: true };
}

function checkNamespace(database: string, name: string): void {
  if (database === '' || /[/\\. "$\0]/.test(database) || Buffer.byteLength(database) > 63) {
    throw new CommandError(codes.InvalidNamespace, `Invalid database name: '${database}'`);
  }
  if (name === '' || name.startsWith('.') || name.endsWith('.') || /[$\0]/.test(name)) {
    throw new CommandError(codes.InvalidNamespace, `Invalid collection name: '${name}'`);
  }
  if (name.startsWith('system.')) {
    throw new CommandError(codes.InvalidNamespace, `cannot write to '${database}.${name}'`);
  }
}
