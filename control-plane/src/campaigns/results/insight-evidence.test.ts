import { newId, newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { analysisModel } from '../../calls/record/analysis-model.js';
import { callModel } from '../../calls/record/model.js';
import { ensureIndexes, startTestStore, type TestStore } from '../../testing/store.js';
import { insightEvidence } from './insight-evidence.js';

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

it('counts the calls of a campaign that have ended, and reads none of them for it', async () => {
  const connection = await store.connect();
  const [calls, analyses] = [callModel(connection), analysisModel(connection)];
  await ensureIndexes(connection);
  const campaign = { _id: newId(), tenant_id: newTenantId(), sandbox: false };
  const add = (count: number, fields: object) =>
    calls.collection.insertMany(
      Array.from({ length: count }, () => ({
        _id: newId(),
        tenant_id: campaign.tenant_id,
        sandbox: false,
        campaign_id: campaign._id,
        created_at: new Date(),
        ...fields,
      })) as never[],
    );
  await add(30, { status: 'COMPLETED', rollup_seq: 1 });
  await add(3, { status: 'BUSY', rollup_seq: null });
  await add(4, { status: 'IN_PROGRESS', rollup_seq: null });
  await add(2, { status: 'COMPLETED', rollup_seq: 1, campaign_id: newId() });

  const { ended } = await insightEvidence({ calls, analyses }, campaign.tenant_id, campaign);
  expect(ended).toBe(33);

  const own = { tenant_id: campaign.tenant_id, campaign_id: campaign._id };
  const plan = await calls.collection
    .aggregate([{ $match: own }, { $group: { _id: 1, n: { $sum: 1 } } }])
    .explain('executionStats');
  expect(JSON.stringify(plan)).toContain('"totalDocsExamined":0');
});
