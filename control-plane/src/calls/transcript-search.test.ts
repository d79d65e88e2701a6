import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestControlPlane } from '../testing/control-plane.js';
import { createAgent, startTestInstallation } from '../testing/installation.js';
import type { ScriptedWorker } from '../testing/scripted-worker.js';
import type { CallListResponse } from './record/schemas.js';
import { transcriptModel } from './record/transcript-model.js';

let plane: TestControlPlane;
let worker: ScriptedWorker;
let key: string;
let agentId: string;

beforeAll(async () => {
  const installation = await startTestInstallation();
  ({ plane, worker } = installation);
  ({ key } = await plane.newKey());
  agentId = await createAgent(plane, key, { system_prompt: 'You call.' });
  await worker.heartbeat(plane);
  return installation.close;
});

const dial = () =>
  plane.request('POST', '/api/v1/calls', {
    key,
    body: { agent_id: agentId, from_number: SANDBOX_CALLER_ID, to_number: '+15005550006' },
  });

describe('calls', () => {
  it('are searched for what was said, also past calls in which it was not', async () => {
    worker.mode = 'full';
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift(((await dial()).json as { id: string }).id);
    const call = await plane.platform.store.collection('calls').findOne({ _id: ids[0] as never });
    const said = (id: string, ...texts: string[]) => ({
      _id: id,
      tenant_id: String(call?.tenant_id),
      agent_id: agentId,
      campaign_id: null,
      turns_count: texts.length,
      turns: JSON.stringify(texts.map((text, n) => ({ role: 'caller', text, started_at_ms: n * 1000 }))),
      created_at: new Date(),
    });
    await transcriptModel(plane.platform.store).insertMany([
      said(ids[0]!, 'Hello.', 'Is there PARKING at the clinic?', 'No parking?'),
      said(ids[1]!, 'The caller wants nothing.'),
      { ...said(ids[2]!, 'Parking, please.'), tenant_id: 'another' },
    ]);
    const found = async (query: string) =>
      (await plane.request('GET', `/api/v1/calls?${query}`, { key })).json as CallListResponse;
    const match = { call_id: ids[0], role: 'caller', text: 'Is there PARKING at the clinic?' };
    expect(await found('q=parking')).toMatchObject({
      calls: [{ id: ids[0] }],
      matches: [{ ...match, started_at_ms: 1000 }],
      has_more: false,
      next_cursor: null,
    });
    // What surrounds the words in the store is not searched.
    expect((await found('q=started_at')).calls).toEqual([]);
    expect((await found('q=parking&status=COMPLETED')).calls).toEqual([]);
    const page = await found('q=al&limit=1');
    expect(page).toMatchObject({ calls: [{ id: ids[1] }], has_more: false });
    const both = await found('q=l&limit=1');
    expect(both).toMatchObject({ code: 'validation_error' });
    const first = await found('q=he&limit=1');
    expect(first).toMatchObject({ calls: [{ id: ids[0] }], has_more: true });
    expect((await found(`q=he&limit=1&cursor=${first.next_cursor}`)).calls).toMatchObject([{ id: ids[1] }]);
    for (const id of ids) await plane.request('POST', `/api/v1/calls/${id}/hangup`, { key });
  });
});
