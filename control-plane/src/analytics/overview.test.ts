import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BilledCalls, type BilledTenant, TWO_MINUTES_USD } from '../billing/testing/billed-calls.js';
import { metricsOf } from '../calls/testing/events.js';
import { startTestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import type { OverviewResponse, TrendsResponse } from './schemas.js';

const DAY_MS = 86_400_000;

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

const overview = async (key: string) => {
  const answer = await calls.plane.request('GET', '/api/v1/analytics/overview', { key });
  expect(answer.status).toBe(200);
  return answer.json as OverviewResponse;
};

/** Stores a production call as the overview sees it. */
const stored = (tenant: BilledTenant, fields: Record<string, unknown>) =>
  calls.plane.platform.store.collection('calls').insertOne({
    _id: newId() as never,
    tenant_id: tenant.id,
    sandbox: false,
    status: 'COMPLETED',
    created_at: new Date(),
    started_at: new Date(),
    duration_ms: 1000,
    campaign_id: null,
    outcome: null,
    cost: null,
    ...fields,
  });

async function campaign(tenant: BilledTenant, name: string, labels: string[]): Promise<string> {
  const id = newId();
  await calls.plane.platform.store.collection('campaigns').insertOne({
    _id: id as never,
    tenant_id: tenant.id,
    sandbox: false,
    published: true,
    name,
    status: 'running',
    outcome_labels: labels,
  });
  return id;
}

describe('GET /api/v1/analytics/overview', () => {
  it('is empty and whole for a new tenant', async () => {
    const { liveKey } = await calls.newTenant();
    const empty = await overview(liveKey);
    expect(empty).toMatchObject({
      totals: { calls: 0, completed: 0, duration_ms: 0, cost_usd: 0 },
      answer_rate: null,
      average_duration_ms: null,
      response_latency_ms: { p50: null, p95: null },
      campaigns: [],
      primary_outcomes: [],
    });
    expect(empty.by_day).toHaveLength(30);
    expect(empty.by_status).toEqual({
      QUEUED: 0,
      RINGING: 0,
      IN_PROGRESS: 0,
      COMPLETED: 0,
      FAILED: 0,
      BUSY: 0,
      NO_ANSWER: 0,
      VOICEMAIL: 0,
    });
  });

  it('has totals, statuses, days, the average duration and the cost', async () => {
    const tenant = await calls.newTenant();
    await stored(tenant, { duration_ms: 30_000, cost: { stt: 1, llm: 2, tts: 3, carrier: 4, service: 90 } });
    await stored(tenant, { duration_ms: 10_000, created_at: new Date(Date.now() - 3 * DAY_MS) });
    await stored(tenant, { status: 'BUSY', started_at: null, duration_ms: 0 });
    await stored(tenant, { status: 'FAILED', started_at: null, duration_ms: 0 });
    await stored(tenant, { status: 'IN_PROGRESS', duration_ms: null });
    await stored(tenant, { created_at: new Date(Date.now() - 31 * DAY_MS) });
    const body = await overview(tenant.liveKey);
    expect(body.totals).toEqual({
      calls: 5,
      answered: 3,
      completed: 2,
      failed: 1,
      live: 1,
      duration_ms: 40_000,
      cost_usd: 0.0001,
    });
    expect(body.by_status).toMatchObject({ COMPLETED: 2, BUSY: 1, FAILED: 1, IN_PROGRESS: 1 });
    expect([body.answer_rate, body.completion_rate, body.average_duration_ms]).toEqual([0.5, 0.5, 20_000]);
    expect(body.by_day.at(-1)).toMatchObject({ calls: 4, completed: 1, duration_ms: 30_000 });
    expect(body.by_day.at(-4)).toMatchObject({ calls: 1, duration_ms: 10_000 });
  });

  // @rule 4.26
  it('counts a campaign by its primary outcome: the first of its labels, or Completed without labels', async () => {
    const tenant = await calls.newTenant();
    const labelled = await campaign(tenant, 'Spring', ['sold', 'lost']);
    const plain = await campaign(tenant, 'Reminders', []);
    for (const outcome of ['sold', 'lost', 'lost', null]) {
      await stored(tenant, { campaign_id: labelled, outcome });
    }
    await stored(tenant, { campaign_id: plain, outcome: 'goal_reached' });
    await stored(tenant, { campaign_id: plain, status: 'NO_ANSWER' });
    const body = await overview(tenant.liveKey);
    expect(body.campaigns).toEqual([
      {
        campaign_id: labelled,
        name: 'Spring',
        status: 'running',
        primary_outcome: 'sold',
        calls: 4,
        primary_outcome_count: 1,
        primary_outcome_rate: 0.25,
      },
      {
        campaign_id: plain,
        name: 'Reminders',
        status: 'running',
        primary_outcome: 'Completed',
        calls: 2,
        primary_outcome_count: 1,
        primary_outcome_rate: 1,
      },
    ]);
    expect(body.primary_outcomes).toEqual([
      { outcome: 'Completed', campaigns: 1, calls: 2, count: 1 },
      { outcome: 'sold', campaigns: 1, calls: 4, count: 1 },
    ]);
  });

  // @rule 5.8
  it('keeps production and sandbox, and tenants, apart', async () => {
    const tenant = await calls.newTenant();
    await stored(tenant, {});
    await stored(tenant, { sandbox: true });
    await stored(tenant, { sandbox: true });
    expect((await overview(tenant.liveKey)).totals.calls).toBe(1);
    expect(await overview(tenant.sandboxKey)).toMatchObject({ sandbox: true, totals: { calls: 2 } });
    expect((await overview((await calls.newTenant()).liveKey)).totals.calls).toBe(0);
  });

  it('measures response latencies and cost of real calls', async () => {
    const tenant = await calls.newTenant();
    await calls.held(tenant, { events: [metricsOf(1, 400), metricsOf(2, 800)] });
    await calls.held(tenant, { events: [metricsOf(1, 600)] });
    const body = await overview(tenant.liveKey);
    expect(body.response_latency_ms).toEqual({ p50: 600, p95: 800 });
    expect(body.totals).toMatchObject({ calls: 2, completed: 2, cost_usd: 2 * TWO_MINUTES_USD });
  });
});

describe('GET /api/v1/analytics/trends', () => {
  const trends = async (key: string, query = '') => {
    const answer = await calls.plane.request('GET', `/api/v1/analytics/trends${query}`, { key });
    return { status: answer.status, body: answer.json as TrendsResponse };
  };

  it('sums calls of last year up by month and by agent, with nothing of other days', async () => {
    const tenant = await calls.newTenant();
    const at = (day: string) => ({ created_at: new Date(`${day}T23:59:59.999Z`) });
    const cost = { stt: 0, llm: 0, tts: 0, carrier: 0, service: 1_500_000 };
    const gone = newId();
    await stored(tenant, { ...at('2024-12-31'), agent_id: gone });
    await stored(tenant, { ...at('2025-01-01'), agent_id: tenant.agentId, duration_ms: 5000 });
    await stored(tenant, { ...at('2025-01-31'), agent_id: gone, cost });
    await stored(tenant, { ...at('2025-02-28'), agent_id: gone, status: 'BUSY', started_at: null });
    await stored(tenant, { ...at('2025-03-01'), agent_id: gone });
    const { body } = await trends(tenant.liveKey, '?start=2025-01-01&end=2025-02-28&bucket=month');
    expect(body.period).toEqual({ start: '2025-01-01', end: '2025-02-28', days: 59, bucket: 'month' });
    expect(body.totals).toMatchObject({ calls: 3, answered: 2, completed: 2, cost_usd: 1.5, live: 0 });
    expect(body.buckets).toMatchObject([
      { start: '2025-01-01', end: '2025-01-31', calls: 2, duration_ms: 6000, cost_usd: 1.5 },
      { start: '2025-02-01', end: '2025-02-28', calls: 1, answered: 0, cost_usd: 0 },
    ]);
    expect(body.by_agent).toMatchObject([
      { agent_id: gone, name: null, calls: 2, cost_usd: 1.5 },
      { agent_id: tenant.agentId, name: expect.any(String), calls: 1, duration_ms: 5000 },
    ]);
    expect(body.by_status).toMatchObject({ COMPLETED: 2, BUSY: 1 });
  });

  it('has p50, p95 and p99 of the latency of each day, and of all of them', async () => {
    const tenant = await calls.newTenant();
    await calls.held(tenant, { events: [metricsOf(1, 400), metricsOf(2, 800)] });
    const { body } = await trends(tenant.liveKey);
    expect(body.response_latency_ms).toEqual({ turns: 2, p50: 400, p95: 800, p99: 800 });
    expect(body.buckets).toHaveLength(30);
    expect(body.buckets.at(-1)?.response_latency_ms).toEqual(body.response_latency_ms);
    expect(body.buckets[0]?.response_latency_ms).toEqual({ turns: 0, p50: null, p95: null, p99: null });
    expect((await trends(tenant.sandboxKey)).body).toMatchObject({ sandbox: true, totals: { calls: 0 } });
    expect(await trends(tenant.liveKey, '?start=2025-13-01')).toMatchObject({ status: 422 });
    expect(await trends(tenant.liveKey, '?start=2025-02-01&end=2025-01-01')).toMatchObject({ status: 422 });
  });
});
