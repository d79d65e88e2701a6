import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CallDocument, type CallModel, callModel } from '../../calls/record/model.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { EventData } from '../../webhooks/events/event-types.js';
import { contactPublication } from '../contact-publication.js';
import { CONTACT_RANK, type ContactDocument, type ContactModel, contactModel } from '../contacts/model.js';
import { type CampaignDocument, campaignModel } from '../model.js';
import { NO_ROOM_WAIT_MS } from '../retry-policy.js';
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

describe('a contact whose call is erased before its end is known here', () => {
  const PERSON = { first_name: 'Ann', contact_data: '{"note":"tea"}' };
  const ERASED = { phone: '', first_name: null, contact_data: '{}', on_line: false };
  const settled = async (
    status: CallDocument['status'],
    erasedCall: string,
    of: Partial<ContactDocument> = {},
  ) => {
    await contacts.updateOne(
      { _id: contact._id },
      { $set: { ...PERSON, ...of, erased_calls: [erasedCall] } },
    );
    await calls.collection.insertOne(call({ status }) as never);
    await settling.settle(campaign);
    return contactNow();
  };

  it('is erased with the end of the call, where no other follows', async () => {
    expect(await settled('COMPLETED', contact.call_id!)).toMatchObject({ ...ERASED, status: 'completed' });
  });

  it('is erased where it was cancelled during the call', async () => {
    const cancelled = await settled('COMPLETED', contact.call_id!, { status: 'cancelled' });
    expect(cancelled).toMatchObject({ ...ERASED, status: 'cancelled' });
  });

  it('stays for its retry', async () => {
    expect(await settled('BUSY', contact.call_id!)).toMatchObject({ ...PERSON, status: 'pending' });
  });

  it('stays where that was the call before', async () => {
    expect(await settled('COMPLETED', newId())).toMatchObject({ ...PERSON, status: 'completed' });
  });
});

