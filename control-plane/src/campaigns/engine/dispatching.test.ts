import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { CallStatus } from '@voice/shared/contracts/primitives';
import { derivedId, newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CallModel, callModel } from '../../calls/record/model.js';
import { CallerIds } from '../../telephony/phones/caller-ids.js';
import { phoneNumberModel } from '../../telephony/phones/model.js';
import { ensureIndexes, startTestStore, type TestStore } from '../../testing/store.js';
import { type ContactDocument, type ContactModel, contactModel } from '../contacts/model.js';
import { type CampaignDocument, type CampaignModel, campaignModel } from '../model.js';
import { runningCampaign, waitingContacts } from '../testing/stored-campaign.js';
import { Dispatching, IN_USE_WAIT_MS } from './dispatching.js';
import { liveCallFilters, numberInUse } from './number-in-use.js';

const PERSON = '+12125550123';
const TEST_NUMBER = '+15005550006';

let store: TestStore;
let campaigns: CampaignModel;
let contacts: ContactModel;
let calls: CallModel;
let callerIds: CallerIds;
let clock: ScriptedClock;
let created: string[];
let tenant: string;

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  campaigns = campaignModel(connection);
  contacts = contactModel(connection);
  calls = callModel(connection);
  callerIds = new CallerIds(phoneNumberModel(connection));
  await ensureIndexes(connection);
});
beforeEach(() => {
  clock = new ScriptedClock();
  created = [];
  tenant = newId();
});
afterAll(() => store?.close());

function dispatching(): Dispatching {
  return new Dispatching({
    campaigns,
    contacts,
    calls: {
      create: async (_tenant, { id, request }) => {
        created.push(id);
        await storeCall(id, { to_number: request.to_number });
      },
    },
    callerIds,
    giveSlotBack: async () => {},
    numberInUse: (contact) => numberInUse({ calls, contacts }, contact),
    callExists: async () => false,
    eraseRefusals: async () => {},
    events: { emit: async () => {} } as never,
    clock,
    log: silentLog,
  });
}

async function storeCall(id: string, fields: object = {}): Promise<void> {
  await calls.collection.insertOne({
    _id: id,
    tenant_id: tenant,
    direction: 'outbound',
    from_number: '+14155550199',
    to_number: PERSON,
    status: 'IN_PROGRESS' satisfies CallStatus,
    ended_at: null,
    ...fields,
  } as never);
}

/** A contact that was just given a line, in a campaign of its own. */
async function onLine(phone = PERSON): Promise<{ campaign: CampaignDocument; contact: ContactDocument }> {
  const campaign = runningCampaign(clock.now(), { tenant_id: tenant, first_dispatch_at: new Date() });
  const [waiting] = waitingContacts(campaign, [phone]);
  const contact = {
    ...waiting!,
    status: 'dialing' as const,
    on_line: true,
    claims: 1,
    attempts: 1,
    call_id: derivedId(waiting!._id, 'attempt:1'),
  };
  await campaigns.collection.insertOne(campaign as never);
  await contacts.collection.insertOne(contact as never);
  return { campaign, contact };
}

const contactOf = (id: string) => contacts.findOne({ _id: id }).orFail().lean<ContactDocument>();

describe('a contact that is in a live call', () => {
  it.each([
    ['that another campaign made', {}],
    ['that is still ringing', { status: 'RINGING' }],
    ['that came in from it', { direction: 'inbound', from_number: PERSON, to_number: '+14155550199' }],
  ])('%s is not dialled again until that call ended', async (_which, fields) => {
    const other = newId();
    await storeCall(other, fields);
    const { campaign, contact } = await onLine();
    await dispatching().dispatch(campaign, contact);
    expect(created).toEqual([]);
    const waiting = await contactOf(contact._id);
    expect(waiting).toMatchObject({ status: 'pending', on_line: false, attempts: 0, call_id: null });
    const wait = waiting.due_at.getTime() - clock.now();
    expect(wait).toBeGreaterThanOrEqual(IN_USE_WAIT_MS);
    expect(wait).toBeLessThanOrEqual(2 * IN_USE_WAIT_MS);

    await calls.updateOne({ _id: other }, { $set: { status: 'COMPLETED', ended_at: new Date() } });
    await contacts.updateOne({ _id: contact._id }, { $set: contact });
    await dispatching().dispatch(campaign, contact);
    expect(created).toEqual([contact.call_id]);
  });

  it('is not dialled by two campaigns that come to it at the same moment', async () => {
    const both = [await onLine(), await onLine()];
    await Promise.all(both.map(({ campaign, contact }) => dispatching().dispatch(campaign, contact)));
    expect(created.length).toBeLessThanOrEqual(1);
    expect(await contacts.countDocuments({ tenant_id: tenant, on_line: true })).toBe(created.length);
  });

  it('keeps its own call when its dispatch is taken up again', async () => {
    const { campaign, contact } = await onLine();
    await storeCall(contact.call_id!);
    const before = await contactOf(contact._id);
    const again = new Dispatching({
      ...optionsOfRepeat(),
      numberInUse: (c) => numberInUse({ calls, contacts }, c),
    });
    await again.dispatch(campaign, contact);
    expect(await contactOf(contact._id)).toEqual(before);
  });

  it('of another tenant, or a carrier test number, is in nobody’s way', async () => {
    await storeCall(newId(), { tenant_id: newId() });
    await storeCall(newId(), { to_number: TEST_NUMBER });
    const [person, simulated] = [await onLine(), await onLine(TEST_NUMBER)];
    await dispatching().dispatch(person.campaign, person.contact);
    await dispatching().dispatch(simulated.campaign, simulated.contact);
    expect(created).toEqual([person.contact.call_id, simulated.contact.call_id]);
  });
});

it('whether a number has a live call is answered without reading its ended ones', async () => {
  for (let n = 0; n < 30; n++) await storeCall(newId(), { status: 'COMPLETED', ended_at: new Date() });
  await storeCall(newId());
  for (const filter of liveCallFilters(tenant, PERSON)) {
    const { executionStats } = (await calls.collection.find(filter as never).explain('executionStats')) as {
      executionStats: { totalDocsExamined: number };
    };
    expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(1);
  }
});

/** Creating a call that is there already gives that one. */
function optionsOfRepeat() {
  return {
    campaigns,
    contacts,
    calls: { create: async () => {} },
    callerIds,
    giveSlotBack: async () => {},
    callExists: async () => false,
    eraseRefusals: async () => {},
    events: { emit: async () => {} } as never,
    clock,
    log: silentLog,
  };
}
