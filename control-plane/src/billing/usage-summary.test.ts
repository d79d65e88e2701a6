import { newTenantId, type TenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rollupModel, rollupStateModel } from '../platform/rollups/model.js';
import { ensureIndexes, startTestStore, type TestStore } from '../testing/store.js';
import { type AccountState, NEW_ACCOUNT } from './account-state.js';
import { usageRow } from './testing/usage-rows.js';
import { type UsageModel, type UsageRow, usageModel } from './usage-model.js';
import { UsageRollups } from './usage-rollups.js';
import { lastDays, monthOf, summariseUsage } from './usage-summary.js';

const NOW = Date.UTC(2026, 2, 5, 12);
const MINUTE_MS = 60_000;
const NO_COST = { stt: 0, llm: 0, tts: 0, carrier: 0, service: 0, total: 0 };
const NO_CALLS = { calls: 0, answered_calls: 0, minutes: 0, cost: NO_COST };

let store: TestStore;
let usage: UsageModel;
let rollups: UsageRollups;
let tenant: TenantId;

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  usage = usageModel(connection);
  rollups = new UsageRollups({
    usage,
    rows: rollupModel(connection),
    states: rollupStateModel(connection),
  });
  await ensureIndexes(connection);
});
afterAll(() => store?.close());
beforeEach(() => {
  tenant = newTenantId();
});

const recorded = (endedAt: string, fields: Partial<UsageRow> = {}) =>
  usage.insertMany([usageRow({ tenant_id: tenant, ended_at: new Date(endedAt), ...fields })]);
const summary = (
  query: { days?: number; sandbox?: boolean; now?: number; account?: Partial<AccountState> } = {},
) => {
  const { days = 7, sandbox = false, now = NOW, account = {} } = query;
  return summariseUsage(rollups, {
    scope: { tenant, sandbox },
    days,
    now,
    account: { ...NEW_ACCOUNT, ...account },
  });
};

