import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { CallEvent, CallEventBody } from '@voice/shared/contracts/call-events';
import { newTenantId, type TenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallSource } from '../calls/plan/call-billing.js';
import { type CallDocument, type CallModel, callModel } from '../calls/record/model.js';
import { ended, metricsOf } from '../calls/testing/events.js';
import { RATES } from '../platform/money/rates.js';
import { SecretBox } from '../platform/secrets/secret-box.js';
import type { CarrierPrice } from '../telephony/carriers/port.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { costStep } from './cost-step.js';
import type { Ledger } from './ledger.js';
import { ledgerOn } from './testing/ledgers.js';
import { endedCall } from './testing/stored-calls.js';
import { usageRow } from './testing/usage-rows.js';
import { type UsageModel, usageModel } from './usage-model.js';

const secrets = new SecretBox('a key for secrets at rest, for tests');
const NO_TOKENS = {
  audio_ms: 0,
  input_audio_tokens: 0,
  input_text_tokens: 0,
  cached_audio_tokens: 0,
  cached_text_tokens: 0,
  output_audio_tokens: 0,
  output_text_tokens: 0,
};
/** Two started minutes of the carrier, 1.5 of the service. */
const LINE = { carrier: 28_000, service: 15_000 };

let store: TestStore;
let usage: UsageModel;
let calls: CallModel;
let ledger: Ledger;
let tenant: TenantId;
let events: CallEventBody[];
let price: CarrierPrice;
let asked: string[];
let planned: number[];
let source: Pick<CallSource, 'proxiedTokensOf' | 'analysisTokensOf'>;
const clock = new ScriptedClock();

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  usage = usageModel(connection);
  calls = callModel(connection);
  ledger = ledgerOn(connection, clock, {
    onPosted: async ({ billable }) => void planned.push(billable),
  });
});
afterAll(() => store?.close());
beforeEach(async () => {
  // Of the test before.
  await ledger.flush();
  clock.jump(60_000);
  tenant = newTenantId();
  events = [ended('agent_hangup', 90_000)];
  price = { kind: 'unknown' };
  asked = [];
  planned = [];
  source = { proxiedTokensOf: async () => [], analysisTokensOf: async () => null };
});

/** A call of a minute and a half that ended just now; stored. */
async function stored(fields: Partial<CallDocument> = {}): Promise<CallDocument> {
  const at = new Date(clock.now());
  const call = endedCall(secrets, {
    tenant_id: tenant,
    ended_at: at,
    updated_at: at,
    duration_ms: 90_000,
    ...fields,
  });
  await calls.collection.insertOne(call as never);
  return call;
}
/** Runs the step, and writes what it gives the call, as the runner does. */
async function run(call: CallDocument) {
  const outcome = await costStep({
    usage,
    ledger,
    secrets,
    clock,
    rates: RATES,
    eventsOf: async ({ _id }) =>
      events.map((body, i) => ({ ...body, call_id: _id, seq: i + 1, at: clock.now() }) as CallEvent),
    carrierPriceOf: async ({ _id }) => {
      asked.push(_id);
      return price;
    },
    ...source,
  }).run(call, new AbortController().signal);
  if (outcome.kind === 'done' && outcome.set) await calls.updateOne({ _id: call._id }, { $set: outcome.set });
  return outcome;
}
const recordOf = ({ _id }: CallDocument) => usage.findById(_id).lean();
const costOf = async ({ _id }: CallDocument) => (await calls.findById(_id).lean())?.cost;
const spent = async () => (await ledger.stateOf(tenant)).totalSpent;

