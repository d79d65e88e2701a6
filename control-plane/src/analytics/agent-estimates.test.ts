import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BilledCalls, TWO_MINUTES_USD } from '../billing/testing/billed-calls.js';
import { metricsOf } from '../calls/testing/events.js';
import { startTestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import type { AgentEstimateResponse } from './schemas.js';

let store: TestStore;
let calls: BilledCalls;
beforeAll(async () => {
  store = await startTestStore();
  calls = await BilledCalls.start((env) => startTestControlPlane(store.uri, { env }));
});
afterAll(async () => {
  await calls?.close();
  await store?.close();
});

const estimate = async (key: string, agentId: string, query = '') => {
  const answer = await calls.plane.request('GET', `/api/v1/agents/${agentId}/estimate${query}`, { key });
  return { status: answer.status, body: answer.json as AgentEstimateResponse };
};
const estimateChange = async (key: string, agentId: string, change: object) => {
  const path = `/api/v1/agents/${agentId}/estimate`;
  const answer = await calls.plane.request('POST', path, { key, body: change });
  return { status: answer.status, body: answer.json as AgentEstimateResponse };
};
const CASCADE = {
  stt: { provider: 'deepgram', model: 'nova-3', params: {} },
  llm: { provider: 'openai', model: 'gpt-4.1-mini', params: {} },
  tts: { provider: 'elevenlabs', model: 'eleven_flash_v2_5', params: {} },
};

describe('GET /api/v1/agents/{agent_id}/estimate', () => {
  it('sums a typical minute up by the price lists, before there is a call', async () => {
    const { liveKey, agentId } = await calls.newTenant(undefined, { voice_config: CASCADE });
    const { body } = await estimate(liveKey, agentId);
    expect(body).toMatchObject({ agent_id: agentId, version: 1, measured: null });
    const { total, ...parts } = body.cost_per_minute;
    for (const [part, usd] of Object.entries(parts)) expect(usd, part).toBeGreaterThan(0);
    const sum = Object.values(parts).reduce((all, usd) => all + usd, 0);
    expect(total).toBeCloseTo(sum, 6);
  });

  it('charges nothing for what runs on the tenant’s own account', async () => {
    const own = { ...CASCADE, llm: { ...CASCADE.llm, params: { api_key: 'sk-of-the-tenant' } } };
    const { liveKey, agentId } = await calls.newTenant(undefined, { voice_config: own });
    expect((await estimate(liveKey, agentId)).body.cost_per_minute).toMatchObject({ llm: 0 });
  });

  it('says what the carrier charges for the number that is to be called', async () => {
    const { liveKey, agentId } = await calls.newTenant();
    const [us, germany] = await Promise.all(
      ['', '?to_number=%2B4915112345678'].map((query) => estimate(liveKey, agentId, query)),
    );
    expect(germany!.body.cost_per_minute.carrier).toBeGreaterThan(us!.body.cost_per_minute.carrier);
    expect(await estimate(liveKey, agentId, '?to_number=12')).toMatchObject({ status: 422 });
  });

  it('is measured by the agent’s completed calls of the mode', async () => {
    const tenant = await calls.newTenant();
    await calls.held(tenant, { events: [400, 500, 900].map((ms, turn) => metricsOf(turn, ms)) });
    const { body } = await estimate(tenant.liveKey, tenant.agentId);
    expect(body.measured).toEqual({
      calls: 1,
      cost_per_minute: TWO_MINUTES_USD / 2,
      response_latency_ms: { p50: 500, p95: 900 },
    });
    expect((await estimate(tenant.sandboxKey, tenant.agentId)).body.measured).toBeNull();
  });

  it('is none of another tenant’s agent', async () => {
    const [mine, theirs] = await Promise.all([calls.newTenant(), calls.newTenant()]);
    expect(await estimate(mine.liveKey, theirs.agentId)).toMatchObject({
      status: 404,
      body: { code: 'agent_not_found' },
    });
  });
});

describe('POST /api/v1/agents/{agent_id}/estimate', () => {
  it('is what the agent costs with the change, which is not saved', async () => {
    const { liveKey, agentId } = await calls.newTenant(undefined, { voice_config: CASCADE });
    const { body: saved } = await estimate(liveKey, agentId);
    const llm = { provider: 'openai', model: 'gpt-4.1', params: {} };
    const { body } = await estimateChange(liveKey, agentId, { voice_config: { llm } });
    expect(body).toMatchObject({ version: 1, cost_per_minute: { tts: saved.cost_per_minute.tts } });
    expect(body.cost_per_minute.llm).toBeGreaterThan(saved.cost_per_minute.llm);
    expect((await estimate(liveKey, agentId)).body).toEqual(saved);
    expect((await estimateChange(liveKey, agentId, {})).body).toEqual(saved);
  });

  it('keeps the tenant’s own account, whose key is not shown', async () => {
    const llm = { ...CASCADE.llm, params: { api_key: 'sk-of-the-tenant' } };
    const { liveKey, agentId } = await calls.newTenant(undefined, { voice_config: { ...CASCADE, llm } });
    const { body } = await estimateChange(liveKey, agentId, { voice_config: CASCADE });
    expect(body.cost_per_minute.llm).toBe(0);
  });

  it('is measured by the calls that were held with the same providers and models', async () => {
    const tenant = await calls.newTenant();
    const { liveKey, agentId } = tenant;
    await calls.held(tenant, { events: [400, 500, 900].map((ms, turn) => metricsOf(turn, ms)) });
    const change = { voice_config: { llm: CASCADE.llm } };
    expect((await estimateChange(liveKey, agentId, change)).body.measured).toBeNull();
    await calls.plane.request('PATCH', `/api/v1/agents/${agentId}`, { key: liveKey, body: change });
    expect((await estimateChange(liveKey, agentId, {})).body.measured).toBeNull();
    const { body } = await estimateChange(liveKey, agentId, { voice_config: { llm: { provider: 'local' } } });
    expect(body).toMatchObject({ version: 2, measured: { calls: 1, response_latency_ms: { p50: 500 } } });
  });

  it('expects an answer as its turn-taking has it, by the calls that were held with the same providers', async () => {
    const tenant = await calls.newTenant();
    const { liveKey, agentId } = tenant;
    const turn = (n: number) => {
      const event = metricsOf(n, 1010);
      const stages = { end_of_turn_delay_ms: 400, stt_final_ms: 300, llm_first_token_ms: 900 };
      return { ...event, metrics: { ...event.metrics, ...stages, tts_first_audio_ms: 1000 } };
    };
    await calls.held(tenant, { events: [0, 1, 2, 3, 4].map(turn) });
    const { body: saved } = await estimate(liveKey, agentId);
    expect(saved.expected_latency).toMatchObject({ basis: 'measured', response_latency_ms: 1010, turns: 5 });
    const slower = await estimateChange(liveKey, agentId, { turn_taking: { min_endpointing_ms: 900 } });
    expect(slower.body.expected_latency).toMatchObject({
      basis: 'composed',
      // Its answers were not begun early: nothing is taken off for that.
      response_latency_ms: 1510,
      is_at_least: false,
    });
    const other = await estimateChange(liveKey, agentId, { voice_config: { llm: CASCADE.llm } });
    expect(other.body.expected_latency).toMatchObject({ basis: 'composed', turns: 0, is_at_least: true });
    const refused = { turn_taking: { min_endpointing_ms: 4000 } };
    expect(await estimateChange(liveKey, agentId, refused)).toMatchObject({ status: 422 });
  });

  it('refuses what no agent could be, and is none of another tenant’s', async () => {
    const [mine, theirs] = await Promise.all([calls.newTenant(), calls.newTenant()]);
    const realtime = { voice_config: { realtime: { provider: 'openai' } } };
    expect(await estimateChange(mine.liveKey, mine.agentId, realtime)).toMatchObject({ status: 422 });
    expect(await estimateChange(mine.liveKey, mine.agentId, { voices: {} })).toMatchObject({ status: 422 });
    expect(await estimateChange(mine.liveKey, theirs.agentId, {})).toMatchObject({ status: 404 });
  });
});