describe('the days of a breakdown', () => {
  it('are in UTC, today the last of them', () => {
    expect(lastDays(Date.UTC(2026, 2, 1), 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(lastDays(Date.UTC(2026, 2, 1) - 1, 1)).toEqual(['2026-02-28']);
  });
});

describe('the month of a time', () => {
  it.each([
    [Date.UTC(2026, 1, 1), '2026-02-01', '2026-02-28'],
    [Date.UTC(2026, 2, 1) - 1, '2026-02-01', '2026-02-28'],
    [Date.UTC(2028, 1, 29), '2028-02-01', '2028-02-29'],
    [Date.UTC(2026, 11, 31, 23), '2026-12-01', '2026-12-31'],
  ])('is from its first to its last day, in UTC: %i', (now, start, end) => {
    expect(monthOf(now)).toEqual({ start, end });
  });
});

describe('a summary of usage', () => {
  it('of a tenant that used nothing has every day', async () => {
    const figures = { stt_minutes: 0, llm_input_tokens: 0, llm_output_tokens: 0, tts_characters: 0 };
    expect(await summary({ days: 2 })).toEqual({
      sandbox: false,
      currency: 'usd',
      period: { start: '2026-03-01', end: '2026-03-31' },
      totals: {
        ...NO_CALLS,
        ...figures,
        carrier_minutes: 0,
        realtime: {
          minutes: 0,
          input_audio_tokens: 0,
          input_text_tokens: 0,
          cached_audio_tokens: 0,
          cached_text_tokens: 0,
          output_audio_tokens: 0,
          output_text_tokens: 0,
        },
      },
      days: 2,
      daily: [
        { date: '2026-03-04', ...NO_CALLS },
        { date: '2026-03-05', ...NO_CALLS },
      ],
      credit_usd: null,
      daily_cap: { limit_usd: null, spent_usd: 0 },
      payment_method: false,
    });
  });

  it('adds up what each call used and cost, in all and by the day on which it ended', async () => {
    const call: Partial<UsageRow> = {
      duration_ms: 90_000,
      carrier_minutes: 2,
      stt_audio_ms: 60_000,
      llm_input_tokens: 1000,
      llm_output_tokens: 50,
      tts_characters: 300,
      realtime: {
        audio_ms: 30_000,
        input_audio_tokens: 7,
        input_text_tokens: 6,
        cached_audio_tokens: 5,
        cached_text_tokens: 4,
        output_audio_tokens: 3,
        output_text_tokens: 2,
      },
      cost: { stt: 1, llm: 20, tts: 300, carrier: 4000, service: 50_000 },
    };
    await recorded('2026-03-04T23:59:59.999Z', call);
    await recorded('2026-03-05T00:00:00Z', call);
    await recorded('2026-03-05T01:00:00Z', { ...call, answered: false, realtime: undefined as never });
    const { totals, daily } = await summary({ days: 2 });
    const cost = { stt: 0.000001, llm: 0.00002, tts: 0.0003, carrier: 0.004, service: 0.05, total: 0.054321 };
    const times = (factor: number) =>
      Object.fromEntries(Object.entries(cost).map(([part, usd]) => [part, (usd * 1e6 * factor) / 1e6]));
    expect(totals).toEqual({
      calls: 3,
      answered_calls: 2,
      minutes: 4.5,
      cost: times(3),
      stt_minutes: 3,
      llm_input_tokens: 3000,
      llm_output_tokens: 150,
      tts_characters: 900,
      realtime: {
        minutes: 1,
        input_audio_tokens: 14,
        input_text_tokens: 12,
        cached_audio_tokens: 10,
        cached_text_tokens: 8,
        output_audio_tokens: 6,
        output_text_tokens: 4,
      },
      carrier_minutes: 6,
    });
    expect(daily).toEqual([
      { date: '2026-03-04', calls: 1, answered_calls: 1, minutes: 1.5, cost },
      { date: '2026-03-05', calls: 2, answered_calls: 1, minutes: 3, cost: times(2) },
    ]);
  });

  it('counts test sessions by what they use and cost, and not as calls', async () => {
    const cost = { stt: 0, llm: 10, tts: 0, carrier: 0, service: 0 };
    await recorded('2026-03-05T01:00:00Z', { test_session: true, duration_ms: MINUTE_MS, cost });
    const { totals } = await summary();
    expect(totals).toMatchObject({ calls: 0, answered_calls: 0, minutes: 1, cost: { llm: 0.00001 } });
  });

  it('has the calendar month in its totals, further back in its days where they are asked for', async () => {
    await recorded('2026-02-23T23:59:59.999Z');
    await recorded('2026-02-24T00:00:00Z');
    await recorded('2026-02-28T23:59:59.999Z');
    await recorded('2026-03-01T00:00:00Z');
    const long = await summary({ days: 10 });
    expect(long.totals.calls).toBe(1);
    expect(long.daily.filter(({ calls }) => calls > 0).map(({ date }) => date)).toEqual([
      '2026-02-24',
      '2026-02-28',
      '2026-03-01',
    ]);
    // Fewer days than the month has had: its totals are of all of it.
    const short = await summary({ days: 2 });
    expect(short.totals.calls).toBe(1);
    expect(short.daily.map(({ calls }) => calls)).toEqual([0, 0]);
  });

  it('leaves out what is dated after the month', async () => {
    await recorded('2026-03-31T23:59:59.999Z');
    await recorded('2026-04-01T00:00:00Z');
    expect((await summary()).totals.calls).toBe(1);
  });

  it('is of one tenant in one mode', async () => {
    await recorded('2026-03-05T01:00:00Z', { sandbox: true });
    await recorded('2026-03-05T01:00:00Z', { tenant_id: newTenantId() });
    expect((await summary()).totals.calls).toBe(0);
    expect(await summary({ sandbox: true })).toMatchObject({ sandbox: true, totals: { calls: 1 } });
  });

  it('has the account as it stands', async () => {
    const account = {
      credit: 2_500_000,
      dailyCap: 1_000_000,
      day: '2026-03-05',
      daySpent: 250_000,
      paymentMethod: true,
    };
    expect(await summary({ account })).toMatchObject({
      credit_usd: 2.5,
      daily_cap: { limit_usd: 1, spent_usd: 0.25 },
      payment_method: true,
    });
    const yesterday = { ...account, credit: 0, dailyCap: 0, day: '2026-03-04' };
    expect(await summary({ account: yesterday })).toMatchObject({
      credit_usd: 0,
      daily_cap: { limit_usd: 0, spent_usd: 0 },
    });
  });

  it('is the same before its records are in the sums of their days and after, and reads no record then', async () => {
    for (let n = 0; n < 5; n++) {
      await recorded(`2026-03-0${n + 1}T01:00:00Z`, {
        response_latencies_ms: [700 + n, 900],
        llm_input_tokens: n,
      });
    }
    await recorded('2026-03-05T02:00:00Z', { test_session: true, response_latencies_ms: [9000] });
    await recorded('2026-03-05T01:00:00Z', { sandbox: true });
    const scope = { tenant, sandbox: false };
    const latencies = () =>
      rollups.responseLatencies({ scope, since: new Date('2026-03-01'), shares: [0.5, 0.95] });
    const before = [await summary(), await latencies()];
    expect(before).toMatchObject([{ totals: { calls: 5, llm_input_tokens: 10 } }, [704, 900]]);
    expect(await rollups.rollups.foldAll(scope)).toBe(6);
    expect([await summary(), await latencies()]).toEqual(before);
    expect(await rollups.rollups.differences(scope)).toEqual([]);
    await usage.deleteMany({ tenant_id: tenant });
    expect([await summary(), await latencies()]).toEqual(before);
  });
});
