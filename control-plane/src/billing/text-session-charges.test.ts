import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RATES } from '../platform/money/rates.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { settleEntry } from './charge.js';
import type { Ledger } from './ledger.js';
import { ledgerOn } from './testing/ledgers.js';
import { RecordedEvents } from './testing/recorded-events.js';
import { usageRow } from './testing/usage-rows.js';
import { TextSessionCharges } from './text-session-charges.js';
import { type UsageModel, usageModel } from './usage-model.js';

let store: TestStore;
let usage: UsageModel;
let ledger: Ledger;
let charges: TextSessionCharges;
let events: RecordedEvents;
let planned: [tenant: string, id: string, value: number][];
let tenant: TenantId;
const clock = new ScriptedClock();
const choice = (provider: string, params = {}) => ({ provider, model: '', params });
const agentWith = (llm: ReturnType<typeof choice>) => ({
  voice_config: { stt: choice('local'), llm, tts: choice('local') },
  fallback_voice_config: {},
});
const agent = agentWith(choice('openai'));
/** 10,000 at 0.40 and 500 at 1.60 USD a million. */
const tokens = { model: 'gpt-4.1-mini', inputTokens: 10_000, outputTokens: 500 };
const COST = 4_800;

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  usage = usageModel(connection);
  const plan = async (...usage: (typeof planned)[number]) => void planned.push(usage);
  ledger = ledgerOn(connection, clock, {
    onPosted: (entry) => settleEntry({ events, metering: { plan, planOverdraft: plan } }, entry),
  });
});
afterAll(() => store?.close());
beforeEach(async () => {
  // Of the test before.
  await ledger.flush();
  tenant = newTenantId();
  planned = [];
  events = new RecordedEvents();
  charges = new TextSessionCharges({ usage, ledger, rates: RATES, clock });
});

describe('a test session in text', () => {
  it('is charged what its model used, and counts as no call', async () => {
    const id = newId();
    await charges.charge({ tenant, sandbox: false }, { id, agent, tokens });
    expect(await usage.findById(id).lean()).toEqual(
      usageRow({
        _id: id,
        tenant_id: tenant,
        ended_at: new Date(clock.now()),
        test_session: true,
        llm_input_tokens: 10_000,
        llm_output_tokens: 500,
        realtime: {
          audio_ms: 0,
          input_audio_tokens: 0,
          input_text_tokens: 0,
          cached_audio_tokens: 0,
          cached_text_tokens: 0,
          output_audio_tokens: 0,
          output_text_tokens: 0,
        },
        cost: { stt: 0, llm: COST, tts: 0, carrier: 0, service: 0 },
        total: COST,
      }),
    );
    expect(await ledger.stateOf(tenant)).toMatchObject({ totalSpent: COST });
    await ledger.flush();
    expect(planned).toEqual([[tenant, id, COST]]);
  });

  it.each([
    ['openai', COST],
    // 10,000 at 0.10 and 500 at 0.50 USD a million.
    ['anthropic', 1_250],
  ])(
    "is charged what the provider's default model costs where the agent names none: %s",
    async (provider, cost) => {
      const used = { id: newId(), agent: agentWith(choice(provider)), tokens: { ...tokens, model: '' } };
      await charges.charge({ tenant, sandbox: false }, used);
      expect(await ledger.stateOf(tenant)).toMatchObject({ totalSpent: cost });
    },
  );

  it('is charged once, however often it is said', async () => {
    const id = newId();
    await charges.charge({ tenant, sandbox: false }, { id, agent, tokens });
    await charges.charge({ tenant, sandbox: false }, { id, agent, tokens: { ...tokens, inputTokens: 1 } });
    expect(await ledger.stateOf(tenant)).toMatchObject({ totalSpent: COST });
  });

  it('is charged where the model read or wrote alone', async () => {
    const scope = { tenant, sandbox: false };
    await charges.charge(scope, { id: newId(), agent, tokens: { ...tokens, outputTokens: 0 } });
    await charges.charge(scope, { id: newId(), agent, tokens: { ...tokens, inputTokens: 0 } });
    expect(await ledger.stateOf(tenant)).toMatchObject({ totalSpent: COST });
    // As many in as out are no reason not to.
    await charges.charge(scope, { id: newId(), agent, tokens: { ...tokens, inputTokens: 500 } });
    expect(await ledger.stateOf(tenant)).toMatchObject({ totalSpent: COST + 200 + 800 });
  });

  it('is not charged in the sandbox, nor without a token; none of it is kept', async () => {
    await charges.charge({ tenant, sandbox: true }, { id: newId(), agent, tokens });
    const nothing = { ...tokens, inputTokens: 0, outputTokens: 0 };
    await charges.charge({ tenant, sandbox: false }, { id: newId(), agent, tokens: nothing });
    expect(await usage.countDocuments({ tenant_id: tenant })).toBe(0);
    expect(await ledger.stateOf(tenant)).toMatchObject({ totalSpent: 0 });
  });

  it("by the tenant's own key is counted, and costs nothing", async () => {
    const id = newId();
    const own = agentWith(choice('openai', { api_key: 'mine' }));
    await charges.charge({ tenant, sandbox: false }, { id, agent: own, tokens });
    expect(await usage.findById(id).lean()).toMatchObject({ llm_input_tokens: 10_000, total: 0 });
    expect(await ledger.stateOf(tenant)).toMatchObject({ totalSpent: 0 });
    await ledger.flush();
    expect(planned).toEqual([]);
  });

  it('is billed as far as no credit covers it, and the end of the credit is published', async () => {
    await ledger.enter(tenant, newId(), { kind: 'credit', amount: COST, reason: '' });
    const id = newId();
    await charges.charge({ tenant, sandbox: false }, { id, agent, tokens });
    await ledger.flush();
    expect(planned).toEqual([]);
    expect(events.all).toMatchObject([{ type: 'usage.credit_exhausted', data: { last_call_id: id } }]);
  });
});
