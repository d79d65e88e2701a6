import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { derivedId, newId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import { createLog, silentLog } from '@voice/shared/log/log';
import type { Connection } from 'mongoose';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startStripeEmulator } from '../../../loadtest/emulators/stripe/server.js';
import { callModel } from '../calls/record/model.js';
import { ended } from '../calls/testing/events.js';
import { rollupModel, rollupStateModel } from '../platform/rollups/model.js';
import { SecretBox } from '../platform/secrets/secret-box.js';
import { type TestEnvironment, testConfig } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import type { Ledger } from './ledger.js';
import { ledgerModel } from './ledger-model.js';
import { createBillingModule } from './module.js';
import { ledgerOn } from './testing/ledgers.js';
import { RecordedEvents } from './testing/recorded-events.js';
import { endedCall } from './testing/stored-calls.js';
import { usageRow } from './testing/usage-rows.js';
import { type UsageRow, usageModel } from './usage-model.js';

const secrets = new SecretBox('a key for secrets at rest, for tests');
const STRIPE = {
  STRIPE_SECRET_KEY: 'sk_test_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_x',
  STRIPE_API_URL: 'http://127.0.0.1:9',
};

let store: TestStore;
let connection: Connection;
let ledger: Ledger;
let tenant: TenantId;
const clock = new ScriptedClock();

beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
  ledger = ledgerOn(connection, clock);
});
afterAll(() => store?.close());
beforeEach(() => {
  tenant = newTenantId();
});

const billing = (env: TestEnvironment = {}, log = silentLog) => {
  const config = testConfig(store.uri, env);
  const platform = { config, clock, log, store: connection, metrics: new Registry(), secrets };
  return createBillingModule({
    platform: { ...platform, publicUrl: () => 'https://voice.example.com' } as never,
    events: new RecordedEvents(),
    calls: callModel(connection),
    tenantExists: async () => true,
    rollups: { rows: rollupModel(connection), states: rollupStateModel(connection) },
  });
};
const recorded = (fields: Partial<UsageRow>) =>
  usageModel(connection).insertMany([usageRow({ tenant_id: tenant, ...fields })]);

it('is called billing, in the log, too', () => {
  const fields: object[] = [];
  const log = { ...silentLog, child: (of: object) => fields.push(of) && silentLog };
  expect(billing({}, log as never).name).toBe('billing');
  expect(fields).toEqual([{ module: 'billing' }]);
});

describe('who may begin what costs', () => {
  it('is everybody where billing is off, and in the sandbox', async () => {
    await expect(billing({ BILLING: 'off' }).admit({ tenant, sandbox: false })).resolves.toBeUndefined();
    const required = billing({ BILLING: 'required' });
    await expect(required.admit({ tenant, sandbox: true })).resolves.toBeUndefined();
  });

  it('needs a payment method or credit where billing is required', async () => {
    const required = billing({ BILLING: 'required' });
    const refused = { status: 402, code: 'payment_method_required' };
    await expect(required.admit({ tenant, sandbox: false })).rejects.toMatchObject(refused);
    await ledger.enter(tenant, newId(), { kind: 'payment_method', ready: true });
    await expect(required.admit({ tenant, sandbox: false })).resolves.toBeUndefined();
  });

  it('near the limit is by what a minute of the call is taken to cost', async () => {
    await ledger.enter(tenant, newId(), { kind: 'credit', amount: 1000, reason: '' });
    let wasAsked = false;
    await billing().admit({ tenant, sandbox: false }, async () => {
      wasAsked = true;
      return 10;
    });
    expect(wasAsked).toBe(true);
  });
});

describe('what a minute is taken to cost', () => {
  it('is by the rates that are configured', () => {
    const local = { provider: 'local', model: '', params: {} };
    const agent = { voice_config: { stt: local, llm: local, tts: local }, fallback_voice_config: {} };
    const line = { carrier: 'twilio', direction: 'outbound', toNumber: '+12025550123' } as const;
    expect(billing().minuteHold({ agent, ...line })).toBe(24_000);
  });
});

