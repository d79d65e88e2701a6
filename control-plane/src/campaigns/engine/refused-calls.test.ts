import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { derivedId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiError } from '../../platform/http/error-codes.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { TenantEvent } from '../../webhooks/events/tenant-events.js';
import { CONTACT_RANK, type ContactDocument, type ContactModel, contactModel } from '../contacts/model.js';
import { type CampaignDocument, type CampaignModel, campaignModel } from '../model.js';
import { runningCampaign, waitingContacts } from '../testing/stored-campaign.js';
import { type CreatesCalls, Dispatching, IN_USE_WAIT_MS } from './dispatching.js';

const TALKS = '+15005550006';

let store: TestStore;
let campaigns: CampaignModel;
let contacts: ContactModel;
let clock: ScriptedClock;
let campaign: CampaignDocument;
let contact: ContactDocument;
let created: Parameters<CreatesCalls['create']>[];
/** Runs while the call is created. */
let create: () => Promise<unknown>;
let inUse: boolean;
let exists: boolean;
let slotsGivenBack: number;
let emitted: TenantEvent[];
let logged: object[];
let dispatching: Dispatching;

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  campaigns = campaignModel(connection);
  contacts = contactModel(connection);
});
afterAll(() => store?.close());
beforeEach(async () => {
  clock = new ScriptedClock();
  [created, emitted, logged, inUse, exists, slotsGivenBack] = [[], [], [], false, false, 0];
  create = async () => {};
  campaign = runningCampaign(clock.now(), { total_contacts: 1 });
  const [waiting] = waitingContacts(campaign, [TALKS]);
  contact = {
    ...waiting!,
    first_name: 'Ann',
    status: 'dialing',
    on_line: true,
    claims: 1,
    attempts: 2,
    call_id: derivedId(waiting!._id, 'attempt:2'),
  };
  await campaigns.collection.insertOne(campaign as never);
  await contacts.collection.insertOne(contact as never);
  dispatching = new Dispatching({
    campaigns,
    contacts,
    calls: {
      create: async (...call) => {
        created.push(call);
        await create();
      },
    },
    callerIds: { numberFor: async (scope) => (scope.sandbox ? SANDBOX_CALLER_ID : 'a number of the tenant') },
    giveSlotBack: async (of) => {
      expect(of).toEqual(campaign);
      slotsGivenBack++;
    },
    numberInUse: async () => inUse,
    callExists: async () => exists,
    eraseRefusals: async () => {},
    events: { emit: async (event) => void emitted.push(event) },
    clock,
    log: { ...silentLog, info: (fields) => logged.push(fields) },
  });
});

const contactNow = () => contacts.findOne({ _id: contact._id }).orFail().lean<ContactDocument>();
const campaignNow = () => campaigns.findOne({ _id: campaign._id }).orFail().lean<CampaignDocument>();
const dispatch = () => dispatching.dispatch(campaign, contact);
const refuse = (error: unknown) => {
  create = () => Promise.reject(error);
};
const denied = (reason: string, next_open_at?: string) =>
  apiError('compliance_denied', undefined, { fields: { reasons: [reason], next_open_at } });
/** What a contact is whose line was taken back: the attempt does not count, and its last call is the one before. */
const takenBack = (changes: Partial<ContactDocument>) => ({
  ...contact,
  attempts: 1,
  on_line: false,
  call_id: derivedId(contact._id, 'attempt:1'),
  updated_at: new Date(clock.now()),
  ...changes,
});

describe('the call of a contact', () => {
  it('is created under its id, with the contact in its variables', async () => {
    await dispatch();
    expect(created).toEqual([
      [
        { tenant: campaign.tenant_id, sandbox: true },
        {
          id: contact.call_id,
          campaign: { campaignId: campaign._id, contactId: contact._id },
          request: {
            agent_id: campaign.agent_id,
            from_number: SANDBOX_CALLER_ID,
            to_number: TALKS,
            variables: { phone: TALKS, first_name: 'Ann', last_name: '' },
            metadata: {},
          },
        },
      ],
    ]);
    expect(await contactNow()).toEqual(contact);
    expect(slotsGivenBack).toBe(0);
  });

  it('is not created for a contact that was given none', async () => {
    contact = { ...contact, call_id: null };
    await dispatch();
    expect(created).toEqual([]);
  });

  it('begins the campaign, once', async () => {
    await dispatch();
    expect(emitted).toMatchObject([
      { type: 'campaign.started', occurredAt: clock.now(), data: { campaign_id: campaign._id } },
    ]);
    const first = await campaignNow();
    expect(first.first_dispatch_at).toEqual(new Date(clock.now()));
    clock.advance(1);
    // A replica that did not know of it yet.
    await dispatching.publishStart(campaign);
    expect(await campaignNow()).toEqual(first);
    emitted = [];
    campaign = first;
    await dispatch();
    expect(emitted).toEqual([]);
  });
});

