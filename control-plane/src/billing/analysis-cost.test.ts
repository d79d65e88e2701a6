import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../loadtest/emulators/openai/server.js';
import { type StripeEmulator, startStripeEmulator } from '../../../loadtest/emulators/stripe/server.js';
import { analysisModel } from '../calls/record/analysis-model.js';
import { agentMessage } from '../calls/testing/events.js';
import { startTestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { BilledCalls, type BilledTenant, TWO_MINUTES_USD } from './testing/billed-calls.js';

let store: TestStore;
let openai: OpenAiEmulator;
let stripe: StripeEmulator;
let calls: BilledCalls;

const ANALYSIS = { summary: 'A greeting.', outcome: 'goal_reached', outcome_score: 1, sentiment: 'neutral' };
/** USD of a token of gpt-4.1-mini, the default model. */
const INPUT = 0.4e-6;
const OUTPUT = 1.6e-6;

beforeAll(async () => {
  store = await startTestStore();
  openai = await startOpenAiEmulator({
    apiKeys: ['good'],
    script: [{ forSchema: 'analysis', say: JSON.stringify(ANALYSIS) }],
  });
  stripe = await startStripeEmulator({ secretKey: 'sk_test_x', prices: ['price_usage'] });
  calls = await BilledCalls.start((env) =>
    startTestControlPlane(store.uri, {
      env: {
        ...env,
        OPENAI_API_KEY: 'good',
        OPENAI_BASE_URL: openai.baseUrl,
        BILLING: 'off',
        STRIPE_SECRET_KEY: 'sk_test_x',
        STRIPE_API_URL: stripe.url,
        STRIPE_WEBHOOK_SECRET: 'whsec_of_the_test',
        STRIPE_PRICE_ID: 'price_usage',
      },
    }),
  );
});
afterAll(async () => {
  await calls?.close();
  await openai?.close();
  await stripe?.close();
  await store?.close();
});
beforeEach(() => {
  Object.assign(openai.faults, { failNext: 0 });
});

const tenantWith = (llm: object) =>
  calls.newTenant(undefined, {
    voice_config: {
      stt: { provider: 'local' },
      llm: { provider: 'openai', ...llm },
      tts: { provider: 'local' },
    },
  });
/** A call of two minutes in which something was said. */
const talked = (tenant: BilledTenant, options: Parameters<BilledCalls['held']>[1] = {}) =>
  calls.held(tenant, { ...options, events: [agentMessage(0, 'Hello!')] });
const spentBy = async ({ id }: BilledTenant) =>
  (await calls.plane.internal('GET', `/internal/billing/tenants/${id}`)).json as object;

async function analysisOf(callId: string) {
  const row = (await analysisModel(calls.plane.testStore()).findById(callId).lean())!;
  return { ...row, usd: row.input_tokens * INPUT + row.output_tokens * OUTPUT };
}

describe("a call's analysis", () => {
  // @rule 1.11
  it('is a part of what the language model cost: shown, charged and counted with the call, once', async () => {
    const tenant = await tenantWith({});
    const llm = { provider: 'openai', model: 'gpt-4.1-mini', input_tokens: 10_000, output_tokens: 500 };
    const call = await talked(tenant, { usage: { llm } });
    const analysis = await analysisOf(call.id);
    expect(analysis).toMatchObject({ status: 'complete', llm_model: 'gpt-4.1-mini' });
    expect(analysis.input_tokens).toBeGreaterThan(100);
    expect(call.cost?.llm).toBeCloseTo(0.0048 + analysis.usd, 6);
    expect(await spentBy(tenant)).toMatchObject({ spent_usd: call.cost?.total });
    const usage = await calls.plane.request('GET', '/api/v1/billing/usage', { key: tenant.liveKey });
    expect(usage.json).toMatchObject({
      totals: {
        llm_input_tokens: 10_000 + analysis.input_tokens,
        llm_output_tokens: 500 + analysis.output_tokens,
        cost: { total: call.cost?.total },
      },
    });
  });

  // @rule 1.13
  it('is in the meter event, which carries the final sum', async () => {
    const tenant = await tenantWith({});
    await calls.plane.request('POST', '/api/v1/billing/setup', { key: tenant.liveKey });
    const call = await talked(tenant);
    expect(call.cost?.llm).toBeGreaterThan(0);
    const meterEvent = await eventually(() =>
      stripe.account.meterEvents.find(({ identifier }) => identifier === `call_${call.id}`),
    );
    expect(Number(meterEvent!.payload.value)).toBeCloseTo((call.cost?.total ?? 0) * 1_000_000, 0);
  });

  it('is in cost_usd of call.completed, which waits for it', async () => {
    const tenant = await tenantWith({});
    const call = await talked(tenant);
    expect(call.cost?.total).toBeGreaterThan(TWO_MINUTES_USD);
    const [completed] = await eventually(
      () => calls.eventsOf(tenant, 'call.completed'),
      (found) => found.length === 1,
    );
    expect(completed).toMatchObject({ cost_usd: call.cost?.total });
  });

  it("by the tenant's own key costs nothing", async () => {
    const call = await talked(await tenantWith({ params: { api_key: 'good' } }));
    expect(await analysisOf(call.id)).toMatchObject({ status: 'complete' });
    expect(call.cost).toMatchObject({ llm: 0, total: TWO_MINUTES_USD });
  });

  it('that failed costs nothing, and holds nothing else up', async () => {
    Object.assign(openai.faults, { failNext: 1, failStatus: 400 });
    const call = await talked(await tenantWith({}));
    expect(await analysisOf(call.id)).toMatchObject({ status: 'failed' });
    expect(call.cost).toMatchObject({ llm: 0, total: TWO_MINUTES_USD });
  });
});

describe('a call whose provider was replaced', () => {
  // @rule 1.11
  it('costs what each provider did, at its own rate', async () => {
    const tenant = await tenantWith({});
    const stt = { kind: 'stt', provider: 'deepgram', model: 'nova-3', fallback: false } as const;
    const call = await calls.held(tenant, {
      usage: {
        stt: { provider: 'deepgram', model: 'nova-3', audio_ms: 120_000 },
        segments: [
          { ...stt, audio_ms: 60_000 },
          { ...stt, provider: 'openai', model: 'gpt-4o-mini-transcribe', fallback: true, audio_ms: 60_000 },
        ],
      },
    });
    expect(call.cost).toMatchObject({ stt: 0.0107, llm: 0 });
  });
});