describe('a contact with a line', () => {
  const settle = async (of: Partial<CallDocument> | null) => {
    if (of) await calls.collection.insertOne(call(of) as never);
    return settling.settle(campaign);
  };
  const change = (set: Partial<ContactDocument>) => {
    contact = { ...contact, ...set };
    return contacts.updateOne({ _id: contact._id }, { $set: set });
  };

  it('none of which there is leaves nothing to settle', async () => {
    await change({ on_line: false });
    expect(await settling.settle(campaign)).toEqual({ busy: 0, dialed: false, orphans: [] });
  });

  it.each(['QUEUED', 'RINGING'] as const)('keeps it while its call is %s', async (status) => {
    await change({ status: 'dialing' });
    expect(await settle({ status })).toEqual({ busy: 1, dialed: true, orphans: [] });
    expect(await contactNow()).toEqual(contact);
  });

  it('is in progress once its call is answered, unless it is pending by then', async () => {
    await change({ status: 'dialing' });
    expect(await settle({ status: 'IN_PROGRESS' })).toEqual({ busy: 1, dialed: true, orphans: [] });
    const answered = { ...contact, status: 'in_progress', updated_at: new Date(clock.now()) };
    expect(await contactNow()).toEqual(answered);
    clock.advance(1);
    await settling.settle(campaign);
    expect(await contactNow()).toEqual(answered);
    await change({ status: 'pending' });
    await settling.settle(campaign);
    expect(await contactNow()).toMatchObject({ status: 'pending', on_line: true });
  });

  it.each([
    ['COMPLETED', 'completed'],
    ['VOICEMAIL', 'voicemail'],
  ] as const)('gives it back when its call ended as %s', async (status, shown) => {
    expect(await settle({ status })).toEqual({ busy: 0, dialed: true, orphans: [] });
    expect(await contactNow()).toEqual({
      ...contact,
      status: shown,
      on_line: false,
      updated_at: new Date(clock.now()),
    });
  });

  it('is tried again after the delay of its policy, before those who were not called yet', async () => {
    // Nobody saw its call answered: there was none to see.
    await change({ status: 'dialing' });
    await settle({ status: 'BUSY' });
    const due_at = new Date(clock.now() + 1000);
    expect(await contactNow()).toEqual({
      ...contact,
      status: 'pending',
      rank: CONTACT_RANK.again,
      due_at,
      next_retry_at: due_at,
      on_line: false,
      updated_at: new Date(clock.now()),
    });
  });

  it('is not tried again once its attempts are used up, or the campaign is cancelled', async () => {
    await change({ attempts: 3 });
    await settle({ status: 'NO_ANSWER' });
    expect(await contactNow()).toMatchObject({ status: 'no_answer', on_line: false });
    await change({ attempts: 1, status: 'in_progress', on_line: true });
    campaign = { ...campaign, status: 'cancelled' };
    await settling.settle(campaign);
    expect(await contactNow()).toMatchObject({ status: 'no_answer', on_line: false });
  });

  it('waits for a worker with room where its last attempt found none, however often', async () => {
    for (const not_dialed of [undefined, 1, 30]) {
      await change({ status: 'dialing', on_line: true, attempts: 3 + (not_dialed ?? 0), call_id: newId() });
      if (not_dialed) await change({ not_dialed });
      const settled = await settle({
        status: 'FAILED',
        end_reason: 'no_capacity',
        error_code: 'no_capacity',
      });
      expect(settled).toEqual({ busy: 0, dialed: true, orphans: [] });
      const due_at = new Date(clock.now() + NO_ROOM_WAIT_MS);
      expect(await contactNow()).toEqual({
        ...contact,
        status: 'pending',
        rank: CONTACT_RANK.again,
        due_at,
        next_retry_at: due_at,
        not_dialed: (not_dialed ?? 0) + 1,
        on_line: false,
        updated_at: new Date(clock.now()),
      });
    }
  });

  it('is due at once for the gate to judge it where its only attempt was denied at dialing', async () => {
    campaign = { ...campaign, retry_policy: { ...campaign.retry_policy, max_attempts: 1 } };
    await change({ status: 'dialing' });
    await settle({ status: 'FAILED', end_reason: 'rejected', error_code: 'compliance_denied' });
    const due_at = new Date(clock.now());
    expect(await contactNow()).toMatchObject({ status: 'pending', due_at, not_dialed: 1, on_line: false });
  });

  it.each([
    [3, 'pending'],
    [4, 'failed'],
  ] as const)('at attempt %i of 3, one of which was not dialed, is %s after a failure', async (n, status) => {
    await change({ attempts: n, not_dialed: 1 });
    await settle({ status: 'FAILED', end_reason: 'carrier_failed', error_code: 'carrier_error' });
    expect(await contactNow()).toMatchObject({ status, attempts: n, not_dialed: 1 });
  });

  it('is cancelled with its campaign where its call was not dialed', async () => {
    campaign = { ...campaign, status: 'cancelled' };
    await change({ status: 'dialing' });
    await settle({ status: 'FAILED', end_reason: 'no_capacity', error_code: 'no_capacity' });
    expect(await contactNow()).toMatchObject({ status: 'cancelled', on_line: false });
  });

  it('that was rescheduled during a call that was not dialed has its attempt left', async () => {
    await change({ status: 'pending' });
    await settle({ status: 'FAILED', end_reason: 'no_capacity', error_code: 'no_capacity' });
    expect(await contactNow()).toMatchObject({ status: 'pending', not_dialed: 1, on_line: false });
  });

  it('that was rescheduled during its call stays pending for its time', async () => {
    await change({ status: 'pending', due_at: new Date(clock.now() + 60_000) });
    await settle({ status: 'FAILED' });
    expect(await contactNow()).toEqual({ ...contact, on_line: false, updated_at: new Date(clock.now()) });
  });

  it('and no call is to be dispatched again after three seconds', async () => {
    await change({ updated_at: new Date(clock.now()) });
    clock.advance(2999);
    expect(await settle(null)).toEqual({ busy: 1, dialed: false, orphans: [] });
    clock.advance(1);
    expect(await settle(null)).toEqual({ busy: 1, dialed: false, orphans: [contact] });
    await change({ call_id: null });
    expect(await settle(null)).toEqual({ busy: 1, dialed: false, orphans: [contact] });
  });

  it('has no call of another tenant', async () => {
    await settle({ status: 'COMPLETED', tenant_id: newId() });
    expect(await contactNow()).toEqual(contact);
  });
});

describe('campaign.contact.completed', () => {
  const published: EventData<'campaign.contact.completed'>[] = [];
  const woken: string[] = [];
  const publish = async (of: Partial<CallDocument>) => {
    published.length = 0;
    const connection = await store.connect();
    const publication = contactPublication({
      campaigns: campaignModel(connection),
      contacts: contactModel(connection),
      wake: async (id) => void woken.push(id),
    });
    await publication.publish(of as CallDocument, 0, {
      add: ({ data }) => void published.push(data as EventData<'campaign.contact.completed'>),
    });
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

  it('has a slow campaign looked at: it may rest while it has lines in use', async () => {
    const campaigns = campaignModel(await store.connect());
    for (const [calls_per_minute, times] of [
      [30, 1],
      [31, 0],
    ] as const) {
      woken.length = 0;
      await campaigns.updateOne({ _id: contact.campaign_id }, { $set: { calls_per_minute } });
      await publish(call({ status: 'BUSY' }));
      expect(woken).toEqual(Array(times).fill(contact.campaign_id));
    }
  });

  it('is not published of a call outside campaigns', async () => {
    expect(await publish(call({ status: 'BUSY', campaign_id: null, contact_id: null }))).toEqual([]);
  });
});
