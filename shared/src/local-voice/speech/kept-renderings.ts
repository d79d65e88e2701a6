import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { SpokenChunk } from './rendered-cache.js';

/** Of the files and of what the voices make: another sound needs another number. */
const VERSION = 1;
/** Length of the head, in bytes, before it. */
const LENGTH_BYTES = 4;

const head = z.array(
  z.object({
    bytes: z.int().nonnegative(),
    words: z.array(z.object({ text: z.string(), startMs: z.number(), endMs: z.number() })).optional(),
  }),
);

/**
 * Keeps what voices said as files, for processes that say the same texts again and again. Files are written whole or
 * not at all, and one that cannot be read or written is no failure: the voice speaks.
 */
export class KeptRenderings {
  readonly #directory: string;
  #writes = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async get(key: string): Promise<readonly SpokenChunk[] | undefined> {
    const file = await readFile(this.#path(key)).catch(() => undefined);
    return file && chunksOf(file);
  }

  async put(key: string, chunks: readonly SpokenChunk[]): Promise<void> {
    const parts = chunks.map(({ audio, words }) => ({ bytes: audio.length, words }));
    const text = Buffer.from(JSON.stringify(parts));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(text.length);
    const path = this.#path(key);
    const part = `${path}.${process.pid}-${this.#writes++}`;
    try {
      await mkdir(this.#directory, { recursive: true });
      await writeFile(part, Buffer.concat([length, text, ...chunks.map(({ audio }) => audio)]));
      await rename(part, path);
    } catch {
      // It is spoken anew the next time.
    }
  }

  #path(key: string): string {
    return join(this.#directory, createHash('sha256').update(`${VERSION} ${key}`).digest('hex'));
  }
}

function chunksOf(file: Buffer): SpokenChunk[] | undefined {
  try {
    const audioFrom = LENGTH_BYTES + file.readUInt32LE(0);
    const parts = head.parse(JSON.parse(file.toString('utf8', LENGTH_BYTES, audioFrom)));
    let at = audioFrom;
    return parts.map(({ bytes, words }) => {
      const audio = new Uint8Array(file.subarray(at, at + bytes));
      at += bytes;
      if (audio.length !== bytes) throw new Error('the file is cut short');
      return words ? { audio, words } : { audio };
    });
  } catch {
    return undefined;
  }
}
