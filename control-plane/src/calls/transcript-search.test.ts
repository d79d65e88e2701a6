import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { asTenantId, newId } from '@voice/shared/ids/ids';
import type { mongo } from 'mongoose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { after } from '../platform/http/pagination.js';
import type { TestControlPlane } from '../testing/control-plane.js';
import { createAgent, startTestInstallation } from '../testing/installation.js';
import type { ScriptedWorker } from '../testing/scripted-worker.js';
import { callModel } from './record/model.js';
import type { CallListResponse } from './record/schemas.js';
import { transcriptModel } from './record/transcript-model.js';
import { TranscriptSearch } from './transcript-search.js';

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
    expect(await found('q=parking&include_total=true')).toMatchObject({
      search: { looked_through: 3, unreadable: 0 },
      total: 3,
    });
    const page = await found('q=al&limit=1');
    expect(page).toMatchObject({ calls: [{ id: ids[1] }], has_more: false });
    const both = await found('q=l&limit=1');
    expect(both).toMatchObject({ code: 'validation_error' });
    const first = await found('q=he&limit=1');
    expect(first).toMatchObject({
      calls: [{ id: ids[0] }],
      // Up to where the next page goes on.
      search: { looked_through: 1 },
      has_more: true,
    });
    expect((await found(`q=he&limit=1&cursor=${first.next_cursor}`)).calls).toMatchObject([{ id: ids[1] }]);
    for (const id of ids) await plane.request('POST', `/api/v1/calls/${id}/hangup`, { key });
  });
});

describe('archived calls', () => {
  const tenant = asTenantId(newId());
  const clock = new ScriptedClock();
  const said = (text: string) => JSON.stringify([{ role: 'caller', text, started_at_ms: 0 }]);
  let ids: string[];
  /** What is read of the archive, by call. */
  let read: (id: string) => string | null;
  let fetched: string[];

  beforeEach(async () => {
    const { store } = plane.platform;
    await callModel(store).collection.deleteMany({ tenant_id: tenant });
    ids = Array.from({ length: 50 }, () => newId()).reverse();
    await callModel(store).collection.insertMany(
      ids.map((_id, at) => ({
        _id,
        tenant_id: tenant,
        sandbox: true,
        created_at: new Date(1_000_000 - at),
        carrier_call_id: _id,
        archived_at: new Date(),
        archive_key: `archive/${_id}`,
        archive_secret: 'sealed',
      })) as never[],
    );
    await transcriptModel(store).collection.deleteMany({ tenant_id: tenant });
    fetched = [];
    read = () => said('nothing');
  });

  const find = (place: object = {}) =>
    new TranscriptSearch({
      calls: callModel(plane.platform.store),
      transcripts: transcriptModel(plane.platform.store),
      archive: {
        turnsOf: async ({ _id }) => {
          fetched.push(_id);
          return read(_id);
        },
      },
      clock,
    }).find(tenant, { tenant_id: tenant, sandbox: true, ...place }, { q: 'parking', skip: 0, limit: 10 });

  it('are looked through as well, forty at a time, until all of them were', async () => {
    read = (id) => said(id === ids[3] || id === ids[49] ? 'Is there parking?' : 'No.');
    const first = await find();
    expect(first.matches.map(({ call_id }) => call_id)).toEqual([ids[3]]);
    expect(first).toMatchObject({ lookedThrough: 40, unreadable: 0, last: { id: ids[39] } });
    const second = await find(after(first.last!));
    expect(second.matches.map(({ call_id }) => call_id)).toEqual([ids[49]]);
    expect(second).toMatchObject({ lookedThrough: 10, last: null });
    expect(fetched.toSorted()).toEqual(ids.toSorted());
  });

  it('that cannot be read are counted, and the others looked through', async () => {
    read = (id) => {
      if (id === ids[1]) throw new Error('not there');
      return id === ids[2] ? said('Parking.') : null;
    };
    expect(await find()).toMatchObject({ lookedThrough: 40, unreadable: 1, matches: [{ call_id: ids[2] }] });
  });

  it('end a page early where they take long, and each page gets on', async () => {
    read = () => {
      clock.advance(500);
      return said('nothing');
    };
    const { lookedThrough, last } = await find();
    expect(lookedThrough).toBeGreaterThanOrEqual(8);
    expect(lookedThrough).toBeLessThan(40);
    expect(last?.id).toBe(ids[lookedThrough - 1]);
  });

  it('are not read of a call that is being erased', async () => {
    read = () => said('Parking.');
    const erasing = { $set: { erasing_at: new Date() } };
    await callModel(plane.platform.store).collection.updateMany({ tenant_id: tenant }, erasing);
    expect(await find()).toMatchObject({ matches: [], lookedThrough: 50, last: null });
    expect(fetched).toEqual([]);
  });

  it('have their transcripts read a few at a time where those are still in the store', async () => {
    const { store } = plane.platform;
    const kept = ids.map((_id) => ({
      _id,
      tenant_id: tenant,
      turns: said(_id === ids[45] ? 'Parking.' : 'No.'),
    }));
    await transcriptModel(store).collection.insertMany(kept as never[]);
    const reads: string[] = [];
    const note = ({ command }: mongo.CommandStartedEvent) => {
      if (command.collection === 'transcripts') reads.push('more');
    };
    store.getClient().on('commandStarted', note);
    expect(await find()).toMatchObject({ lookedThrough: 50, matches: [{ call_id: ids[45] }] });
    store.getClient().off('commandStarted', note);
    expect(reads).toHaveLength(2);
    expect(fetched).toEqual([]);
  });

  it('are not fetched while their transcript is still in the store', async () => {
    await transcriptModel(plane.platform.store).collection.insertOne({
      _id: ids[0],
      tenant_id: tenant,
      turns: said('Parking.'),
    } as never);
    expect((await find()).matches).toMatchObject([{ call_id: ids[0] }]);
    expect(fetched).not.toContain(ids[0]);
  });
});
