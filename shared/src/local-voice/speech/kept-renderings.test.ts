import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeptRenderings } from './kept-renderings.js';

const CHUNKS = [
  { audio: Uint8Array.of(1, 2, 3), words: [{ text: 'Hello,', startMs: 0, endMs: 300 }] },
  { audio: Uint8Array.of(4, 5) },
];

let directory: string;
let kept: KeptRenderings;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voice-kept-'));
  kept = new KeptRenderings(join(directory, 'texts'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('what a voice said, kept as files', () => {
  it('is there for another process, chunk by chunk with its words', async () => {
    await kept.put('a text', CHUNKS);
    expect(await new KeptRenderings(join(directory, 'texts')).get('a text')).toEqual(CHUNKS);
    expect(await kept.get('another text')).toBeUndefined();
  });

  it('names no text in its files', async () => {
    await kept.put('Ada Lovelace', CHUNKS);
    expect(await readdir(join(directory, 'texts'))).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  it('is not there where a file was cut short', async () => {
    await kept.put('a text', CHUNKS);
    const [name] = await readdir(join(directory, 'texts'));
    for (const length of [300, 20, 2, 0]) {
      await truncate(join(directory, 'texts', name!), length);
      if (length < 100) expect(await kept.get('a text')).toBeUndefined();
    }
  });

  it('is not kept where nothing can be written, which is no failure', async () => {
    const nowhere = new KeptRenderings('/dev/null/texts');
    await nowhere.put('a text', CHUNKS);
    expect(await nowhere.get('a text')).toBeUndefined();
  });
});
