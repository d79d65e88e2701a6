import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { CallStatus } from '@voice/shared/contracts/primitives';
import { asTenantId, newId, newTenantId } from '@voice/shared/ids/ids';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { campaignReader } from '../../analytics/campaigns-of.js';
import { Overview } from '../../analytics/overview.js';
import { overviewResponse } from '../../analytics/schemas.js';
import { analysisModel } from '../../calls/record/analysis-model.js';
import { isTerminal, NEXT_STATUSES } from '../../calls/record/call-state.js';
import { callModel } from '../../calls/record/model.js';
import { CallRollups } from '../../calls/rollups/call-rollups.js';
import { rollupModel, rollupStateModel } from '../../platform/rollups/model.js';
import { ensureIndexes, startTestStore, type TestStore } from '../../testing/store.js';
import { campaignModel } from '../model.js';
import { runningCampaign } from '../testing/stored-campaign.js';
import { CampaignAnalyticsReader } from './analytics.js';
import { campaignAnalytics } from './schemas.js';

const NOW = Date.UTC(2026, 0, 20, 12);
const HOUR_MS = 3_600_000;
const LABELS = ['sold', 'lost', 'call_back'];

interface GeneratedCall {
  readonly statuses: readonly CallStatus[];
  readonly outcome: string | null;
  readonly hoursAgo: number;
  readonly durationMs: number;
}

/** Any way through the state machine, ended or not. An analysis labels whatever has a transcript. */
const statuses = fc.array(fc.nat(100), { maxLength: 4 }).map((steps) => {
  const path: CallStatus[] = ['QUEUED'];
  for (const step of steps) {
    const next = NEXT_STATUSES[path.at(-1)!];
    if (next.length > 0) path.push(next[step % next.length]!);
  }
  return path;
});
const call: fc.Arbitrary<GeneratedCall> = fc.record({
  statuses,
  outcome: fc.option(fc.constantFrom(...LABELS), { nil: null, freq: 2 }),
  hoursAgo: fc.integer({ min: 0, max: 120 }),
  durationMs: fc.integer({ min: 0, max: 600_000 }),
});
const campaign = fc.record({
  labels: fc.constantFrom([], LABELS),
  contacts: fc.array(fc.array(call, { maxLength: 4 }), { maxLength: 6 }),
});

const answeredBy = (end: 'VOICEMAIL' | 'COMPLETED'): GeneratedCall => ({
  statuses: ['QUEUED', 'RINGING', 'IN_PROGRESS', end],
  outcome: LABELS[0]!,
  hoursAgo: 1,
  durationMs: 20_000,
});
/** More voicemails with the primary label than completed calls: rare by chance, and the easiest to count wrongly. */
const MOSTLY_VOICEMAILS = {
  labels: LABELS,
  contacts: [
    [answeredBy('COMPLETED')],
    [answeredBy('VOICEMAIL')],
    [answeredBy('VOICEMAIL'), answeredBy('VOICEMAIL')],
  ],
};

let store: TestStore;
let connection: Awaited<ReturnType<TestStore['connect']>>;
beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
  campaignModel(connection);
  callModel(connection);
  analysisModel(connection);
  rollupModel(connection);
  rollupStateModel(connection);
  await ensureIndexes(connection);
});
afterAll(() => store?.close());

function stored(tenant: string, campaignId: string, contactId: string, made: GeneratedCall) {
  const status = made.statuses.at(-1)!;
  const at = new Date(NOW - made.hoursAgo * HOUR_MS);
  const answered = made.statuses.includes('IN_PROGRESS');
  return {
    _id: newId(),
    tenant_id: tenant,
    campaign_id: campaignId,
    contact_id: contactId,
    sandbox: false,
    status,
    queued_at: at,
    created_at: at,
    started_at: answered ? at : null,
    ended_at: isTerminal(status) ? at : null,
    duration_ms: isTerminal(status) ? (answered ? made.durationMs : 0) : null,
    outcome: answered && isTerminal(status) ? made.outcome : null,
    cost: null,
  };
}

