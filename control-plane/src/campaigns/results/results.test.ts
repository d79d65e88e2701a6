import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { asTenantId, newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AnalysisModel, type AnalysisRow, analysisModel } from '../../calls/record/analysis-model.js';
import { type CallModel, callModel } from '../../calls/record/model.js';
import type { StructuredLanguageModel } from '../../language-model/port.js';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { type CampaignModel, campaignModel } from '../model.js';
import { CampaignsClient } from '../testing/campaigns-client.js';
import { CRITERIA_TIMEOUT_MS, CriteriaGenerator } from './criteria.js';
import { InsightsService } from './insights.js';
import { insightsModel } from './insights-model.js';
import type { CampaignAnalytics, CampaignInsights, ExtractedRow } from './schemas.js';

let store: TestStore;
let plane: TestControlPlane;
let client: CampaignsClient;
let analyses: AnalysisModel;
let campaigns: CampaignModel;
let calls: CallModel;
let campaignId: string;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri);
  const connection = plane.testStore();
  analyses = analysisModel(connection);
  campaigns = campaignModel(connection);
  calls = callModel(connection);
});
beforeEach(async () => {
  client = await CampaignsClient.create(plane);
  const made = await client.create({
    name: 'Spring "sale"',
    outcome_labels: ['sold', 'lost'],
    contacts: [{ phone: '+14155550100', first_name: 'Ann' }, { phone: '+14155550101' }],
  });
  campaignId = made.id;
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

function analysis(changes: Partial<AnalysisRow> = {}): AnalysisRow {
  return {
    _id: newId(),
    tenant_id: client.tenantId,
    agent_id: client.agentId,
    campaign_id: campaignId,
    contact_id: null,
    sandbox: true,
    started_at: new Date(Date.UTC(2026, 0, 5, 15)),
    duration_seconds: 10,
    status: 'complete',
    outcome: 'lost',
    outcome_score: 0.2,
    summary: 'They did not buy.',
    sentiment: 'negative',
    scorecard: null,
    extracted_data: JSON.stringify({ budget: 100 }),
    error_code: null,
    error_message: null,
    input_tokens: 0,
    output_tokens: 0,
    created_at: new Date(Date.UTC(2026, 0, 5, 15)),
    ...changes,
  };
}

/** Stores a call; its id. */
async function call(changes: Record<string, unknown>): Promise<string> {
  const at = new Date(Date.UTC(2026, 0, 5, 15));
  const _id = newId();
  await calls.collection.insertOne({
    _id,
    tenant_id: client.tenantId,
    sandbox: true,
    campaign_id: campaignId,
    queued_at: at,
    created_at: at,
    started_at: null,
    ended_at: at,
    duration_ms: 0,
    outcome: null,
    ...changes,
  } as never);
  return _id;
}

const get = async <T>(path: string) => (await client.request('GET', `/${campaignId}${path}`)).json as T;

describe('GET …/extracted-data', () => {
  // @rule 4.21
  it('pages analysed calls by sort and order, with their contacts', async () => {
    const [ann] = await client.contacts(campaignId);
    await analyses.insertMany([
      analysis({ outcome: 'sold', outcome_score: 0.9, duration_seconds: 30, contact_id: ann!.id }),
      analysis({ outcome_score: 0.5, started_at: new Date(Date.UTC(2026, 0, 6)) }),
      analysis({ status: 'failed', outcome: null }),
    ]);
    type Page = { data: ExtractedRow[]; total: number; has_more: boolean };
    const page = await get<Page>('/extracted-data?include_total=true');
    expect(page).toMatchObject({ total: 2, has_more: false });
    expect(page.data.map(({ outcome_score: score }) => score)).toEqual([0.5, 0.9]);
    const byScore = await get<Page>('/extracted-data?sort=outcome_score&limit=1');
    expect(byScore).toMatchObject({
      has_more: true,
      data: [{ phone: '+14155550100', first_name: 'Ann', outcome: 'sold', extracted_data: { budget: 100 } }],
    });
    const shortest = await get<Page>('/extracted-data?sort=duration_seconds&order=asc&offset=1');
    expect(shortest.data).toMatchObject([{ duration_seconds: 30 }]);
    expect((await get<Page>('/extracted-data?include_total=true&outcome=sold')).total).toBe(1);
  });

  it.each(['limit=0', 'limit=101', 'offset=-1', 'sort=phone', 'order=up'])('refuses %s', async (query) => {
    expect((await client.request('GET', `/${campaignId}/extracted-data?${query}`)).status).toBe(422);
  });
});

describe('GET …/extracted-data/export', () => {
  // @rule 4.22
  it('is an attachment named after the campaign, at most 5,000 rows, formulas neutralised', async () => {
    const rows = Array.from({ length: 5001 }, (_, i) =>
      analysis({ extracted_data: JSON.stringify({ note: `=SUM(${i})` }) }),
    );
    // By parts: a store that writes for seconds is taken for gone.
    for (let at = 0; at < rows.length; at += 500) {
      await analyses.collection.insertMany(rows.slice(at, at + 500) as never[]);
    }
    const answer = await client.request('GET', `/${campaignId}/extracted-data/export`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toContain('filename="Spring sale.csv"');
    const lines = answer.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(5001);
    expect(lines[1]).toContain(",'=SUM(");
  });
});

describe('GET …/analytics', () => {
  // @rule 2.16, 4.19
  it('shows funnel, metrics and time series; the first label is the primary outcome', async () => {
    const [a, b] = (await client.contacts(campaignId)).map(({ id }) => id);
    const answered = new Date(Date.UTC(2026, 0, 5, 15, 1));
    await call({ contact_id: a, status: 'BUSY' });
    const sold = await call({
      contact_id: a,
      status: 'COMPLETED',
      started_at: answered,
      duration_ms: 60_000,
      outcome: 'sold',
      queued_at: new Date(Date.UTC(2026, 0, 5, 16, 30)),
    });
    const lost = await call({
      contact_id: b,
      status: 'COMPLETED',
      started_at: answered,
      duration_ms: 20_000,
      outcome: 'lost',
    });
    await analyses.insertMany([
      analysis({ _id: sold, outcome_score: 0.9 }),
      analysis({ _id: lost, outcome_score: 0.3 }),
    ]);
    expect(await get<CampaignAnalytics>('/analytics')).toEqual({
      campaign_id: campaignId,
      primary_outcome: 'sold',
      funnel: { contacts: 2, attempted: 2, answered: 2, completed: 2, primary_outcome: 1 },
      outcomes: [
        { outcome: 'busy', count: 1 },
        { outcome: 'lost', count: 1 },
        { outcome: 'sold', count: 1 },
      ],
      metrics: {
        total_calls: 3,
        calls_by_status: { BUSY: 1, COMPLETED: 2 },
        answer_rate: 2 / 3,
        completion_rate: 2 / 3,
        primary_outcome_rate: 0.5,
        average_duration_seconds: 40,
        total_duration_seconds: 80,
        average_outcome_score: expect.closeTo(0.6),
        average_attempts: 1.5,
      },
      time_series: {
        interval: 'hour',
        points: [
          { at: '2026-01-05T15:00:00.000Z', calls: 2, answered: 1, completed: 1, primary_outcome: 0 },
          { at: '2026-01-05T16:00:00.000Z', calls: 1, answered: 1, completed: 1, primary_outcome: 1 },
        ],
      },
    });
  });

  it('is all zeros before the first call', async () => {
    expect(await get<CampaignAnalytics>('/analytics')).toMatchObject({
      funnel: { contacts: 2, attempted: 0 },
      metrics: { total_calls: 0, answer_rate: null },
      time_series: { points: [] },
    });
  });
});

describe('GET …/insights', () => {
  // @rule 4.20
  it('is an empty list while fewer than 20 analyses are complete', async () => {
    await analyses.insertMany(Array.from({ length: 19 }, () => analysis()));
    expect(await get<CampaignInsights>('/insights')).toEqual({
      campaign_id: campaignId,
      insights: [],
      source: null,
      analyses: 19,
      generated_at: null,
    });
  });

  // @rule 4.20
  it('is generated from failed and low-quality calls, and cached for 1 hour', async () => {
    const rows = Array.from({ length: 20 }, () => analysis());
    await analyses.insertMany(rows);
    const clock = new ScriptedClock();
    const asked: string[] = [];
    const model: StructuredLanguageModel = {
      answer: async ({ user, schema }) => {
        asked.push(user);
        const entry = { title: 't', description: 'd', recommendation: 'r', severity: 'high' };
        return {
          value: schema.parse({ insights: [{ ...entry, call_ids: [rows[0]!._id, 'made up'] }] }),
          inputTokens: 0,
          outputTokens: 0,
        };
      },
    };
    const service = new InsightsService({
      insights: insightsModel(plane.testStore()),
      analyses,
      calls,
      model,
      modelOf: async () => ({ provider: 'openai', model: 'm', params: {} }),
      clock,
    });
    const campaign = await campaigns.findOne({ _id: campaignId }).orFail().lean();
    const read = () => service.of(asTenantId(client.tenantId), campaign);
    const first = await read();
    expect(first.insights).toMatchObject([{ title: 't', call_ids: [rows[0]!._id] }]);
    expect(first.source).toBe('language_model');
    expect(asked[0]).toContain('They did not buy.');
    clock.advance(59 * 60_000);
    expect(await read()).toEqual(first);
    expect(asked).toHaveLength(1);
    clock.advance(60_000);
    expect((await read()).generated_at).not.toBe(first.generated_at);
    expect(asked).toHaveLength(2);
  });
});

describe('GET …/insights of an agent with the local model', () => {
  // @rule 4.20
  it('are counted from the analyses and the failed calls, and cached for 1 hour', async () => {
    const rows = Array.from({ length: 24 }, (_, n) =>
      n < 12
        ? analysis({
            scorecard: JSON.stringify({ 'Names the price': { score: 0.1, reason: 'Never said.' } }),
          })
        : analysis({ outcome: 'sold', outcome_score: 0.9, sentiment: 'positive' }),
    );
    await analyses.insertMany(rows);
    for (const { _id } of rows) {
      await call({ _id, status: 'COMPLETED', end_reason: 'caller_hangup', duration_ms: 10_000 });
    }
    for (let n = 0; n < 6; n++) {
      await call({ status: 'FAILED', end_reason: 'no_capacity', error_code: 'no_capacity' });
    }
    const insights = await get<CampaignInsights>('/insights');
    expect(insights).toMatchObject({ source: 'statistics', analyses: 24, generated_at: expect.any(String) });
    expect(insights.insights.map(({ title, severity }) => [title, severity])).toEqual([
      ['“Names the price” is missed in 12 of 12 calls', 'high'],
      ['12 callers hang up within 15 seconds', 'high'],
      ['12 low-quality calls end as “lost”', 'high'],
      ['12 callers are annoyed', 'high'],
      ['6 calls failed: no capacity', 'medium'],
    ]);
    const low = new Set(rows.slice(0, 12).map(({ _id }) => _id));
    expect(new Set(insights.insights[0]!.call_ids)).toEqual(low);
    await analyses.deleteMany({ campaign_id: campaignId });
    expect(await get<CampaignInsights>('/insights')).toEqual(insights);
  });
});

describe('POST /api/v1/campaigns/generate-criteria', () => {
  // @rule 4.17
  it("asks the model of the tenant's most recently updated active agent", async () => {
    const answer = await client.request('POST', '/generate-criteria', { goal: 'Book product demos' });
    expect(answer).toMatchObject({
      status: 200,
      json: { source: 'model', outcome_labels: expect.arrayContaining(['booked']) },
    });
  });

  // @rule 4.18
  it('answers generic defaults without an active agent', async () => {
    await plane.request('DELETE', `/api/v1/agents/${client.agentId}`, { key: client.key });
    const answer = await client.request('POST', '/generate-criteria', { goal: 'Sell' });
    expect(answer).toMatchObject({ status: 200, json: { source: 'defaults' } });
  });

  // @rule 4.18
  it('answers generic defaults when the model fails or takes longer than its time-out', async () => {
    const clock = new ScriptedClock();
    const generate = (answer: StructuredLanguageModel['answer']) =>
      new CriteriaGenerator({
        model: { answer },
        latestModel: async () => ({ provider: 'openai', model: 'm', params: {} }),
        clock,
        log: silentLog,
      }).generate(asTenantId(client.tenantId), 'Sell');
    const failing = await generate(() => Promise.reject(new Error('away')));
    expect(clock.pending).toBe(0);
    const deaf = generate(() => new Promise(() => {}));
    await expect.poll(() => clock.pending).toBe(1);
    clock.advance(CRITERIA_TIMEOUT_MS);
    const late = await deaf;
    for (const answer of [failing, late]) {
      expect(answer.source).toBe('defaults');
      expect(answer.outcome_labels.length).toBeGreaterThan(1);
      expect(answer.extraction_schema).toHaveProperty('properties');
    }
  });

  it.each([{}, { goal: '' }, { goal: { $gt: '' } }])('refuses %j', async (body) => {
    expect((await client.request('POST', '/generate-criteria', body)).status).toBe(422);
  });
});
