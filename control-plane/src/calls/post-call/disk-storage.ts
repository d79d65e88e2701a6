import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { apiError } from '../../platform/http/error-codes.js';
import type { ObjectSource, ObjectStorage } from './object-storage.js';
import { newPart } from './part-files.js';

/** Files under one directory, each written whole or not at all. Keys are relative paths with slashes. */
export class DiskStorage implements ObjectStorage {
  readonly #root: string;

  constructor(root: string) {
    this.#root = resolve(root);
  }

  path(key: string): string {
    const path = resolve(join(this.#root, key));
    if (!path.startsWith(this.#root + sep)) throw new Error(`the key leads out of the storage: ${key}`);
    return path;
  }

  /**
   * Stores the stream under the key, in place of what was there. The file appears under its name only
   * when it is complete and on the disk. Throws 413 `payload_too_large` beyond `limitBytes`.
   */
  async put(key: string, source: Readable, limitBytes: number): Promise<{ sizeBytes: number }> {
    const path = this.path(key);
    await mkdir(dirname(path), { recursive: true });
    const temporary = await newPart(this.#root);
    let sizeBytes = 0;
    const measured = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        sizeBytes += chunk.length;
        if (sizeBytes > limitBytes) done(apiError('payload_too_large', `Over ${limitBytes} bytes.`));
        else done(null, chunk);
      },
    });
    try {
      await pipeline(source, measured, createWriteStream(temporary));
      const file = await open(temporary, 'r+');
      await file.sync().finally(() => file.close());
      await rename(temporary, path);
      return { sizeBytes };
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async open(key: string): Promise<{ content: Readable; sizeBytes: number } | null> {
    const path = this.path(key);
    const found = await stat(path).catch(() => null);
    return found?.isFile() ? { content: createReadStream(path), sizeBytes: found.size } : null;
  }

  async remove(key: string): Promise<void> {
    const path = this.path(key);
    try {
      await rm(path, { force: true });
    } catch (cause) {
      throw apiError('storage_unavailable', undefined, { cause, retryable: true, retryAfterSeconds: 5 });
    }
  }

  async source(key: string): Promise<ObjectSource | null> {
    const path = this.path(key);
    return stat(path).then(
      (found) => (found.isFile() ? { kind: 'file', path } : null),
      () => null,
    );
  }
}
