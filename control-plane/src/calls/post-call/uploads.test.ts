import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { dirname, join } from 'node:path';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { createAgent, startTestInstallation } from '../../testing/installation.js';
import { metricsOf } from '../testing/events.js';

let plane: TestControlPlane;
let dataDir: string;
let key: string;
let tenantId: string;
let callId: string;

beforeAll(async () => {
  const installation = await startTestInstallation();
  ({ plane, dataDir } = installation);
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
  return installation.close;
});

const token = (path: string, body: Uint8Array) =>
  interPlaneAuthorization({
    secret: plane.platform.config.internalSecret,
    method: 'PUT',
    path,
    body,
    now: Date.now(),
  });
const upload = (path: string, body: Buffer, headers: Record<string, string> = {}) =>
  plane.upload(path, body, headers);
const recordingPath = () => `/internal/calls/${callId}/recording`;
const file = () => join(dataDir, 'recordings', tenantId, `${callId}.mp3`);

describe('a recording', () => {
  it('is nowhere before it was uploaded', async () => {
    const answer = await plane.request('GET', `/api/v1/calls/${callId}/recording`, { key });
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([404, 'recording_not_found']);
  });

  it('that breaks off leaves nothing behind', async () => {
    const url = new URL(plane.internalUrl + recordingPath());
    const authorization = token(url.pathname, Buffer.alloc(1000, 1));
    const sending = httpRequest(url, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'audio/mpeg', 'content-length': 1000 },
    });
    sending.on('error', () => {});
    sending.write(Buffer.alloc(500, 1));
    const kept = () => readdir(join(dataDir, 'parts')).catch(() => []);
    await eventually(async () => (await kept()).length > 0);
    // Under names of calls there is nothing that an erasure of the call would not know of.
    expect(await readdir(join(dataDir, 'recordings', tenantId)).catch(() => [])).toEqual([]);
    sending.destroy();
    await eventually(async () => (await kept()).length === 0);
    expect((await plane.request('GET', `/api/v1/calls/${callId}/recording`, { key })).status).toBe(404);
  });

  it('that is not the one that was signed is refused and leaves nothing behind', async () => {
    const authorization = token(recordingPath(), Buffer.alloc(1000, 1));
    const answer = await upload(recordingPath(), Buffer.alloc(1000, 2), { authorization });
    expect([answer.status, await answer.json()]).toMatchObject([401, { code: 'invalid_signature' }]);
    expect(await readdir(join(dataDir, 'recordings', tenantId)).catch(() => [])).toEqual([]);
    expect(await readdir(join(dataDir, 'parts'))).toEqual([]);
    expect((await plane.request('GET', `/api/v1/calls/${callId}/recording`, { key })).status).toBe(404);
  });

  // @rule 4.9
  it('is stored, may be uploaded again, and is fetched by its signed address', async () => {
    const audio = Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 251));
    for (let i = 0; i < 2; i++) {
      expect((await upload(recordingPath(), audio, { 'x-duration-ms': '4321' })).status).toBe(204);
    }
    expect(readFileSync(file()).equals(audio)).toBe(true);
    const answer = await plane.request('GET', `/api/v1/calls/${callId}/recording`, { key });
    const { url, duration_ms, expires_at } = answer.json as {
      url: string;
      duration_ms: number;
      expires_at: string;
    };
    expect(duration_ms).toBe(4321);
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    const whole = await fetch(url);
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    expect(Buffer.from(await whole.arrayBuffer()).equals(audio)).toBe(true);
    const part = await fetch(url, { headers: { range: 'bytes=10-19' } });
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 10]);
    const call = await plane.request('GET', `/api/v1/calls/${callId}`, { key });
    expect((call.json as { recording_url: string }).recording_url).toContain(`/recordings/${callId}.mp3?`);
  });

  it('of which a part is asked for that it does not have is refused as such', async () => {
    const answer = await plane.request('GET', `/api/v1/calls/${callId}/recording`, { key });
    const { url } = answer.json as { url: string };
    const beyond = await fetch(url, { headers: { range: 'bytes=99999999-' } });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([
      416,
      expect.stringMatching(/^bytes \*\/\d+$/),
    ]);
    expect(await beyond.json()).toMatchObject({ code: 'range_not_satisfiable' });
  });

  it('is followed by what was measured in it, which stands beside what the worker has measured', async () => {
    const turn = { ...metricsOf(1, 620), metrics: { ...metricsOf(1, 620).metrics, audible_at_ms: 3620 } };
    const batch = { worker_id: 'w1', events: [{ ...turn, call_id: callId, seq: 1, at: Date.now() }] };
    expect((await plane.internal('POST', '/internal/events', batch)).status).toBe(200);
    const path = `/internal/calls/${callId}/waveform`;
    const figures = { responses: [{ caller_ended_at_ms: 3000, agent_began_at_ms: 3640 }], barge_ins: [] };
    const sent = async (body: object) =>
      (await upload(path, Buffer.from(JSON.stringify(body)), { 'content-type': 'application/json' })).status;
    expect([await sent(figures), await sent(figures), await sent({ responses: 'many' })]).toEqual([
      204, 204, 422,
    ]);
    const detail = await plane.request('GET', `/api/v1/calls/${callId}/detail`, { key });
    expect(detail.json).toMatchObject({
      metrics: {
        turns: [{ response_latency_ms: 620, waveform_response_latency_ms: 640 }],
        p50: {
          response_latency_ms: 620,
          waveform_response_latency_ms: 640,
          waveform_barge_in_latency_ms: null,
        },
      },
    });
    // Each replica has its own; the one that took the figures answers in its turn.
    const metrics = async () => (await plane.atInternal('GET', '/metrics')).text;
    for (const by of ['worker', 'recording']) {
      await expect.poll(metrics).toContain(`call_response_latency_seconds_count{by="${by}"} 1\n`);
    }
  });

  // @rule 8.11
  it('is not fetched by an address that was changed or has expired', async () => {
    const answer = await plane.request('GET', `/api/v1/calls/${callId}/recording`, { key });
    const url = new URL((answer.json as { url: string }).url);
    const longer = new URL(url);
    longer.searchParams.set('expires', String(Date.now() + 1e9));
    expect((await fetch(longer)).status).toBe(401);
    const expired = new URL(url);
    expired.searchParams.set('expires', '1');
    expect((await fetch(expired)).status).toBe(401);
    expect((await fetch(`${plane.url}/recordings/${callId}.mp3`)).status).toBe(422);
  });

  it('of an unknown call is refused', async () => {
    const path = '/internal/calls/00000000-0000-4000-8000-000000000000/recording';
    expect((await upload(path, Buffer.alloc(10))).status).toBe(404);
    expect((await fetch(plane.internalUrl + recordingPath(), { method: 'PUT', body: 'x' })).status).toBe(401);
  });
});

