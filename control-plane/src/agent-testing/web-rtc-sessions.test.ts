import { systemClock } from '@voice/shared/clock/clock';
import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agentMessage, ended, mediaStarted } from '../calls/testing/events.js';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { WorkerClient } from '../workers/worker-client.js';
import type { TestSessionResult, WebRtcSessionCreate } from './schemas.js';
import { answerFrom } from './web-rtc-offers.js';

const ICE_SERVERS = [
  { urls: 'stun:stun.example.com:3478' },
  { urls: ['turn:turn.example.com:3478'], username: 'u', credential: 'c' },
];
const SDP = 'v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=rtpmap:111 opus/48000/2\r\n';
const OFFER = { sdp: SDP, type: 'offer' };

let store: TestStore;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let key: string;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri, {
    env: { ICE_SERVERS: JSON.stringify(ICE_SERVERS), OPENAI_API_KEY: 'k' },
  });
  worker = await ScriptedWorker.start({
    id: 'worker-1',
    secret: plane.platform.config.internalSecret,
    capacity: 100,
  });
});
afterAll(async () => {
  await plane?.close();
  await worker?.close();
  await store?.close();
});
beforeEach(async () => {
  worker.mode = 'reserves';
  worker.onOffer = 'answers';
  worker.webrtc = { available: true };
  ({ key } = await plane.newKey());
  await worker.heartbeat(plane);
});

const post = (path: string, body?: object, as = key) =>
  plane.request('POST', `/api/v1${path}`, { key: as, body });
const codeOf = ({ status, json }: { status: number; json: unknown }) => [
  status,
  (json as { code: string }).code,
];

async function newAgent(settings: object = {}): Promise<string> {
  const body = { name: 'Ann', system_prompt: 'You answer.', first_message: 'Hello {{name}}!', ...settings };
  return ((await post('/agents', body)).json as { id: string }).id;
}

const begin = async (agentId: string) =>
  post(`/agents/${agentId}/test/webrtc`, { variables: { name: 'Eve' } });

async function session(settings: object = {}): Promise<WebRtcSessionCreate> {
  const answer = await begin(await newAgent(settings));
  expect(answer.status, answer.text).toBe(201);
  return answer.json as WebRtcSessionCreate;
}