describe('a contact that is not called', () => {
  it('because it may never be is skipped', async () => {
    refuse(denied('do_not_call'));
    await dispatch();
    expect(await contactNow()).toEqual(takenBack({ status: 'skipped', skip_reason: 'do_not_call' }));
    expect(slotsGivenBack).toBe(1);
    expect(emitted).toEqual([]);
    expect(logged).toMatchObject([
      { campaign_id: campaign._id, contact_id: contact._id, after: { kind: 'skip', reason: 'do_not_call' } },
    ]);
  });

  it('because its hours are closed waits until they open, or the agent has others', async () => {
    const opens = new Date(clock.now() + 3_600_000);
    refuse(denied('outside_calling_hours', opens.toISOString()));
    await dispatch();
    const later = { rank: CONTACT_RANK.again, due_at: opens, next_retry_at: opens, waits_for_hours: true };
    expect(await contactNow()).toEqual(takenBack({ status: 'pending', ...later }));
    expect(await campaignNow()).toEqual({ ...campaign, put_off_by: 'gate' });
    expect(slotsGivenBack).toBe(1);
  });

  it('because nobody can be called waits with its campaign', async () => {
    refuse(apiError('credit_exhausted'));
    await dispatch();
    expect(await contactNow()).toEqual(takenBack({ status: 'pending' }));
    expect(await campaignNow()).toEqual({
      ...campaign,
      waiting_reason: 'credit_exhausted',
      waiting_until: new Date(clock.now() + 15_000),
    });
    expect(slotsGivenBack).toBe(0);
  });

  it('for a reason that may be over at once keeps its line', async () => {
    refuse(new mongo.MongoNetworkError('the store is away'));
    await dispatch();
    expect(await contactNow()).toEqual(contact);
    expect(await campaignNow()).toEqual(campaign);
    expect(slotsGivenBack).toBe(0);
  });

  it('because it is in a live call is called soon after', async () => {
    inUse = true;
    await dispatch();
    const waiting = await contactNow();
    const { due_at } = waiting;
    expect(waiting).toEqual(
      takenBack({ status: 'pending', rank: CONTACT_RANK.again, due_at, next_retry_at: due_at }),
    );
    expect(due_at.getTime()).toBeGreaterThanOrEqual(clock.now() + IN_USE_WAIT_MS);
    expect(due_at.getTime()).toBeLessThanOrEqual(clock.now() + 2 * IN_USE_WAIT_MS);
    expect(IN_USE_WAIT_MS).toBe(3000);
    expect([created, slotsGivenBack, logged.length]).toEqual([[], 1, 1]);
  });

  it('and was rescheduled meanwhile keeps to the time that the tenant named', async () => {
    const due_at = new Date(clock.now() + 60_000);
    create = async () => {
      await contacts.updateOne({ _id: contact._id }, { $set: { status: 'pending', due_at } });
      throw denied('do_not_call');
    };
    await dispatch();
    expect(await contactNow()).toEqual(takenBack({ status: 'pending', due_at }));
  });

  it('and was cancelled meanwhile is erased where the call before was', async () => {
    contact = { ...contact, erased_calls: [derivedId(contact._id, 'attempt:1')] };
    await contacts.updateOne({ _id: contact._id }, { $set: { erased_calls: contact.erased_calls } });
    create = async () => {
      await contacts.updateOne({ _id: contact._id }, { $set: { status: 'cancelled' } });
      throw denied('do_not_call');
    };
    await dispatch();
    expect(await contactNow()).toEqual(takenBack({ status: 'cancelled', phone: '', first_name: null }));
  });

  it('and waits for its hours stays whole, although the call before was erased', async () => {
    contact = { ...contact, erased_calls: [derivedId(contact._id, 'attempt:1')] };
    refuse(denied('outside_calling_hours', '2099-01-01T00:00:00.000Z'));
    await dispatch();
    expect(await contactNow()).toMatchObject({ status: 'pending', phone: TALKS, first_name: 'Ann' });
  });

  it('and was given another line meanwhile keeps that', async () => {
    create = async () => {
      await contacts.updateOne({ _id: contact._id }, { $inc: { claims: 1 } });
      throw denied('do_not_call');
    };
    await dispatch();
    expect(await contactNow()).toEqual({ ...contact, claims: 2 });
  });
});

describe('a contact whose call fails by a fault of ours', () => {
  /** As after so many failures before this one. */
  const afterFailures = async (failures: number) => {
    await contacts.updateOne({ _id: contact._id }, { $set: { failures } });
    refuse(new TypeError('a fault'));
    await dispatch();
  };

  it('keeps its line the first times: the next look tries again', async () => {
    await afterFailures(0);
    expect(await contactNow()).toEqual({ ...contact, failures: 1 });
    expect(slotsGivenBack).toBe(0);
  });

  it('leaves its line to others with every fifth time, for ten minutes', async () => {
    await afterFailures(4);
    const due = new Date(clock.now() + 10 * 60_000);
    expect(await contactNow()).toEqual(
      takenBack({
        status: 'pending',
        rank: CONTACT_RANK.again,
        due_at: due,
        next_retry_at: due,
        failures: 5,
      }),
    );
    expect([slotsGivenBack, (await campaignNow()).put_off_by ?? null]).toEqual([1, null]);
  });

  it('is given up the thirtieth time, and says so: the campaign comes to its end', async () => {
    await afterFailures(29);
    expect(await contactNow()).toEqual(
      takenBack({ status: 'skipped', skip_reason: 'internal_error', failures: 30 }),
    );
  });

  it('keeps its line where its call was made all the same', async () => {
    exists = true;
    await afterFailures(29);
    expect(await contactNow()).toEqual({ ...contact, failures: 30 });
  });

  it('because the store is away does not count', async () => {
    await contacts.updateOne({ _id: contact._id }, { $set: { failures: 29 } });
    refuse(apiError('store_unavailable'));
    await dispatch();
    expect(await contactNow()).toEqual({ ...contact, failures: 29 });
  });
});
