import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type S3Emulator, startS3Emulator } from '../../../../loadtest/emulators/s3/server.js';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { createAgent, startTestInstallation } from '../../testing/installation.js';
import type { CallsModule } from '../module.js';
import { PENDING_STATUS } from '../record/pending-status.js';
import { agentMessage } from '../testing/events.js';

const LIFE_MS = 15 * 60_000;
const AUDIO = Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 251));

let s3: S3Emulator;
/** The bucket's clock; the service's own is the machine's. */
let bucketTime: () => number = Date.now;
let plane: TestControlPlane;
let key: string;
let tenantId: string;
let callId: string;

beforeAll(async () => {
  s3 = await startS3Emulator({ clock: { now: () => bucketTime() } as never });
  const installation = await startTestInstallation({
    env: {
      S3_BUCKET: s3.bucket,
      S3_REGION: s3.region,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      S3_ENDPOINT: s3.url,
    },
  });
  ({ plane } = installation);
  return installation.close;
});
afterAll(() => s3?.close());
beforeEach(async () => {
  bucketTime = Date.now;
  s3.faults.failNext = 0;
  ({ key, tenantId } = await plane.newKey());
  const agentId = await createAgent(plane, key);
  const call = await plane.request('POST', '/api/v1/calls', {
    key,
    body: {
      agent_id: agentId,
      from_number: SANDBOX_CALLER_ID,
      to_number: '+15005550006',
    },
  });
  callId = (call.json as { id: string }).id;
});

/** As the worker does after the call. */
async function upload(): Promise<number> {
  const path = `/internal/calls/${callId}/recording`;
  const answer = await plane.upload(path, AUDIO, { 'x-duration-ms': '4321' });
  return answer.status;
}

const ask = (with_ = key) => plane.request('GET', `/api/v1/calls/${callId}/recording`, { key: with_ });
async function address() {
  const answer = await ask();
  expect(answer.status, answer.text).toBe(200);
  return answer.json as { url: string; recording_url: string; expires_at: string; duration_ms: number };
}

