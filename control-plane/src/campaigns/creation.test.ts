import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureIndexes, startTestStore, type TestStore } from '../testing/store.js';
import { type ContactModel, contactModel } from './contacts/model.js';
import { ABANDONED_AFTER_MS, CampaignCreation } from './creation.js';
import { type CampaignModel, campaignModel } from './model.js';
import { campaignSettings } from './settings.js';

let store: TestStore;
let campaigns: CampaignModel;
let contacts: ContactModel;
let clock: ScriptedClock;
let creation: CampaignCreation;

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  campaigns = campaignModel(connection);
  contacts = contactModel(connection);
  await ensureIndexes(connection);
});
beforeEach(() => {
  clock = new ScriptedClock();
  creation = new CampaignCreation({ campaigns, contacts, clock });
});
afterAll(() => store?.close());

const scope = { tenant: newTenantId(), sandbox: true };
const wanted = campaignSettings.parse({ name: 'x', agent_id: newId() });
const people = Array.from({ length: 3 }, () => ({
  phone: '+15005550006',
  firstName: null,
  lastName: null,
  data: {},
}));

/** A creation whose process dies before the last step. */
async function cutShort(id: string, contactsWritten: number): Promise<void> {
  await creation.create(scope, id, wanted, people.slice(0, contactsWritten));
  await campaigns.updateOne({ _id: id }, { $set: { published: false, total_contacts: 3 } });
}

describe('campaign and contacts are created atomically', () => {
  // @rule 3.9
  it('an unpublished campaign is seen by nobody and is completed by a retry of the same request', async () => {
    const id = newId();
    await cutShort(id, 2);
    expect(await campaigns.countDocuments({ _id: id, published: true })).toBe(0);
    const done = await creation.create(scope, id, wanted, people);
    expect(done).toMatchObject({ published: true, total_contacts: 3 });
    expect(await contacts.countDocuments({ campaign_id: id })).toBe(3);
    expect(await creation.create(scope, id, wanted, people)).toMatchObject({ published: true });
    expect(await contacts.countDocuments({ campaign_id: id })).toBe(3);
  });

  // @rule 3.9
  it('what a dead creator left is swept, and nothing else', async () => {
    const [left, made] = [newId(), newId()];
    await cutShort(left, 2);
    await creation.create(scope, made, wanted, people);
    await creation.sweep();
    expect(await campaigns.countDocuments({ _id: left })).toBe(1);
    clock.advance(ABANDONED_AFTER_MS);
    await Promise.all([creation.sweep(), creation.sweep()]);
    expect(await campaigns.countDocuments({ _id: left })).toBe(0);
    expect(await contacts.countDocuments({ campaign_id: left })).toBe(0);
    expect(await contacts.countDocuments({ campaign_id: made })).toBe(3);
  });

  it('a creator that was given up can publish nothing any more', async () => {
    const id = newId();
    await cutShort(id, 1);
    await campaigns.updateOne({ _id: id }, { $set: { abandoned: true } });
    await expect(creation.create(scope, id, wanted, people)).rejects.toMatchObject({ code: 'conflict' });
    expect(await campaigns.countDocuments({ _id: id, published: true })).toBe(0);
  });
});
