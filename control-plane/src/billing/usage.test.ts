import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callModel } from '../calls/record/model.js';
import { startTestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import type { UsageSummary } from './schemas.js';
import { BilledCalls, type BilledTenant, TWO_MINUTES_MS, TWO_MINUTES_USD } from './testing/billed-calls.js';
import { usageRow } from './testing/usage-rows.js';
import { usageModel } from './usage-model.js';
import { lastDays, monthOf } from './usage-summary.js';

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

const usageOf = async (key: string, query = '') =>
  (await calls.plane.request('GET', `/api/v1/billing/usage${query}`, { key })).json as UsageSummary;
const account = async (tenant: BilledTenant) =>
  (await calls.plane.internal('GET', `/internal/billing/tenants/${tenant.id}`)).json as Record<
    string,
    unknown
  >;

describe('the cost of a call', () => {
  // @rule 1.11
  it('is stored with the call after its end: STT, LLM, TTS, carrier, service and the total, in USD', async () => {
    const call = await calls.held(await calls.newTenant(), {
      durationMs: 90_000,
      usage: {
        stt: { provider: 'deepgram', model: 'nova-3', audio_ms: 90_000 },
        llm: { provider: 'openai', model: 'gpt-4.1-mini', input_tokens: 10_000, output_tokens: 500 },
        tts: { provider: 'elevenlabs', model: 'eleven_flash_v2_5', characters: 800 },
      },
    });
    expect(call.cost).toEqual({
      stt: 0.01155,
      llm: 0.0048,
      tts: 0.04,
      carrier: 0.028,
      service: 0.015,
      total: 0.09935,
      currency: 'usd',
    });
  });

  it('is what call.completed carries as cost_usd', async () => {
    const tenant = await calls.newTenant();
    await calls.held(tenant);
    const completed = await eventually(
      () => calls.eventsOf(tenant, 'call.completed'),
      (found) => found.length > 0,
    );
    expect(completed).toMatchObject([{ cost_usd: TWO_MINUTES_USD }]);
  });

  it('of a sandbox call is zero', async () => {
    const tenant = await calls.newTenant();
    const call = await calls.held(tenant, {
      sandbox: true,
      usage: { stt: { provider: 'deepgram', model: 'nova-3', audio_ms: 90_000 } },
    });
    expect(call.cost?.total).toBe(0);
    expect(await account(tenant)).toMatchObject({ spent_usd: 0 });
  });

  it('is reckoned and charged once, however often the step runs', async () => {
    const tenant = await calls.newTenant();
    const { id } = await calls.held(tenant);
    const model = callModel(calls.plane.testStore());
    await eventually(async () => (await model.findById(id).lean())?.post_call_due_at === null);
    // As a replica leaves it that was killed before it noted the step as done.
    await model.updateOne(
      { _id: id },
      {
        $set: {
          cost: null,
          post_call_done: [],
          post_call_due_at: new Date(0),
          post_call_lease_until: new Date(0),
        },
      },
    );
    await eventually(async () => (await calls.get(tenant, id)).cost !== null);
    expect(await account(tenant)).toMatchObject({ spent_usd: TWO_MINUTES_USD });
    expect((await usageOf(tenant.liveKey)).totals.calls).toBe(1);
  });
});

describe('GET /api/v1/billing/usage', () => {
  // @rule 4.28
  it('has totals for the current calendar month plus a daily breakdown, 30 days by default', async () => {
    const tenant = await calls.newTenant();
    await calls.held(tenant);
    await calls.held(tenant, { durationMs: 30_000 });
    const summary = await usageOf(tenant.liveKey);
    const { start, end } = monthOf(Date.now());
    expect(summary).toMatchObject({ sandbox: false, currency: 'usd', period: { start, end }, days: 30 });
    expect(summary.totals).toMatchObject({
      calls: 2,
      answered_calls: 2,
      minutes: 2.5,
      carrier_minutes: 3,
      cost: { carrier: 0.042, service: 0.025, total: 0.067 },
    });
    expect(summary.daily.map(({ date }) => date)).toEqual(lastDays(Date.now(), 30));
    expect(summary.daily.at(-1)).toMatchObject({ calls: 2, cost: { total: 0.067 } });
    expect(summary.daily.slice(0, -1).every((day) => day.calls === 0 && day.cost.total === 0)).toBe(true);
  });

  it('counts a voicemail as a call that nobody answered, with its minutes', async () => {
    const tenant = await calls.newTenant();
    await calls.held(tenant);
    await calls.held(tenant, { endReason: 'voicemail', durationMs: 30_000 });
    const { totals } = await usageOf(tenant.liveKey);
    expect(totals).toMatchObject({ calls: 2, answered_calls: 1, minutes: 2.5 });
    const overview = await calls.plane.request('GET', '/api/v1/analytics/overview', { key: tenant.liveKey });
    expect(overview.json).toMatchObject({
      totals: { calls: 2, answered: 1, duration_ms: TWO_MINUTES_MS + 30_000 },
      answer_rate: 0.5,
      average_duration_ms: TWO_MINUTES_MS,
    });
  });

  it('reports the tokens of speech-to-speech models by modality, in the totals and in the detail of the call', async () => {
    const tenant = await calls.newTenant();
    const realtime = {
      provider: 'openai',
      model: 'gpt-realtime',
      audio_ms: TWO_MINUTES_MS,
      input_audio_tokens: 2000,
      input_text_tokens: 500,
      cached_audio_tokens: 1000,
      cached_text_tokens: 0,
      output_audio_tokens: 600,
      output_text_tokens: 100,
    };
    const segments = [{ kind: 'realtime' as const, fallback: false, ...realtime }];
    const { id, cost } = await calls.held(tenant, { usage: { realtime, segments } });
    // Audio: 1,000 at 32, 1,000 cached at 0.40, 600 at 64; text: 500 at 4, 100 at 16 USD a million.
    expect(cost).toMatchObject({ stt: 0, llm: 0.0744, tts: 0 });
    const { totals } = await usageOf(tenant.liveKey);
    const { provider: _p, model: _m, audio_ms: _a, ...counts } = realtime;
    expect(totals.realtime).toEqual({ minutes: 2, ...counts });
    expect(totals.cost.llm).toBe(cost?.llm);
    const path = `/api/v1/calls/${id}/detail`;
    const detail = await calls.plane.request('GET', path, { key: tenant.liveKey });
    expect(detail.json).toMatchObject({ usage: { realtime }, metrics: { line: null } });
  });

  it("counts a call for the day on which it ended; the month's totals leave other months out", async () => {
    const tenant = await calls.newTenant();
    const then = Date.now() - 40 * 86_400_000;
    await usageModel(calls.plane.testStore()).insertMany([
      usageRow({ tenant_id: tenant.id, ended_at: new Date(then) }),
    ]);
    const summary = await usageOf(tenant.liveKey, '?days=90');
    expect(summary.daily).toHaveLength(90);
    expect(summary.totals.calls).toBe(0);
    expect(summary.daily.at(-41)).toMatchObject({
      date: new Date(then).toISOString().slice(0, 10),
      calls: 1,
    });
    expect((await usageOf(tenant.liveKey, '?days=7')).daily.every((day) => day.calls === 0)).toBe(true);
  });

  it('shows a sandbox key the usage of the sandbox, which costs nothing', async () => {
    const tenant = await calls.newTenant();
    await calls.held(tenant, { sandbox: true });
    expect(await usageOf(tenant.sandboxKey)).toMatchObject({
      sandbox: true,
      totals: { calls: 1, minutes: 2, cost: { total: 0 } },
    });
    expect((await usageOf(tenant.liveKey)).totals.calls).toBe(0);
  });

  // @rule 8.10
  it.each(['0', '91', '-1', 'x', '1.5'])('refuses days=%s: 1..90', async (days) => {
    const { key } = await calls.plane.newKey();
    expect((await calls.plane.request('GET', `/api/v1/billing/usage?days=${days}`, { key })).status).toBe(
      422,
    );
  });
});

describe('without a payment provider', () => {
  it('usage is kept; setup and checkout answer 503, the portal 409', async () => {
    const { liveKey: key } = await calls.newTenant();
    const ask = async (path: string, body?: object) => {
      const { status, json } = await calls.plane.request('POST', `/api/v1/billing/${path}`, { key, body });
      return [status, (json as { code: string }).code];
    };
    expect(await ask('setup')).toEqual([503, 'payment_provider_not_configured']);
    expect(await ask('checkout', { plan: 'starter' })).toEqual([503, 'payment_provider_not_configured']);
    expect(await ask('portal')).toEqual([409, 'payment_customer_missing']);
  });
});
