import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type S3Emulator, startS3Emulator } from '../../../../loadtest/emulators/s3/server.js';
import { S3Storage } from './s3-storage.js';

const LIFE_MS = 15 * 60_000;
let s3: S3Emulator;
let dataDir: string;
let now = Date.now();
const access = () => ({
  bucket: s3.bucket,
  region: s3.region,
  accessKeyId: s3.accessKeyId,
  secretAccessKey: s3.secretAccessKey,
  endpoint: s3.url,
});
const put = (storage: S3Storage, key: string, audio: Buffer, limit = 1_000_000) =>
  storage.put(key, Readable.from([audio]), limit, 'audio/mpeg');

beforeAll(async () => {
  const clock = { now: () => now } as never;
  s3 = await startS3Emulator({ clock });
  dataDir = await mkdtemp(join(tmpdir(), 's3-storage-test-'));
});
beforeEach(() => {
  now = Date.now();
  s3.faults.failNext = 0;
});
afterAll(async () => {
  // Nothing of what went to the bucket, or was refused, stays here.
  expect(await readdir(join(dataDir, 'parts'))).toEqual([]);
  await rm(dataDir, { recursive: true, force: true });
  await s3.close();
});

describe('recordings in a bucket', () => {
  const audio = Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 251));

  it('are stored whole and fetched by a signed address', async () => {
    const storage = new S3Storage(access(), dataDir);
    expect(await put(storage, 'recordings/t/a b.mp3', audio)).toEqual({ sizeBytes: 5000 });
    expect(s3.objects.get('recordings/t/a b.mp3')).toEqual({ body: audio, contentType: 'audio/mpeg' });
    const source = await storage.source('recordings/t/a b.mp3', LIFE_MS);
    if (source?.kind !== 'address') throw new Error('no address');
    const answer = await fetch(source.url);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    expect(Buffer.from(await answer.arrayBuffer()).equals(audio)).toBe(true);
  });

  // @rule 8.11
  it('have addresses that are good for 15 minutes, for this object alone', async () => {
    const storage = new S3Storage(access(), dataDir);
    await put(storage, 'one.mp3', audio);
    await put(storage, 'two.mp3', audio);
    const source = await storage.source('one.mp3', LIFE_MS);
    if (source?.kind !== 'address') throw new Error('no address');
    expect((await fetch(source.url.replace('one.mp3', 'two.mp3'))).status).toBe(403);
    expect((await fetch(source.url, { method: 'DELETE' })).status).toBe(403);
    expect((await fetch(source.url.split('?')[0]!)).status).toBe(403);
    now += LIFE_MS - 5000;
    expect((await fetch(source.url)).status).toBe(200);
    now += 10_000;
    expect((await fetch(source.url)).status).toBe(403);
  });

  it('that are not there have no address', async () => {
    expect(await new S3Storage(access(), dataDir).source('nothing.mp3', LIFE_MS)).toBeNull();
  });

  it('over the limit are refused, and nothing is stored', async () => {
    const storage = new S3Storage(access(), dataDir);
    await expect(put(storage, 'large.mp3', audio, 100)).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(s3.objects.has('large.mp3')).toBe(false);
  });

  it('may be sent again after a hiccup of the storage', async () => {
    s3.faults.failNext = 1;
    // A stream cannot be sent twice: the worker gets an error, and sends the upload again.
    await expect(put(new S3Storage(access(), dataDir), 'again.mp3', audio)).rejects.toMatchObject({
      code: 'storage_unavailable',
      retryable: true,
    });
    await put(new S3Storage(access(), dataDir), 'again.mp3', audio);
    expect(s3.objects.has('again.mp3')).toBe(true);
  });

  it.each([
    ['a wrong secret', { secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch'],
    ['an unknown key', { accessKeyId: 'AKIANOBODY' }, 'InvalidAccessKeyId'],
    ['another region', { region: 'eu-west-1' }, 'AuthorizationHeaderMalformed'],
    ['another bucket', { bucket: 'elsewhere' }, 'NoSuchBucket'],
  ])('are refused with %s', async (_, changes, code) => {
    const storage = new S3Storage({ ...access(), ...changes }, dataDir);
    await expect(put(storage, 'x.mp3', audio)).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(s3.refused.at(-1)).toBe(code);
  });
});
