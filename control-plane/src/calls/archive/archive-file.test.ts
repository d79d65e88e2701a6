import { createDecipheriv, randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ArchivedContent, openArchive, openArchivedTurns, sealArchive } from './archive-file.js';

const KEY = randomBytes(32);
const CONTENT: ArchivedContent = {
  call: { agent_snapshot: '{"name":"Ann"}', handoffs: null, analysis_settings: '{}', variables: '{"a":"ü"}' },
  turns: '[{"index":0,"text":"line\\nbreak"}]',
  events: ['{"seq":1,"kind":"turn"}', '{"seq":2,"kind":"ended"}'],
};

describe('the file of an archived call', () => {
  it('is opened as it was sealed, with and without a transcript', async () => {
    expect(await openArchive(KEY, 'call', await sealArchive(KEY, 'call', CONTENT))).toEqual(CONTENT);
    const silent = { ...CONTENT, turns: null, events: [] };
    expect(await openArchive(KEY, 'call', await sealArchive(KEY, 'call', silent))).toEqual(silent);
  });

  it('gives its turns alone, and none where there is no transcript', async () => {
    const turnsOf = async (content: ArchivedContent) =>
      openArchivedTurns(KEY, 'call', await sealArchive(KEY, 'call', content));
    expect(await turnsOf(CONTENT)).toBe(CONTENT.turns);
    expect(await turnsOf({ ...CONTENT, events: [] })).toBe(CONTENT.turns);
    expect(await turnsOf({ ...CONTENT, turns: null })).toBeNull();
    expect(await turnsOf({ ...CONTENT, turns: null, events: [] })).toBeNull();
  });

  it('is lines of JSON, compressed, inside', async () => {
    const file = await sealArchive(KEY, 'call', CONTENT);
    const cipher = createDecipheriv('aes-256-gcm', KEY, file.subarray(0, 12)).setAAD(Buffer.from('call'));
    const lines = gunzipSync(cipher.update(file.subarray(12, -16))).toString();
    expect(lines.endsWith('\n')).toBe(true);
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { kind: string }).kind),
    ).toEqual(['call', 'transcript', 'event', 'event']);
  });

  it('is not opened for another call, under another key, cut or changed', async () => {
    const file = await sealArchive(KEY, 'call', CONTENT);
    const changed = Buffer.from(file);
    changed[20]! ^= 1;
    for (const opening of [
      openArchive(KEY, 'another', file),
      openArchive(randomBytes(32), 'call', file),
      openArchive(KEY, 'call', file.subarray(0, -1)),
      openArchive(KEY, 'call', Buffer.alloc(10)),
      openArchive(KEY, 'call', changed),
      openArchivedTurns(KEY, 'another', file),
      openArchivedTurns(KEY, 'call', changed),
    ]) {
      await expect(opening).rejects.toThrow();
    }
  });
});