describe('what a call cost', () => {
  it('includes what was synthesized for a call that nobody answered, once its worker has said so', async () => {
    events = [];
    const call = await stored({
      media_started_at: null,
      worker_id: 'w1',
      status: 'NO_ANSWER',
      duration_ms: 0,
    });
    expect(await run(call)).toEqual({ kind: 'waiting', lookAgainAt: clock.now() + 1000 });
    const tts = { provider: 'elevenlabs', model: 'eleven_flash_v2_5', characters: 2000 };
    const none = { provider: '', model: '' };
    const prepared = {
      stt: { ...none, audio_ms: 0 },
      llm: { ...none, input_tokens: 0, output_tokens: 0 },
      tts,
      segments: [{ kind: 'tts', fallback: false, ...tts }],
    };
    expect(await run({ ...call, prepared_usage: JSON.stringify(prepared) })).toMatchObject({ kind: 'done' });
    expect(await recordOf(call)).toMatchObject({ tts_characters: 2000, cost: { tts: 100_000 } });
  });

  it('does not wait for the word of a worker that is silent', async () => {
    events = [];
    const call = await stored({
      media_started_at: null,
      worker_id: 'w1',
      status: 'NO_ANSWER',
      duration_ms: 0,
    });
    clock.jump(15_000);
    expect(await run(call)).toMatchObject({ kind: 'done' });
    expect(await recordOf(call)).toMatchObject({ tts_characters: 0 });
  });

  it('is kept with all that it used, charged, billed, and shown with the call', async () => {
    events = [metricsOf(0, 700), metricsOf(1, 400), ...events];
    const call = await stored();
    expect(await run(call)).toMatchObject({ kind: 'done' });
    const cost = { stt: 0, llm: 0, tts: 0, ...LINE };
    expect(await recordOf(call)).toEqual(
      usageRow({
        _id: call._id,
        tenant_id: tenant,
        ended_at: call.ended_at!,
        duration_ms: 90_000,
        carrier_minutes: 2,
        stt_audio_ms: 90_000,
        llm_input_tokens: 1,
        llm_output_tokens: 1,
        tts_characters: 1,
        realtime: NO_TOKENS,
        cost,
        total: 43_000,
        response_latencies_ms: [700, 400],
        turn_stages: [700, 400].map((ms) => [null, null, null, null, ms, 0]),
      }),
    );
    expect(await costOf(call)).toEqual(cost);
    await ledger.flush();
    expect([await spent(), planned]).toEqual([43_000, [43_000]]);
  });

  it('stays as it was reckoned first', async () => {
    const call = await stored();
    await run(call);
    await run({ ...call, duration_ms: 600_000 });
    expect(await costOf(call)).toMatchObject(LINE);
    expect(await spent()).toBe(43_000);
  });

  it('of a sandbox call is nothing: it is counted, and neither charged nor asked for', async () => {
    const call = await stored({ sandbox: true });
    expect(await run(call)).toMatchObject({ kind: 'done' });
    expect(await recordOf(call)).toMatchObject({ sandbox: true, duration_ms: 90_000, total: 0 });
    await ledger.flush();
    expect([await spent(), planned, asked]).toEqual([0, [], []]);
  });

  it('of a call that nobody answered is nothing', async () => {
    events = [];
    const nobody = { status: 'BUSY', started_at: null, media_started_at: null, duration_ms: null } as const;
    const call = await stored({ ...nobody, ended_at: null });
    await run(call);
    const record = { answered: false, duration_ms: 0, carrier_minutes: 0, total: 0 };
    expect(await recordOf(call)).toMatchObject({ ...record, ended_at: call.updated_at });
    expect(await spent()).toBe(0);
  });

  it('has what the proxy and the analysis counted', async () => {
    const tokens = { model: 'gpt-4.1-mini', inputTokens: 10_000, outputTokens: 500 };
    const call = await stored();
    source = { ...source, proxiedTokensOf: async () => [tokens] };
    await run(call);
    expect(await costOf(call)).toMatchObject({ llm: 4_800 });
    const other = await stored();
    const analysis = { model: '', inputTokens: 30, outputTokens: 20 };
    source = { proxiedTokensOf: async () => [], analysisTokensOf: async () => analysis };
    await run(other);
    expect(await recordOf(other)).toMatchObject({ llm_input_tokens: 31, llm_output_tokens: 21 });
  });
});

describe('a test session with a voice', () => {
  it('is charged without a carrier, and marked as none of the calls', async () => {
    const call = await stored({ carrier: 'websocket' });
    await run(call);
    expect(await recordOf(call)).toMatchObject({ test_session: true, total: LINE.service });
    expect(await spent()).toBe(LINE.service);
  });

  it('leaves nothing in the sandbox', async () => {
    const call = await stored({ carrier: 'websocket', sandbox: true });
    expect(await run(call)).toMatchObject({ kind: 'done' });
    expect([await recordOf(call), await costOf(call)]).toEqual([null, undefined]);
  });
});

it("waits for the worker's last events, and looks again every second", async () => {
  events = [];
  const call = await stored();
  expect(await run(call)).toEqual({ kind: 'waiting', lookAgainAt: clock.now() + 1000 });
  expect([await recordOf(call), asked]).toEqual([null, []]);
});

describe("the carrier's own price", () => {
  it('is what the carrier costs', async () => {
    price = { kind: 'price', amount: 12_345 };
    const call = await stored();
    await run(call);
    expect(await costOf(call)).toMatchObject({ carrier: 12_345 });
  });

  it('is not asked for where it is known, be it nothing', async () => {
    const call = await stored({ carrier_price: 0 });
    await run(call);
    expect([await costOf(call), asked]).toMatchObject([{ carrier: 0 }, []]);
  });

  it.each([
    [0, 5_000],
    [5_000, 5_000],
    [5_001, 5_001],
    [30_000, 30_000],
    [61_000, 60_000],
    [119_999, 60_000],
  ])('that comes later is waited for, as long as the call is over: %i ms', async (overFor, wait) => {
    price = { kind: 'pending' };
    const call = await stored();
    clock.jump(overFor);
    expect(await run(call)).toEqual({ kind: 'waiting', lookAgainAt: clock.now() + wait });
    expect(await recordOf(call)).toBeNull();
  });

  it('that does not come in two minutes is that of its list', async () => {
    price = { kind: 'pending' };
    const call = await stored();
    clock.jump(120_000);
    expect(await run(call)).toMatchObject({ kind: 'done' });
    expect(await costOf(call)).toMatchObject(LINE);
  });

  it('is waited for from the last change of a call whose end is not noted', async () => {
    price = { kind: 'pending' };
    const call = await stored({ ended_at: null });
    clock.jump(10_000);
    expect(await run(call)).toEqual({ kind: 'waiting', lookAgainAt: clock.now() + 10_000 });
  });
});