describe('what a call will have cost', () => {
  const events = async (): Promise<CallEvent[]> => [
    { ...ended('agent_hangup', 90_000), call_id: newId(), seq: 1, at: 0 } as CallEvent,
  ];

  it('is what it cost, once that is known', async () => {
    const cost = { stt: 1, llm: 2, tts: 3, carrier: 4, service: 5 };
    expect(await billing().foreseeCost(endedCall(secrets, { cost }), events)).toBe(0.000015);
  });

  it("is reckoned from the worker's last word, and not known before", async () => {
    const call = endedCall(secrets, { duration_ms: 90_000 });
    expect(await billing().foreseeCost(call, events)).toBe(0.043);
    expect(await billing().foreseeCost(call, async () => [])).toBeNull();
  });

  it('is nothing in the sandbox, whatever is known', async () => {
    const call = endedCall(secrets, { sandbox: true, duration_ms: 90_000 });
    expect(await billing().foreseeCost(call, async () => [])).toBe(0);
  });
});

describe('the free credit of a new tenant', () => {
  it('is what is configured, once', async () => {
    const module = billing({ FREE_CREDIT_USD: '0.5' });
    await module.ensureFreeCredit(tenant);
    await module.ensureFreeCredit(tenant);
    expect(await ledger.stateOf(tenant)).toMatchObject({ credit: 500_000, creditPeriod: 1 });
    // By its name alone is it known that a tenant has it: another one would be another grant to everybody.
    const entry = await ledgerModel(connection).findById(derivedId(tenant, 'credit:free')).lean();
    expect(entry).toMatchObject({ tenant_id: tenant, change: { reason: 'Free credit to begin with.' } });
  });

  it('is none by default: no credit is not credit of nothing', async () => {
    await billing().ensureFreeCredit(tenant);
    expect(await ledger.stateOf(tenant)).toMatchObject({ credit: null });
  });
});

describe('response latencies', () => {
  const scope = () => ({ tenant, sandbox: false });

  it('are of the calls that ended since, without test sessions, other modes and other tenants', async () => {
    const day = (n: number) => new Date(Date.UTC(2026, 2, n));
    await recorded({ ended_at: day(1), response_latencies_ms: [1] });
    await recorded({ ended_at: day(2), response_latencies_ms: [2, 20] });
    await recorded({ ended_at: day(4), response_latencies_ms: [4] });
    await recorded({ ended_at: day(3), response_latencies_ms: [3] });
    await recorded({ ended_at: day(3), response_latencies_ms: [100], test_session: true });
    await recorded({ ended_at: day(3), response_latencies_ms: [101], sandbox: true });
    await recorded({ ended_at: day(3), response_latencies_ms: [102], tenant_id: newTenantId() });
    const module = billing();
    const shares = [0, 0.5, 0.75, 1];
    const since = day(2);
    expect(await module.responseLatencies({ scope: scope(), since, shares })).toEqual([2, 3, 4, 20]);
    expect(await module.responseLatencies({ scope: scope(), since: day(5), shares: [0.5] })).toEqual([null]);
  });
});

describe('the usage of a tenant', () => {
  it('has the account in production, and nothing of it in the sandbox', async () => {
    await ledger.enter(tenant, newId(), { kind: 'credit', amount: 1_000_000, reason: '' });
    const { handler } = billing().routes!.find(({ operationId }) => operationId === 'getUsage')!;
    const usageOf = async (sandbox: boolean) =>
      (await handler({ scope: { tenant, sandbox }, query: { days: 1 } } as never)).body;
    expect(await usageOf(false)).toMatchObject({ sandbox: false, days: 1, credit_usd: 1 });
    expect(await usageOf(true)).toMatchObject({ sandbox: true, credit_usd: null });
  });

  it('at the operator has what is held for calls', async () => {
    await callModel(connection).collection.insertOne(
      endedCall(secrets, {
        tenant_id: tenant,
        status: 'RINGING',
        started_at: null,
        hold_per_minute: 700,
      }) as never,
    );
    const { handler } = billing().internalRoutes!.find(({ operationId }) => operationId === 'getAccount')!;
    const answer = await handler({ params: { tenant_id: tenant } } as never);
    expect(answer.body).toMatchObject({ held_usd: 0.0007 });
  });
});

