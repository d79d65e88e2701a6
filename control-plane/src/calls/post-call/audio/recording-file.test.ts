import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type S3Emulator, startS3Emulator } from '../../../../../loadtest/emulators/s3/server.js';
import { startTestControlPlane, type TestControlPlane } from '../../../testing/control-plane.js';
import { ScriptedCarrier } from '../../../testing/scripted-carrier.js';
import { startTestStore, type TestStore } from '../../../testing/store.js';
import { tonesAsMp3 } from './testing/tones.js';
import { strengthOf, wavOf } from './testing/wav-reader.js';

const RATE = 8000;
let store: TestStore;
let carrier: ScriptedCarrier;
let s3: S3Emulator;
let dataDir: string;
let mp3: Buffer;
const planes: Record<string, TestControlPlane> = {};

beforeAll(async () => {
  mp3 = await tonesAsMp3({ sampleRate: RATE, seconds: 2 });
  store = await startTestStore();
  carrier = await ScriptedCarrier.start();
  s3 = await startS3Emulator({ clock: { now: Date.now } as never });
  dataDir = await mkdtemp(join(tmpdir(), 'recording-file-test-'));
  planes.disk = await startTestControlPlane(store.uri, { env: { ...carrier.env, DATA_DIR: dataDir } });
  planes.bucket = await startTestControlPlane(store.uri, {
    env: {
      ...carrier.env,
      S3_BUCKET: s3.bucket,
      S3_REGION: s3.region,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      S3_ENDPOINT: s3.url,
    },
  });
});
afterAll(async () => {
  for (const plane of Object.values(planes)) await plane.close();
  await carrier?.close();
  await s3?.close();
  await store?.close();
  await rm(dataDir, { recursive: true, force: true });
});

describe.each(['disk', 'bucket'])('GET /calls/{call_id}/recording by Accept, from the %s', (where) => {
  let plane: TestControlPlane;
  let key: string;
  let callId: string;

  beforeAll(async () => {
    plane = planes[where]!;
    ({ key } = await plane.newKey());
    const agent = await plane.request('POST', '/api/v1/agents', {
      key,
      body: { name: 'Ann', system_prompt: 'You call.' },
    });
    const call = await plane.request('POST', '/api/v1/calls', {
      key,
      body: {
        agent_id: (agent.json as { id: string }).id,
        from_number: SANDBOX_CALLER_ID,
        to_number: '+15005550006',
      },
    });
    callId = (call.json as { id: string }).id;
  });

  const get = (accept: string | undefined, query = '', as = key) =>
    fetch(`${plane.url}/api/v1/calls/${callId}/recording${query}`, {
      headers: { authorization: `Bearer ${as}`, ...(accept === undefined ? {} : { accept }) },
    });
  const codeOf = async (answer: Response) => [
    answer.status,
    ((await answer.json()) as { code: string }).code,
  ];
  const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

  it('is 404 in every form while there is none', async () => {
    for (const accept of [undefined, 'audio/mpeg', 'audio/wav']) {
      expect(await codeOf(await get(accept))).toEqual([404, 'recording_not_found']);
    }
  });

  it('is the address where nothing is said, the file itself as it is or as WAV', async () => {
    const path = `/internal/calls/${callId}/recording`;
    const stored = await plane.upload(path, mp3, { 'x-duration-ms': '2000' });
    expect(stored.status).toBe(204);

    for (const accept of [undefined, '*/*', 'application/json']) {
      const answer = await get(accept);
      expect((await answer.json()) as object).toMatchObject({ duration_ms: 2000 });
    }
    const asMp3 = await get('audio/mpeg');
    expect([asMp3.status, asMp3.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    expect((await bytesOf(asMp3)).equals(mp3)).toBe(true);

    const asWav = await get('audio/wav');
    expect([asWav.status, asWav.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    const file = await bytesOf(asWav);
    expect(asWav.headers.get('content-length')).toBe(String(file.length));
    const { sampleRate, channels, samples } = wavOf(file);
    expect([sampleRate, channels]).toEqual([RATE, 2]);
    expect(strengthOf(samples[0]!, 440, RATE)).toBeGreaterThan(20 * strengthOf(samples[0]!, 1000, RATE));
    expect(strengthOf(samples[1]!, 1000, RATE)).toBeGreaterThan(20 * strengthOf(samples[1]!, 440, RATE));
  });

  it('is mixed into one channel on request, as WAV', async () => {
    const { channels } = wavOf(await bytesOf(await get('audio/x-wav', '?channels=mono')));
    expect(channels).toBe(1);
    expect(await codeOf(await get('audio/mpeg', '?channels=mono'))).toEqual([406, 'not_acceptable']);
    expect((await get('audio/wav', '?channels=surround')).status).toBe(422);
  });

  it('is 406 in a form that it does not have, and 404 for a foreign tenant', async () => {
    expect(await codeOf(await get('audio/flac'))).toEqual([406, 'not_acceptable']);
    const { key: foreign } = await plane.newKey();
    expect(await codeOf(await get('audio/wav', '', foreign))).toEqual([404, 'call_not_found']);
  });

  it('of a client that leaves in the middle is left, and the next one gets it whole', async () => {
    const leaving = new AbortController();
    const answer = await fetch(`${plane.url}/api/v1/calls/${callId}/recording`, {
      headers: { authorization: `Bearer ${key}`, accept: 'audio/wav' },
      signal: leaving.signal,
    });
    await answer.body!.getReader().read();
    leaving.abort();
    const whole = await get('audio/wav');
    expect(String((await bytesOf(whole)).length)).toBe(whole.headers.get('content-length'));
  });
});
