import { decodeDocument } from '../bson/decode.js';
import {
  type Doc,
  Double,
  Int32,
  ObjectId,
  Regex,
  Timestamp,
  typeName,
  UtcDate,
  type Value,
} from '../bson/values.js';
import type { KeyPart } from '../bson-order/keys.js';
import { EMPTY_ARRAY } from '../bson-order/keys.js';
import { CommandError, codes } from '../errors/errors.js';
import { type DocumentKeys, documentKeys } from '../fields/document-keys.js';
import { matches } from '../query/match.js';
import type { IndexSpec } from './index-spec.js';
import type { DocumentTable, IndexTable } from './rows.js';

/** Largest document that MongoDB stores, in bytes. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

export interface Index {
  readonly id: number;
  readonly spec: IndexSpec;
  readonly table: IndexTable;
  /** Bit n: some document has had an array under field n. Only grows, as in MongoDB. */
  multikey: number;
}

export interface CollectionOptions {
  readonly id: number;
  readonly database: string;
  readonly name: string;
  readonly documents: DocumentTable;
  /** Called when an index has got an array under a field that had none. */
  readonly onMultikey: (index: Index) => void;
}

/** One collection: its documents and all their index keys, kept in step. Runs inside the caller's transaction. */
export class Collection {
  readonly id: number;
  readonly database: string;
  readonly name: string;
  readonly documents: DocumentTable;
  readonly indexes: Index[] = [];
  readonly #onMultikey: (index: Index) => void;

  constructor({ id, database, name, documents, onMultikey }: CollectionOptions) {
    this.id = id;
    this.database = database;
    this.name = name;
    this.documents = documents;
    this.#onMultikey = onMultikey;
  }

  get namespace(): string {
    return `${this.database}.${this.name}`;
  }

  /** Set when the collection is dropped, for cursors that still read it. */
  dropped = false;

  /** Stores a new document whose `_id` is present and first. Throws DuplicateKey (11000) and writes nothing. */
  insert(doc: Doc, bytes: Buffer): number {
    checkSize(bytes);
    const entries = this.indexes.map((index) => this.keysFor(index, doc));
    this.indexes.forEach((index, at) => {
      this.checkUnique(index, entries[at], undefined);
    });
    const id = this.documents.insert(bytes);
    this.indexes.forEach((index, at) => {
      for (const key of entries[at]?.keys ?? []) index.table.insert(key, id);
      this.noteMultikey(index, entries[at]);
    });
    return id;
  }

  /**
   * Puts a changed document in the place of the stored one; `bytes` is what it encodes to. Throws DuplicateKey (11000)
   * and writes nothing.
   */
  replace(id: number, before: Doc, after: Doc, bytes: Buffer): void {
    checkSize(bytes);
    const changed = changedFields(before, after);
    const changes = this.indexes
      .filter(({ spec }) => changed.some((field) => spec.fields.has(field)))
      .map((index) => ({
        index,
        old: this.keysFor(index, before)?.keys ?? [],
        next: this.keysFor(index, after),
      }));
    for (const { index, next } of changes) this.checkUnique(index, next, id);
    this.documents.replace(id, bytes);
    for (const { index, old, next } of changes) {
      const keys = next?.keys ?? [];
      for (const key of old) if (!keys.some((other) => other.equals(key))) index.table.remove(key, id);
      for (const key of keys) if (!old.some((other) => other.equals(key))) index.table.insert(key, id);
      this.noteMultikey(index, next);
    }
  }

  remove(id: number, doc: Doc): void {
    for (const index of this.indexes) {
      for (const key of this.keysFor(index, doc)?.keys ?? []) index.table.remove(key, id);
    }
    this.documents.remove(id);
  }

  /** Fills a new index from the stored documents; a duplicate ends it with DuplicateKey (11000). */
  build(index: Index): void {
    let last = 0;
    for (;;) {
      const page = this.documents.page(last, false, 500);
      for (const row of page) {
        const entry = this.keysFor(index, decodeDocument(row.body));
        this.checkUnique(index, entry, row.id);
        for (const key of entry?.keys ?? []) index.table.insert(key, row.id);
        this.noteMultikey(index, entry);
        last = row.id;
      }
      if (page.length < 500) return;
    }
  }

  private keysFor(index: Index, doc: Doc): DocumentKeys | undefined {
    const { spec } = index;
    if (spec.partial && !matches(spec.partial.filter, doc)) return undefined;
    const entry = documentKeys(doc, spec.paths, spec.directions);
    return spec.sparse && entry.allMissing ? undefined : entry;
  }

  private noteMultikey(index: Index, entry: DocumentKeys | undefined): void {
    if (entry === undefined || (index.multikey | entry.multikey) === index.multikey) return;
    index.multikey |= entry.multikey;
    this.#onMultikey(index);
  }

  private checkUnique(index: Index, entry: DocumentKeys | undefined, self: number | undefined): void {
    if (!index.spec.unique || entry === undefined) return;
    for (const [at, key] of entry.keys.entries()) {
      const holder = index.table.holder(key);
      if (holder !== undefined && holder !== self) {
        throw duplicateKey(this.namespace, index.spec, entry.rows[at] ?? []);
      }
    }
  }
}

/** Returns the fields whose values differ; documents and arrays, and what is rare, count as differing. */
function changedFields(before: Doc, after: Doc): string[] {
  const changed: string[] = [];
  for (const [name, value] of after) if (!isSameScalar(before.get(name), value)) changed.push(name);
  for (const name of before.keys()) if (!after.has(name)) changed.push(name);
  return changed;
}

function isSameScalar(a: Value | undefined, b: Value): boolean {
  if (a === b) return true;
  if (a instanceof UtcDate) return b instanceof UtcDate && a.millis === b.millis;
  if (a instanceof Int32) return b instanceof Int32 && a.value === b.value;
  if (a instanceof Double) return b instanceof Double && Object.is(a.value, b.value);
  return false;
}

function checkSize(bytes: Buffer): void {
  if (bytes.length > MAX_DOCUMENT_BYTES) {
    throw new CommandError(
      codes.BSONObjectTooLarge,
      `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${MAX_DOCUMENT_BYTES}`,
    );
  }
}

function duplicateKey(namespace: string, spec: IndexSpec, parts: readonly KeyPart[]): CommandError {
  const keyValue: Doc = new Map();
  [...spec.key.keys()].forEach((field, at) => {
    const part = parts[at] ?? null;
    keyValue.set(field, part === EMPTY_ARRAY ? [] : part);
  });
  const shown = [...keyValue].map(([field, value]) => `${field}: ${display(value)}`).join(', ');
  return new CommandError(
    codes.DuplicateKey,
    `E11000 duplicate key error collection: ${namespace} index: ${spec.name} dup key: { ${shown} }`,
    { keyPattern: spec.key, keyValue },
  );
}

/** Formats a value as the duplicate key message does. */
function display(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof ObjectId) return `ObjectId('${value.hex()}')`;
  if (value instanceof UtcDate) return `new Date(${value.millis})`;
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof Regex) return `/${value.pattern}/${value.options}`;
  if (value instanceof Timestamp) return `Timestamp(${value.value >> 32n}, ${value.value & 0xffffffffn})`;
  if (typeof value === 'object' && 'value' in value) return String(value.value);
  if (value instanceof Map) {
    return `{ ${[...value].map(([name, field]) => `${name}: ${display(field)}`).join(', ')} }`;
  }
  if (Array.isArray(value)) return `[ ${value.map(display).join(', ')} ]`;
  return typeName(value) === 'decimal' ? value.toString() : typeName(value);
}
