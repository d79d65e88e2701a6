import type { Readable } from 'node:stream';

/** Where an object can be fetched from: by this service from its disk, or by anyone from a signed address. */
export type ObjectSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'address'; readonly url: string };

/** Keeps files under keys, each whole or not at all. Keys are relative paths with slashes. */
export interface ObjectStorage {
  /** Stores the stream in place of what was there. Throws 413 `payload_too_large` beyond `limitBytes`. */
  put(key: string, source: Readable, limitBytes: number, contentType: string): Promise<{ sizeBytes: number }>;
  /** Null when there is nothing under the key. An address is good for `lifeMs`. */
  source(key: string, lifeMs: number): Promise<ObjectSource | null>;
  /** Removes what is under the key, if anything is. Throws 503 `storage_unavailable`. */
  remove(key: string): Promise<void>;
  /** Opens the object itself, to be read to its end or destroyed. Null when there is nothing under the key. */
  open(key: string): Promise<{ readonly content: Readable; readonly sizeBytes: number } | null>;
}