describe('reporting to the payment provider', () => {
  it('is swept every six seconds, where there is one', async () => {
    const sweepsOf = ({ jobs = [] }: ReturnType<typeof billing>) =>
      jobs.filter(({ name }) => name === 'metering');
    expect(sweepsOf(billing())).toEqual([]);
    const jobs = sweepsOf(billing(STRIPE));
    expect(jobs).toMatchObject([{ everyMs: 6000 }]);
    const id = newId();
    const old = { _id: id, meter_state: 'pending', meter_due_at: new Date(clock.now()) } as const;
    await recorded({ ...old, ended_at: new Date(clock.now()) });
    await jobs[0]!.run();
    expect(await usageModel(connection).findById(id).lean()).toMatchObject({ meter_state: 'no_customer' });
  });

  it('has come to an end when the module has stopped', async () => {
    const stripe = await startStripeEmulator({ secretKey: 'sk_test_x', clock });
    const id = newId();
    try {
      const module = billing({ ...STRIPE, STRIPE_API_URL: stripe.url, BILLING: 'off' });
      const session = module.routes!.find(({ operationId }) => operationId === 'setUpBilling')!;
      await session.handler({ tenant, resourceId: newId(), body: {} } as never);
      const openai = { provider: 'openai', model: '', params: {} };
      await module.chargeTextSession(
        { tenant, sandbox: false },
        {
          id,
          agent: { voice_config: { stt: openai, llm: openai, tts: openai }, fallback_voice_config: {} },
          tokens: { model: 'gpt-4.1-mini', inputTokens: 10_000, outputTokens: 500 },
        },
      );
      await module.stop?.();
    } finally {
      await stripe.close();
    }
    expect(await usageModel(connection).findById(id).lean()).toMatchObject({ meter_state: 'sent' });
  });

  it('is counted by its outcome', async () => {
    const metrics = new Registry();
    createBillingModule({
      platform: {
        config: testConfig(store.uri, STRIPE),
        clock,
        log: silentLog,
        store: connection,
        metrics,
        secrets,
        publicUrl: () => '',
      } as never,
      events: new RecordedEvents(),
      calls: callModel(connection),
      tenantExists: async () => true,
      rollups: { rows: rollupModel(connection), states: rollupStateModel(connection) },
    });
    expect(await metrics.metrics()).toContain('# TYPE billing_meter_events_total counter');
  });
});

describe('the start-up log', () => {
  /** What is logged at the start: level and text. */
  async function logged(env: TestEnvironment): Promise<[level: number, text: string][]> {
    const lines: string[] = [];
    const log = createLog({ name: 'test', level: 'info', write: (line) => lines.push(line) });
    await billing(env, log).start?.();
    return lines.map((line) => {
      const { level, msg } = JSON.parse(line) as { level: number; msg: string };
      return [level, msg];
    });
  }

  it.each([
    ['off', { BILLING: 'off' }, 40, /^billing is off: .*BILLING=required/],
    ['required, and nobody can pay', { BILLING: 'required' }, 40, /STRIPE_SECRET_KEY/],
    ['required, with free credit', { BILLING: 'required', FREE_CREDIT_USD: '1' }, 30, /^billing is required/],
    ['required, with a payment provider', STRIPE, 30, /^billing is required/],
  ] as const)('says whether production costs somebody: billing is %s', async (_, env, level, text) => {
    expect(await logged(env)).toEqual([[level, expect.stringMatching(text)]]);
  });
});