it('parts never exceed the whole, in whatever campaign', { timeout: 300_000 }, async () => {
  const rollups = new CallRollups({
    calls: callModel(connection),
    analyses: analysisModel(connection),
    rows: rollupModel(connection),
    states: rollupStateModel(connection),
  });
  const analytics = new CampaignAnalyticsReader(rollups);
  const overview = new Overview({
    rollups,
    campaignsOf: campaignReader(campaignModel(connection)),
    responseLatencies: async () => [],
    clock: new ScriptedClock(NOW),
  });
  await fc.assert(
    fc.asyncProperty(campaign, fc.nat(20), async ({ labels, contacts }, counted) => {
      const tenant = newTenantId();
      const document = runningCampaign(NOW, {
        tenant_id: tenant,
        sandbox: false,
        outcome_labels: labels,
        total_contacts: contacts.length,
      });
      await campaignModel(connection).collection.insertOne(document as never);
      const calls = contacts.flatMap((made) => {
        const contact = newId();
        return made.map((one) => stored(tenant, document._id, contact, one));
      });
      // Some are in the sums when the others come.
      const early = calls.slice(0, counted);
      if (early.length > 0) await callModel(connection).collection.insertMany(early as never[]);
      await rollups.rollups.foldAll({ tenant: asTenantId(tenant), sandbox: false });
      const late = calls.slice(counted);
      if (late.length > 0) await callModel(connection).collection.insertMany(late as never[]);
      const count = (isCounted: (one: (typeof calls)[number]) => boolean) => calls.filter(isCounted).length;
      const ended = count(({ ended_at }) => ended_at !== null);
      const answered = count(({ started_at, status }) => started_at !== null && status !== 'VOICEMAIL');
      const completed = count(({ status }) => status === 'COMPLETED');
      const primary = count(
        ({ status, outcome }) => status === 'COMPLETED' && (labels.length === 0 || outcome === labels[0]),
      );

      const figures = campaignAnalytics.parse(await analytics.read(document));
      const { funnel, metrics, time_series: series, outcomes } = figures;
      expect(funnel.contacts).toBe(contacts.length);
      expect(funnel.attempted).toBe(contacts.filter((made) => made.length > 0).length);
      const steps = [
        funnel.contacts,
        funnel.attempted,
        funnel.answered,
        funnel.completed,
        funnel.primary_outcome,
      ];
      expect(steps).toEqual([...steps].sort((a, b) => b - a));
      expect(metrics.total_calls).toBe(calls.length);
      expect(sum(Object.values(metrics.calls_by_status))).toBe(calls.length);
      expect(sum(outcomes.map((row) => row.count))).toBe(ended);
      if (labels.length > 0) {
        expect(outcomes.find(({ outcome }) => outcome === labels[0])?.count ?? 0).toBe(primary);
      }
      expect(metrics.completion_rate).toBe(ended === 0 ? null : completed / ended);
      expect(metrics.primary_outcome_rate).toBe(completed === 0 ? null : primary / completed);
      for (const [field, whole] of [
        ['calls', calls.length],
        ['answered', answered],
        ['completed', completed],
        ['primary_outcome', primary],
      ] as const) {
        expect(sum(series.points.map((point) => point[field])), field).toBe(whole);
      }
      for (const point of series.points) {
        const parts = [point.calls, point.answered, point.completed, point.primary_outcome];
        expect(parts).toEqual([...parts].sort((a, b) => b - a));
      }

      const body = overviewResponse.parse(await overview.of({ tenant: asTenantId(tenant), sandbox: false }));
      expect(body.totals).toMatchObject({
        calls: calls.length,
        answered,
        completed,
        live: calls.length - ended,
      });
      expect(sum(Object.values(body.by_status))).toBe(calls.length);
      expect(sum(body.by_day.map((day) => day.answered))).toBe(answered);
      expect(body.answer_rate).toBe(metrics.answer_rate);
      expect(body.completion_rate).toBe(metrics.completion_rate);
      const [row] = body.campaigns;
      if (calls.length === 0) expect(row).toBeUndefined();
      else {
        expect(row).toMatchObject({ calls: calls.length, primary_outcome_count: primary });
        expect(row!.primary_outcome_rate).toBe(metrics.primary_outcome_rate);
      }
    }),
    {
      numRuns: Number(process.env.PROPERTY_RUNS ?? 30),
      seed: Number(process.env.PROPERTY_SEED ?? 1),
      examples: [[MOSTLY_VOICEMAILS, 1]],
    },
  );
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