describe('GET /api/v1/calls/{call_id}/recording with a bucket', () => {
  // @rule 4.9
  it('is 404 while there is no recording, and for a foreign tenant always', async () => {
    const none = await ask();
    expect([none.status, (none.json as { code: string }).code]).toEqual([404, 'recording_not_found']);
    expect(await upload()).toBe(204);
    const foreign = await ask((await plane.newKey()).key);
    expect([foreign.status, (foreign.json as { code: string }).code]).toEqual([404, 'call_not_found']);
  });

  // @rule 4.9
  it("answers the bucket's own address, signed for 15 minutes, which gives the MP3", async () => {
    expect(await upload()).toBe(204);
    const { url, recording_url, expires_at, duration_ms } = await address();
    expect(recording_url).toBe(url);
    expect(duration_ms).toBe(4321);
    expect(new URL(url).origin).toBe(s3.url);
    expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('900');
    const life = Date.parse(expires_at) - Date.now();
    expect(life).toBeGreaterThan(LIFE_MS - 10_000);
    expect(life).toBeLessThanOrEqual(LIFE_MS);
    const mp3 = await fetch(url);
    expect([mp3.status, mp3.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    expect(Buffer.from(await mp3.arrayBuffer()).equals(AUDIO)).toBe(true);
  });

  // @rule 8.11
  it('answers an address that the bucket refuses after 15 minutes', async () => {
    await upload();
    const { url } = await address();
    bucketTime = () => Date.now() + LIFE_MS - 10_000;
    expect((await fetch(url)).status).toBe(200);
    bucketTime = () => Date.now() + LIFE_MS + 1000;
    const late = await fetch(url);
    expect([late.status, await late.text()]).toEqual([403, expect.stringContaining('Request has expired')]);
  });

  it('answers an address that is good for this recording alone, and not without its signature', async () => {
    await upload();
    const { url } = await address();
    expect((await fetch(url.replace(callId, '00000000-0000-4000-8000-000000000000'))).status).toBe(403);
    expect((await fetch(url.split('?')[0]!)).status).toBe(403);
    expect((await fetch(url.replace('X-Amz-Expires=900', 'X-Amz-Expires=90000'))).status).toBe(403);
  });

  it("is stored under its tenant and call; the call's own address leads on to the bucket", async () => {
    await upload();
    expect([...s3.objects.keys()]).toContain(`recordings/${tenantId}/${callId}.mp3`);
    const call = await plane.request('GET', `/api/v1/calls/${callId}`, { key });
    const led = await fetch((call.json as { recording_url: string }).recording_url, { redirect: 'manual' });
    expect(led.status).toBe(302);
    expect(new URL(led.headers.get('location')!).origin).toBe(s3.url);
  });

  it('is 503 while the bucket cannot be asked, and says when to ask again', async () => {
    await upload();
    s3.faults.failNext = 10;
    const answer = await ask();
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([503, 'storage_unavailable']);
    expect(answer.headers.get('retry-after')).toBe('5');
  });

  it('is not stored while the bucket cannot be asked: the worker is asked to send it again', async () => {
    s3.faults.failNext = 10;
    expect(await upload()).toBe(503);
    s3.faults.failNext = 0;
    expect((await ask()).status).toBe(404);
    expect(await upload()).toBe(204);
    expect((await ask()).status).toBe(200);
  });
});

describe('an archived call with a bucket', () => {
  const rows = (collection: string) => plane.testStore().collection<{ _id: string }>(collection);
  const calls = () => plane.modules.find(({ name }) => name === 'calls') as CallsModule;
  const detail = () => plane.request('GET', `/api/v1/calls/${callId}/detail`, { key });
  const archive = async () =>
    calls().archiving.archive((await calls().erasedCalls.find({ _id: callId, tenant_id: tenantId }))!);

  /** As a call that had a conversation and is over in all respects. */
  async function over(): Promise<string> {
    const event = { ...agentMessage(0, 'Shall I book Tuesday?'), call_id: callId, seq: 1, at: 1 };
    await rows('call_events').insertOne({
      _id: `${callId}:1`,
      call_id: callId,
      tenant_id: tenantId,
      seq: 1,
      kind: 'turn',
      at: new Date(1),
      received_at: new Date(1),
      body: JSON.stringify(event),
    } as never);
    await plane.request('POST', `/api/v1/calls/${callId}/hangup`, { key, body: {} });
    const done = {
      ended_at: { $ne: null },
      post_call_due_at: null,
      publish_due_at: null,
      [PENDING_STATUS]: null,
    };
    await eventually(() => rows('calls').findOne({ _id: callId, ...done } as object));
    await rows('calls').updateOne({ _id: callId }, { $set: { fold_due_at: null } as object });
    const { text } = await detail();
    expect(text).toContain('Tuesday');
    return text;
  }

  it('is read from it, by its tenant alone, and is 503 while it cannot be asked', async () => {
    const before = await over();
    const turns = JSON.stringify([{ role: 'agent', text: 'Shall I book Tuesday?', started_at_ms: 0 }]);
    const transcript = { $set: { tenant_id: tenantId, agent_id: '', turns_count: 1, turns } };
    await rows('transcripts').updateOne({ _id: callId }, transcript, { upsert: true });
    s3.faults.failNext = 10;
    await expect(archive()).rejects.toMatchObject({ code: 'storage_unavailable', retryable: true });
    s3.faults.failNext = 0;
    expect((await detail()).text).toBe(before);
    expect(await archive()).toBe(true);
    const [name] = [...s3.objects.keys()].filter((key) => key.startsWith(`archive/${tenantId}/`));
    expect(name).toContain(callId);

    s3.faults.failNext = 10;
    const answer = await detail();
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([503, 'storage_unavailable']);
    expect(answer.headers.get('retry-after')).toBe('5');
    s3.faults.failNext = 0;
    expect((await detail()).text).toBe(before);
    const { key: stranger } = await plane.newKey();
    const path = `/api/v1/calls/${callId}/detail`;
    expect((await plane.request('GET', path, { key: stranger })).status).toBe(404);

    const found = async (by = key) =>
      (await plane.request('GET', '/api/v1/calls?q=tuesday', { key: by })).json;
    expect(await found()).toMatchObject({
      calls: [{ id: callId }],
      matches: [{ call_id: callId, text: 'Shall I book Tuesday?' }],
      search: { unreadable: 0 },
    });
    expect(await found(stranger)).toMatchObject({ calls: [], search: { looked_through: 0 } });
    s3.faults.failNext = 10;
    expect(await found()).toMatchObject({ calls: [], search: { unreadable: 1 }, has_more: false });
    s3.faults.failNext = 0;
    expect((await plane.request('DELETE', `/api/v1/calls/${callId}`, { key })).status).toBeLessThan(300);
    expect([...s3.objects.keys()].filter((key) => key.startsWith(`archive/${tenantId}/`))).toEqual([]);
  });

  it('is erased by and by where the bucket cannot be asked', async () => {
    await upload();
    await over();
    const erase = () => plane.request('DELETE', `/api/v1/calls/${callId}`, { key });
    s3.faults.failNext = 10;
    expect(await erase()).toMatchObject({ status: 202, json: { status: 'erasing', erased_at: null } });
    s3.faults.failNext = 0;
    const { jobs = [] } = plane.modules.find(({ name }) => name === 'retention')!;
    await jobs.find(({ name }) => name === 'erasure')!.run();
    // What follows the call's end may still be on its way, and is waited for.
    await expect.poll(erase).toMatchObject({ status: 200, json: { status: 'erased' } });
    expect([...s3.objects.keys()].filter((key) => key.includes(callId))).toEqual([]);
  });
});
