import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import type { Source } from './package-index.js';

/** A download that brings nothing for so long is given up, in ms. */
const STALL_MS = 30_000;

export interface Download {
  readonly source: Source;
  /** The finished file; until then its bytes are kept beside it as `<path>.part`. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Bytes that are here, of all. */
  readonly onProgress: (received: number, total: number) => void;
}

/**
 * Downloads a file and checks its SHA-256; goes on where an earlier attempt broke off, if the server can.
 * Throws when it breaks off (what came is kept) or when the hash is another one (then nothing is kept).
 */
export async function download({ source, path, sha256, bytes, onProgress }: Download): Promise<void> {
  const part = `${path}.part`;
  const have = sizeOf(part);
  if (have < bytes) await receive(source, part, have, bytes, onProgress);
  await assertHash(part, sha256, source.url);
  renameSync(part, path);
}

async function receive(
  source: Source,
  part: string,
  have: number,
  bytes: number,
  onProgress: (received: number, total: number) => void,
): Promise<void> {
  const stall = new AbortController();
  let timer = setTimeout(() => stall.abort(), STALL_MS);
  try {
    const response = await fetch(source.url, {
      headers: { ...source.headers, ...(have > 0 ? { range: `bytes=${have}-` } : {}) },
      signal: stall.signal,
    });
    if (!response.ok || !response.body) throw new Error(`${source.url.host} answered ${response.status}`);
    const resumed = response.status === 206;
    let received = resumed ? have : 0;
    const file = createWriteStream(part, { flags: resumed ? 'a' : 'w' });
    try {
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
        clearTimeout(timer);
        timer = setTimeout(() => stall.abort(), STALL_MS);
        received += chunk.length;
        if (received > bytes)
          throw new Error(`${source.url.host} sent more than the ${bytes} bytes expected`);
        if (!file.write(chunk)) await once(file, 'drain');
        onProgress(received, bytes);
      }
    } finally {
      file.end();
      await once(file, 'close');
    }
    if (received < bytes) throw new Error(`the download broke off after ${received} of ${bytes} bytes`);
  } catch (cause) {
    if (!stall.signal.aborted) throw cause;
    throw new Error(`${source.url.host} sent nothing for ${STALL_MS / 1000} s`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Checks a file's SHA-256; removes the file and throws when it is another one. */
export async function assertHash(path: string, sha256: string, from: URL | string): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const actual = hash.digest('hex');
  if (actual === sha256) return;
  rmSync(path, { force: true });
  throw new Error(`${from} gave a file with SHA-256 ${actual}, not ${sha256}: it was not used`);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