describe('POST /agents/{agent_id}/test/webrtc', () => {
  // @rule 4.51
  it('201 with session_id, and webrtc_url to which the offer is posted; a worker keeps a place', async () => {
    const made = await session();
    expect(made.webrtc_url).toBe(`${plane.url}/api/v1/test-sessions/${made.session_id}/offer`);
    expect(made.ice_servers).toEqual(ICE_SERVERS);
    expect(Date.parse(made.expires_at) - Date.now()).toBeLessThanOrEqual(60_000);
    const plan = worker.plans.at(-1)!;
    expect(plan).toMatchObject({
      call_id: made.session_id,
      carrier: { name: 'webrtc', protocol: 'webrtc' },
      agent: { first_message: 'Hello Eve!' },
    });
  });

  // @rule 4.51
  it('takes realtime agents as it takes cascaded ones', async () => {
    const realtime = { pipeline_type: 'realtime', voice_config: { realtime: { provider: 'openai' } } };
    const { session_id } = await session(realtime);
    expect(worker.plans.at(-1)).toMatchObject({
      call_id: session_id,
      agent: { pipeline_type: 'realtime', voice_config: { realtime: { provider: 'openai' } } },
    });
  });

  // @rule 4.51
  it('is placed at a worker that takes WebRTC, and at no other', async () => {
    const { internalSecret: secret } = plane.platform.config;
    const other = await ScriptedWorker.start({ id: 'worker-2', secret, capacity: 1000 });
    try {
      await other.heartbeat(plane);
      await eventually(
        async () => (await plane.platform.store.collection('workers').countDocuments()) as number,
        (count) => count === 2,
      );
      for (let i = 0; i < 6; i++) await session();
      expect(other.plans).toEqual([]);
    } finally {
      await plane.platform.store.collection('workers').deleteOne({ _id: 'worker-2' as never });
      await other.close();
    }
  });

  // @rule 4.51
  it('503 workers_at_capacity when all that take WebRTC are full', async () => {
    worker.mode = 'full';
    const answer = await begin(await newAgent());
    expect(codeOf(answer)).toEqual([503, 'workers_at_capacity']);
    expect(answer.headers.get('retry-after')).toBe('5');
  });

  it("503 webrtc_not_available with the worker's reason, and with Retry-After where it knows when", async () => {
    worker.webrtc = {
      available: false,
      reason: 'mediasoup is being built (40 % done)',
      ready_in_seconds: 90,
    };
    await worker.heartbeat(plane);
    const agentId = await newAgent();
    const answer = await begin(agentId);
    expect(codeOf(answer)).toEqual([503, 'webrtc_not_available']);
    expect((answer.json as { detail: string }).detail).toBe('mediasoup is being built (40 % done)');
    const wait = Number(answer.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(60);
    expect(wait).toBeLessThanOrEqual(90);
  });

  it('503 webrtc_not_available with what to do instead where no worker ever takes it', async () => {
    worker.webrtc = undefined;
    await worker.heartbeat(plane);
    const answer = await begin(await newAgent());
    expect(codeOf(answer)).toEqual([503, 'webrtc_not_available']);
    expect((answer.json as { detail: string }).detail).toContain('test/websocket');
    expect(answer.headers.get('retry-after')).toBeNull();
  });

  it('409 for an agent that is switched off; 404 for a foreign one', async () => {
    const agentId = await newAgent({ is_active: false });
    expect(codeOf(await begin(agentId))).toEqual([409, 'agent_inactive']);
    const stranger = await plane.newKey();
    expect((await post(`/agents/${agentId}/test/webrtc`, undefined, stranger.key)).status).toBe(404);
  });
});

describe('POST /test-sessions/{session_id}/offer', () => {
  const offer = (id: string, body: object = OFFER, as = key) => post(`/test-sessions/${id}/offer`, body, as);

  // @rule 4.52
  it("200 with the worker's SDP answer unchanged; ice_servers are filled in when absent", async () => {
    const { session_id: id } = await session();
    const answer = await offer(id);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toEqual({
      sdp: `v=0\r\na=answer to ${SDP.length} characters\r\n`,
      type: 'answer',
      pc_id: `pc-${id}`,
      extra: 'as the worker gave it',
    });
    expect(worker.offers.at(-1)).toEqual({ callId: id, offer: { ...OFFER, ice_servers: ICE_SERVERS } });
  });

  // @rule 4.52
  it('hands pc_id, restart_pc and own ice_servers on', async () => {
    const { session_id: id } = await session();
    const again = { ...OFFER, pc_id: 'pc-1', restart_pc: true, ice_servers: [{ urls: 'stun:own:3478' }] };
    expect((await offer(id, again)).json).toMatchObject({ pc_id: 'pc-1' });
    expect(worker.offers.at(-1)!.offer).toEqual(again);
  });

  // @rule 4.52
  it('404 for an absent, a foreign and an expired session', async () => {
    const { session_id: id } = await session();
    const stranger = await plane.newKey();
    expect(codeOf(await offer(newId()))).toEqual([404, 'test_session_not_found']);
    expect(codeOf(await offer(id, OFFER, stranger.key))).toEqual([404, 'test_session_not_found']);
    await plane.platform.store
      .collection('test_sessions')
      .updateOne({ _id: id as never }, { $set: { expires_at: new Date(1) } });
    expect(codeOf(await offer(id))).toEqual([404, 'test_session_not_found']);
  });

  it('409 for a session that is not WebRTC', async () => {
    const agentId = await newAgent();
    const { session_id } = (await post(`/agents/${agentId}/test/websocket`)).json as { session_id: string };
    expect(codeOf(await offer(session_id))).toEqual([409, 'test_session_not_webrtc']);
  });

  it.each([
    ['an answer', { ...OFFER, type: 'answer' }],
    ['no description', { type: 'offer' }],
    ['an unknown field', { ...OFFER, pcid: 'x' }],
    ['a server without an address', { ...OFFER, ice_servers: [{ username: 'u' }] }],
  ])('422 for %s', async (_what, body) => {
    const { session_id } = await session();
    expect(codeOf(await offer(session_id, body))).toEqual([422, 'validation_error']);
  });

  it("422 in the worker's own words for a description that it cannot use", async () => {
    const { session_id } = await session();
    const answer = await offer(session_id, { ...OFFER, sdp: 'v=0\r\nm=video 9 RTP/AVP 96\r\n' });
    expect(codeOf(answer)).toEqual([422, 'offer_unusable']);
    expect((answer.json as { detail: string }).detail).toBe('The offer has no audio section with Opus.');
  });

  it('409 with what to send instead where the offer does not fit the connection that there is', async () => {
    const { session_id } = await session();
    worker.onOffer = 'has a connection';
    const answer = await offer(session_id);
    expect(codeOf(answer)).toEqual([409, 'offer_conflict']);
    expect(answer.json).toMatchObject({
      reason: 'webrtc_already_connected',
      detail: 'Send its pc_id, or restart_pc.',
    });
  });

  it('409 when the session is over, and when its place was given away', async () => {
    const { session_id: id } = await session();
    await worker.send(plane, worker.number(id, [mediaStarted('pc'), ended('caller_hangup', 2000)]));
    expect(codeOf(await offer(id))).toEqual([409, 'test_session_ended']);
    const { session_id: late } = await session();
    worker.held.delete(late);
    expect(codeOf(await offer(late))).toEqual([409, 'test_session_ended']);
  });

  it('503 when the worker breaks off or is not ready; the same offer again is taken', async () => {
    const { session_id: id } = await session();
    worker.onOffer = 'breaks';
    expect(codeOf(await offer(id))).toEqual([503, 'worker_unreachable']);
    worker.onOffer = 'is not ready';
    const answer = await offer(id);
    expect(codeOf(answer)).toEqual([503, 'webrtc_not_available']);
    expect((answer.json as { detail: string }).detail).toBe('mediasoup is being started again.');
    worker.onOffer = 'answers';
    expect((await offer(id)).status).toBe(200);
  });
});

describe('a WebRTC session', () => {
  it('cannot be transferred, and says why', async () => {
    const { session_id: id } = await session();
    await worker.send(plane, worker.number(id, [mediaStarted('pc')]));
    const answer = await post(`/calls/${id}/transfer`, { destination: '+15005550014' });
    expect(codeOf(answer)).toEqual([409, 'transfer_not_possible']);
  });

  it("is a test call: none of the tenant's calls, and a result when it is over", async () => {
    const { session_id: id } = await session({ voice_config: { llm: { provider: 'local' } } });
    const said = agentMessage(1, 'Tea, please.');
    if (said.kind !== 'turn') throw new Error('no turn');
    await worker.send(
      plane,
      worker.number(id, [
        mediaStarted('pc'),
        agentMessage(0, 'Hello Eve!'),
        { kind: 'turn', turn: { ...said.turn, role: 'caller', confidence: 1 } },
        ended('caller_hangup', 2000),
      ]),
    );
    const get = (path: string) => plane.request('GET', `/api/v1${path}`, { key });
    expect((await get(`/calls/${id}`)).json).toMatchObject({ carrier: 'webrtc', is_test_call: true });
    expect((await get('/calls?include_total=true')).json).toMatchObject({ calls: [], total: 0 });
    const { json } = await eventually(
      () => get(`/test-sessions/${id}/result`),
      ({ status }) => status === 200,
    );
    expect(json as TestSessionResult).toMatchObject({ kind: 'webrtc', call_id: id, ended: true, turns: 1 });
  });
});

describe('a worker that does not answer an offer in time', () => {
  it('is 504 worker_timeout, which may be tried again', async () => {
    const { internalSecret: secret } = plane.platform.config;
    const { session_id: id } = await session();
    worker.onOffer = 'is silent';
    const client = new WorkerClient({ secret, clock: systemClock, offerTimeoutMs: 50 });
    const outcome = await client.offer(worker.url, id, { sdp: SDP, type: 'offer' });
    expect(outcome).toEqual({ kind: 'timeout' });
    expect(() => answerFrom(outcome)).toThrow(
      expect.objectContaining({ code: 'worker_timeout', status: 504, retryable: true }),
    );
  });
});