describe('an upload of what was erased', () => {
  it.each([
    ['recording', 'recording_erased_at', 'recordings', 'mp3', 'audio/mpeg'],
    ['decision-log', 'transcript_erased_at', 'decision-logs', 'ndjson', 'application/x-ndjson'],
  ])(
    'removes the %s that the one before it had stored when it was killed',
    async (name, erased, folder, ending, type) => {
      const agentId = await createAgent(plane, key);
      const body = { agent_id: agentId, from_number: SANDBOX_CALLER_ID, to_number: '+15005550006' };
      const { id } = (await plane.request('POST', '/api/v1/calls', { key, body })).json as { id: string };
      const path = join(dataDir, folder, tenantId, `${id}.${ending}`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'what was said');
      const call = { _id: id as never, tenant_id: tenantId };
      await plane.platform.store.collection('calls').updateOne(call, { $set: { [erased]: new Date() } });
      const headers = { 'content-type': type };
      const answer = await upload(`/internal/calls/${id}/${name}`, Buffer.from('what was said'), headers);
      expect([answer.status, existsSync(path)]).toEqual([204, false]);
    },
  );
});

describe('a decision log', () => {
  const read = async (id: string) => {
    const { status, text, json } = await plane.internal('GET', `/internal/calls/${id}/decision-log`);
    return status === 200 ? text : [status, (json as { code: string }).code];
  };

  it('is stored beside', async () => {
    const path = `/internal/calls/${callId}/decision-log`;
    const lines = Buffer.from('{"options":{}}\n');
    const answer = await upload(path, lines, { 'content-type': 'application/x-ndjson' });
    expect(answer.status).toBe(204);
    expect(readFileSync(join(dataDir, 'decision-logs', tenantId, `${callId}.ndjson`)).equals(lines)).toBe(
      true,
    );
  });

  it('is read as it was stored; a call that is not there is not one without a log', async () => {
    expect(await read(callId)).toBe('{"options":{}}\n');
    expect(await read(newId())).toEqual([404, 'call_not_found']);
    const agentId = await createAgent(plane, key);
    const body = { agent_id: agentId, from_number: SANDBOX_CALLER_ID, to_number: '+15005550006' };
    const { id } = (await plane.request('POST', '/api/v1/calls', { key, body })).json as { id: string };
    expect(await read(id)).toEqual([404, 'decision_log_not_found']);
  });
});
