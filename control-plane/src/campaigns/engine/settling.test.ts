import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CallDocument, type CallModel, callModel } from '../../calls/record/model.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { EventData } from '../../webhooks/events/event-types.js';
import { contactPublication } from '../contact-publication.js';
import { type ContactDocument, type ContactModel, contactModel } from '../contacts/model.js';
import { type CampaignDocument, campaignModel } from '../model.js';
import { runningCampaign, waitingContacts } from '../testing/stored-campaign.js';
import { Settling } from './settling.js';

let store: TestStore;
let clock: ScriptedClock;
let calls: CallModel;
let contacts: ContactModel;
let settling: Settling;
let campaign: CampaignDocument;
let contact: ContactDocument;

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());
beforeEach(async () => {
  const connection = await store.connect();
  clock = new ScriptedClock();
  calls = callModel(connection);
  contacts = contactModel(connection);
  settling = new Settling({ contacts, calls, clock });
  const retry_policy = {
    max_attempts: 3,
    busy_delay_seconds: 1,
    no_answer_delay_seconds: 1,
    failed_delay_seconds: 1,
  };
  campaign = runningCampaign(clock.now(), { retry_policy, total_contacts: 1 });
  await campaignModel(connection).collection.insertOne(campaign as never);
  const [waiting] = waitingContacts(campaign, ['+15005550006']);
  contact = { ...waiting!, status: 'in_progress', on_line: true, claims: 1, attempts: 1, call_id: newId() };
  await contacts.collection.insertOne(contact as never);
});

const call = (more: Partial<CallDocument>) => ({
  _id: contact.call_id!,
  tenant_id: campaign.tenant_id,
  campaign_id: campaign._id,
  contact_id: contact._id,
  outcome: null,
  ended_at: new Date(clock.now()),
  timeline: [],
  ...more,
});
const contactNow = () => contacts.findOne({ _id: contact._id }).orFail().lean<ContactDocument>();

describe('the contact of a call whose worker was lost', () => {
  it('keeps its line, and is not dialed again, until it is known how the call ended', async () => {
    const lost = call({ status: 'FAILED', spool_due_at: new Date(clock.now() + 60_000) });
    await calls.collection.insertOne(lost as never);
    expect(await settling.settle(campaign)).toMatchObject({ busy: 1 });
    expect(await contactNow()).toMatchObject({ status: 'in_progress', on_line: true });
    // The worker had spooled its proper end.
    await calls.updateOne({ _id: lost._id }, { $set: { status: 'COMPLETED', spool_due_at: null } });
    expect(await settling.settle(campaign)).toMatchObject({ busy: 0 });
    expect(await contactNow()).toMatchObject({ status: 'completed', on_line: false, attempts: 1 });
  });

  it('is dialed again when the loss is final', async () => {
    await calls.collection.insertOne(call({ status: 'FAILED', spool_due_at: null }) as never);
    await settling.settle(campaign);
    expect(await contactNow()).toMatchObject({ status: 'pending', on_line: false });
  });
});

describe('campaign.contact.completed', () => {
  const published: EventData<'campaign.contact.completed'>[] = [];
  const publish = async (of: Partial<CallDocument>) => {
    published.length = 0;
    const connection = await store.connect();
    const publication = contactPublication({
      campaigns: campaignModel(connection),
      contacts: contactModel(connection),
      events: {
        async emit({ data }) {
          published.push(data as EventData<'campaign.contact.completed'>);
        },
      },
    });
    await publication.publish(of as CallDocument, 0);
    return published;
  };

  it('carries the label as its outcome and how the call ended as its status', async () => {
    const labelled = call({ status: 'COMPLETED', outcome: 'booked' });
    expect(await publish(labelled)).toMatchObject([
      { outcome: 'booked', status: 'completed', call_id: labelled._id, contact_id: contact._id },
    ]);
    expect(await contactNow()).toMatchObject({ last_outcome: 'booked' });
    expect(await publish(call({ status: 'BUSY' }))).toMatchObject([{ outcome: null, status: 'busy' }]);
    expect(await contactNow()).toMatchObject({ last_outcome: 'busy' });
  });

  it('is not published of a call outside campaigns', async () => {
    expect(await publish(call({ status: 'BUSY', campaign_id: null, contact_id: null }))).toEqual([]);
  });
});
