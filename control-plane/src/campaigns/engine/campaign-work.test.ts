import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CallModel, callModel } from '../../calls/record/model.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { TenantEvent } from '../../webhooks/events/tenant-events.js';
import { CONTACT_PUBLICATION } from '../contact-publication.js';
import { type ContactDocument, type ContactModel, contactModel } from '../contacts/model.js';
import { type CampaignDocument, type CampaignModel, campaignModel, PUBLISHED_RUN } from '../model.js';
import { runningCampaign, waitingContacts } from '../testing/stored-campaign.js';
import { CampaignWork } from './campaign-work.js';
import type { LinesSeen } from './settling.js';

const TALKS = '+15005550006';
const LINES_REST_MS = 200;
const NOTHING: LinesSeen = { busy: 0, dialed: false, orphans: [] };

let store: TestStore;
let campaigns: CampaignModel;
let contacts: ContactModel;
let calls: CallModel;
let clock: ScriptedClock;
let work: CampaignWork;
/** What the parts of the work were asked for, in order. */
let asked: string[];
let completed: ContactDocument[];
let granted: ContactDocument[];
let nextDueAt: number | null;
/** How long it is to the next slot, and after lines that were given just now, in ms. */
let untilSlot: number;
let untilSlotAfter: number;
/** Whether the campaign was seen to have lines in use, last. */
let linesSeen: boolean | undefined;
let settle: () => Promise<LinesSeen>;
let dispatch: () => Promise<void>;
let emitted: TenantEvent[];
/** Runs once a campaign is read, and before an event is taken: what others do meanwhile. */
let afterRead: () => Promise<unknown>;
let beforeEmit: () => Promise<unknown>;
let errors: string[];

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  campaigns = campaignModel(connection);
  contacts = contactModel(connection);
  calls = callModel(connection);
});
afterAll(() => store?.close());
beforeEach(() => {
  clock = new ScriptedClock();
  [asked, completed, granted, nextDueAt, emitted, errors] = [[], [], [], null, [], []];
  [untilSlot, untilSlotAfter, linesSeen] = [0, 0, undefined];
  settle = async () => NOTHING;
  dispatch = async () => {};
  [afterRead, beforeEmit] = [async () => {}, async () => {}];
  work = new CampaignWork({
    campaigns,
    contacts,
    calls,
    granting: {
      complete: async () => {
        asked.push('complete');
        await afterRead();
        return completed;
      },
      grant: async ({ waiting_reason }) => {
        asked.push(waiting_reason === null ? 'grant' : `grant while ${waiting_reason}`);
        return granted;
      },
      stopped: () => void asked.push('stopped'),
      rested: (_id, at) => void asked.push(`rested until ${at - clock.now()} ms`),
      untilNextSlot: (_campaign, given = 0) => (given > 0 ? untilSlotAfter : untilSlot),
      nextDueAt: async () => nextDueAt,
    },
    settling: {
      settle: () => {
        asked.push('settle');
        return settle();
      },
    },
    dispatching: {
      dispatch: (_campaign, contact) => {
        asked.push(`dispatch ${contact.position}`);
        return dispatch();
      },
      publishStart: async () => void asked.push('publish the start'),
    },
    lines: {
      note: (_id, inUse) => {
        linesSeen = inUse;
      },
      restMs: () => LINES_REST_MS,
    },
    events: {
      emit: async (event) => {
        await beforeEmit();
        emitted.push(event);
      },
    },
    clock,
    log: { ...silentLog, error: (_fields, message) => errors.push(message) },
  });
});

/** Stores a campaign with a contact of each of these statuses. */
async function stored(
  changes: Partial<CampaignDocument> = {},
  statuses: readonly ContactDocument['status'][] = ['pending'],
): Promise<CampaignDocument> {
  const campaign = runningCampaign(clock.now() - 60_000, changes);
  await campaigns.collection.insertOne(campaign as never);
  const all = waitingContacts(campaign, Array(statuses.length).fill(TALKS));
  if (all.length > 0) {
    await contacts.collection.insertMany(
      all.map((contact, n) => ({
        ...contact,
        status: statuses[n],
        on_line: statuses[n] === 'dialing',
      })) as never[],
    );
  }
  return campaign;
}
/** Contacts with a call each, as they are given lines. */
const onLine = (campaign: CampaignDocument, count = 1) =>
  waitingContacts(campaign, Array(count).fill(TALKS)).map((contact) => ({ ...contact, call_id: newId() }));
const now = ({ _id }: CampaignDocument) => campaigns.findOne({ _id }).orFail().lean<CampaignDocument>();
const look = ({ _id }: CampaignDocument) => work.look(_id);
/** What another replica, or the tenant, decides. */
const decided = ({ _id }: CampaignDocument, changes: Partial<CampaignDocument>) =>
  campaigns.updateOne({ _id }, { $set: changes, $inc: { revision: 1 } });
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('a campaign that needs no look', () => {
  it.each<[string, Partial<CampaignDocument>]>([
    ['has nothing to do', { active: false }],
    ['is not published', { published: false }],
  ])('because it %s is left alone', async (_why, changes) => {
    expect(await look(await stored(changes))).toBeNull();
    expect(asked).toEqual([]);
  });

  it('because it is gone is left alone', async () => {
    expect(await work.look(newId())).toBeNull();
  });
});

describe('a scheduled campaign', () => {
  const at = (inMs: number) => stored({ status: 'scheduled', scheduled_start: new Date(clock.now() + inMs) });

  it.each([
    [1, 1],
    [400, 400],
    [86_400_000, 86_400_000],
  ])('that starts in %i ms is looked at again in %i ms', async (inMs, rest) => {
    const campaign = await at(inMs);
    expect(await look(campaign)).toBe(rest);
    expect(await now(campaign)).toEqual(campaign);
  });

  it('starts at its time, or at once where it has none: slots count from then', async () => {
    for (const campaign of [await at(0), await stored({ status: 'scheduled', started_at: null })]) {
      expect(await look(campaign)).toBe(0);
      expect(await now(campaign)).toMatchObject({
        status: 'running',
        revision: campaign.revision + 1,
        next_slot_at: clock.now(),
        started_at: campaign.started_at ?? new Date(clock.now()),
        updated_at: new Date(clock.now()),
      });
    }
  });
});

it('a scheduled campaign that is cancelled at its time is not started', async () => {
  const campaign = await stored({ status: 'scheduled' });
  afterRead = () => decided(campaign, { status: 'cancelled' });
  await look(campaign);
  expect((await now(campaign)).status).toBe('cancelled');
});

describe('a running campaign', () => {
  it('carries out what was decided, settles, and calls those that it gives lines', async () => {
    const campaign = await stored();
    [completed, granted] = [onLine(campaign), onLine(campaign, 2).slice(1)];
    nextDueAt = clock.now() + 1000;
    expect(await look(campaign)).toBe(0);
    expect(asked).toEqual(['complete', 'dispatch 0', 'settle', 'grant', 'dispatch 1']);
  });

  it('waits as long as it has to', async () => {
    const until = new Date(clock.now() + 1);
    const campaign = await stored({ waiting_reason: 'agent_inactive', waiting_until: until });
    expect(await look(campaign)).toBe(1);
    expect(asked).toEqual(['complete', 'settle', 'stopped']);
    expect(await now(campaign)).toEqual(campaign);
    asked = [];
    clock.advance(1);
    granted = onLine(campaign);
    expect(await look(campaign)).toBe(0);
    expect(asked).toEqual(['complete', 'settle', 'stopped', 'grant', 'dispatch 0']);
    expect(await now(campaign)).toMatchObject({ waiting_reason: null, waiting_until: null });
  });

  it.each([
    ['nobody', null, 0],
    ['somebody who is overdue', -1, 0],
    ['somebody in 300 ms', 300, 300],
    ['somebody in an hour', 3_600_000, 3_600_000],
  ])('that can call %s is looked at again accordingly', async (_whom, dueInMs, rest) => {
    const campaign = await stored({}, ['completed', 'pending']);
    nextDueAt = dueInMs === null ? null : clock.now() + dueInMs;
    expect(await look(campaign)).toBe(rest);
    expect(await now(campaign)).toEqual(campaign);
  });

  it('that waits is looked at sooner while lines are in use', async () => {
    const waiting = { waiting_reason: 'agent_inactive', waiting_until: new Date(clock.now() + 15_000) };
    expect(await look(await stored(waiting))).toBe(15_000);
    expect(await look(await stored(waiting, ['dialing']))).toBe(LINES_REST_MS);
  });

  it.each([
    ['its next slot is', 5000, 300, 5000],
    ['somebody is due', 300, 5000, 5000],
  ])('is looked at again when %s, whichever is later', async (_what, slotInMs, dueInMs, rest) => {
    [untilSlot, nextDueAt] = [slotInMs, clock.now() + dueInMs];
    expect(await look(await stored())).toBe(rest);
  });

  it('that was given a line is looked at again with its next slot, and before while lines are in use', async () => {
    const campaign = await stored();
    granted = onLine(campaign);
    untilSlotAfter = 66;
    expect(await look(campaign)).toBe(66);
    untilSlotAfter = 60_000;
    expect(await look(campaign)).toBe(LINES_REST_MS);
    expect(linesSeen).toBe(true);
  });

  it('owes nothing for the time in which nobody was due', async () => {
    const campaign = await stored();
    nextDueAt = clock.now();
    await work.look(campaign._id, clock.now() - 5);
    expect(asked).toEqual(['rested until -5 ms', 'complete', 'settle', 'grant']);
  });

  it('with somebody on the line is looked at again soon', async () => {
    nextDueAt = clock.now() + 3_600_000;
    expect(await look(await stored({}, ['dialing']))).toBe(LINES_REST_MS);
    untilSlot = 100;
    expect(await look(await stored({}, ['dialing']))).toBe(100);
    // Also one that was rescheduled during its call.
    const campaign = await stored({}, ['pending']);
    await contacts.updateOne({ campaign_id: campaign._id }, { $set: { on_line: true } });
    expect(await look(campaign)).toBe(100);
    // An answered call is open as well.
    expect(await look(await stored({}, ['in_progress']))).toBe(3_600_000);
  });

  describe('whose slots are far apart', () => {
    const slow = { calls_per_minute: 30 };

    it('settles what has ended after it has given lines, and rests when no line is left', async () => {
      untilSlot = 60_000;
      expect(await look(await stored(slow, ['dialing']))).toBe(60_000);
      expect(asked).toEqual(['complete', 'grant', 'settle']);
      expect(linesSeen).toBe(false);
      settle = async () => ({ ...NOTHING, busy: 1 });
      expect(await look(await stored(slow, ['dialing']))).toBe(LINES_REST_MS);
      expect(linesSeen).toBe(true);
    });

    it('settles nothing while it gives lines', async () => {
      const campaign = await stored(slow);
      granted = onLine(campaign);
      await look(campaign);
      expect(asked).toEqual(['complete', 'grant', 'dispatch 0']);
    });
  });

  it('makes each call once, however often it is found', async () => {
    const campaign = await stored();
    let finish = () => {};
    dispatch = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    granted = [...onLine(campaign), ...waitingContacts(campaign, [TALKS])];
    await look(campaign);
    await look(campaign);
    // (The second of the two has no call to make.)
    expect(asked.filter((what) => what === 'dispatch 0')).toHaveLength(1);
    finish();
    await soon();
    await look(campaign);
    expect(asked.filter((what) => what === 'dispatch 0')).toHaveLength(2);
    finish();
  });

  it('is settled once at a time, and goes on where that fails or a call cannot be made', async () => {
    const campaign = await stored({}, ['dialing']);
    let fail = () => {};
    settle = () =>
      new Promise((_resolve, reject) => {
        fail = () => reject(new Error('no'));
      });
    dispatch = async () => {
      throw new Error('no');
    };
    completed = onLine(campaign);
    await look(campaign);
    await look(campaign);
    expect(asked.filter((what) => what === 'settle')).toHaveLength(1);
    fail();
    await soon();
    settle = async () => NOTHING;
    expect(await look(campaign)).toBe(LINES_REST_MS);
    expect(asked.filter((what) => what === 'settle')).toHaveLength(2);
    expect(new Set(errors)).toEqual(new Set(['dispatch failed', 'ended calls could not be settled']));
  });

  it('makes the calls whose dispatcher is gone, and publishes its start where that is missing', async () => {
    const begun = await stored({ first_dispatch_at: new Date() }, ['dialing']);
    settle = async () => ({ busy: 1, dialed: true, orphans: onLine(begun) });
    await look(begun);
    await work.settled();
    expect(asked).toEqual(['complete', 'settle', 'grant', 'dispatch 0']);
    asked = [];
    await look(await stored({}, ['dialing']));
    await work.settled();
    expect(asked).toContain('publish the start');
    asked = [];
    settle = async () => NOTHING;
    await look(await stored({}, ['dialing']));
    await work.settled();
    expect(asked).toEqual(['complete', 'settle', 'grant']);
  });
});

describe('a campaign whose contacts are all through', () => {
  const THROUGH = ['completed', 'busy', 'skipped'] as const;

  it('is completed, publishes it with what came of them, and rests', async () => {
    const campaign = await stored({ total_contacts: 3 }, THROUGH);
    expect(await look(campaign)).toBe(0);
    expect(await now(campaign)).toMatchObject({
      status: 'completed',
      completed_at: new Date(clock.now()),
      updated_at: new Date(clock.now()),
      revision: campaign.revision + 1,
      [PUBLISHED_RUN]: 1,
      active: false,
    });
    expect(emitted).toMatchObject([
      {
        type: 'campaign.completed',
        occurredAt: clock.now(),
        data: {
          campaign_id: campaign._id,
          total_contacts: 3,
          success_count: 1,
          failure_count: 1,
          no_answer_count: 1,
        },
      },
    ]);
  });

  it('is not completed before the end of every call is published', async () => {
    const campaign = await stored({}, THROUGH);
    const call = {
      _id: newId(),
      tenant_id: campaign.tenant_id,
      campaign_id: campaign._id,
      publish_due_at: new Date(clock.now()),
      published: ['something else'],
    };
    await calls.collection.insertOne(call as never);
    expect(await look(campaign)).toBe(300);
    expect(await now(campaign)).toEqual(campaign);
    await calls.collection.updateOne({ _id: call._id } as never, {
      $set: { published: [CONTACT_PUBLICATION] },
    });
    await look(campaign);
    expect((await now(campaign)).status).toBe('completed');
  });

  it('is not completed for a call of another campaign, or one that publishes nothing more', async () => {
    const campaign = await stored({}, THROUGH);
    const own = { tenant_id: campaign.tenant_id, campaign_id: campaign._id, published: [] };
    await calls.collection.insertMany([
      { ...own, _id: newId(), campaign_id: newId(), publish_due_at: new Date() },
      { ...own, _id: newId(), tenant_id: newId(), publish_due_at: new Date() },
      { ...own, _id: newId(), publish_due_at: null },
    ] as never[]);
    await look(campaign);
    expect((await now(campaign)).status).toBe('completed');
  });

  it('is not completed where somebody decided something new meanwhile', async () => {
    const campaign = await stored({}, THROUGH);
    afterRead = () => decided(campaign, {});
    expect(await look(campaign)).toBe(0);
    expect((await now(campaign)).status).toBe('running');
    expect(emitted).toEqual([]);
  });

  it('is published again after a crash, at the time of its completion, and then never more', async () => {
    const completed_at = new Date(clock.now() - 5000);
    const campaign = await stored({ status: 'completed', completed_at, run: 2, [PUBLISHED_RUN]: 1 }, THROUGH);
    expect(await look(campaign)).toBeNull();
    expect(emitted).toMatchObject([{ occurredAt: completed_at.getTime() }]);
    expect(await now(campaign)).toMatchObject({ [PUBLISHED_RUN]: 2, active: false });
    await campaigns.updateOne({ _id: campaign._id }, { $set: { active: true } });
    await look(campaign);
    expect(emitted).toHaveLength(1);
  });

  it('that is revived while it is published runs on, and is published again', async () => {
    const campaign = await stored({}, THROUGH);
    beforeEmit = () =>
      campaigns.updateOne(
        { _id: campaign._id },
        { $set: { status: 'running' }, $inc: { revision: 1, run: 1 } },
      );
    await look(campaign);
    expect(await now(campaign)).toMatchObject({
      status: 'running',
      active: true,
      run: 2,
      [PUBLISHED_RUN]: 0,
    });
  });
});

describe('a campaign that calls nobody any more', () => {
  it.each(['draft', 'paused', 'completed', 'cancelled'] as const)(
    'because it is %s is looked after until its last call is over',
    async (status) => {
      const campaign = await stored({ status, [PUBLISHED_RUN]: 1 }, ['pending']);
      settle = async () => ({ ...NOTHING, busy: 1 });
      expect(await look(campaign)).toBe(LINES_REST_MS);
      expect((await now(campaign)).active).toBe(true);
      settle = async () => NOTHING;
      expect(await look(campaign)).toBeNull();
      expect(await now(campaign)).toMatchObject({ status, active: false });
      expect(asked).not.toContain('grant');
      const [contact] = await contacts.find({ campaign_id: campaign._id }).lean();
      expect(contact!.status).toBe(status === 'cancelled' ? 'cancelled' : 'pending');
    },
  );

  it('does not rest where somebody decided something new meanwhile', async () => {
    const campaign = await stored({ status: 'paused' });
    settle = async () => {
      await decided(campaign, { status: 'running' });
      return NOTHING;
    };
    expect(await look(campaign)).toBe(0);
    expect((await now(campaign)).active).toBe(true);
  });

  it('is settled as it is now: what began before is waited for, whether it fails or not', async () => {
    const campaign = await stored({}, ['dialing']);
    let fail = () => {};
    settle = () =>
      new Promise((_resolve, reject) => {
        fail = () => reject(new Error('no'));
      });
    await look(campaign);
    await campaigns.updateOne({ _id: campaign._id }, { $set: { status: 'paused' } });
    const looking = look(campaign);
    while (asked.filter((what) => what === 'complete').length < 2) await soon();
    settle = async () => NOTHING;
    fail();
    expect(await looking).toBeNull();
    expect(asked.filter((what) => what === 'settle')).toHaveLength(2);
  });

  it('fails a look where it cannot be settled', async () => {
    settle = async () => {
      throw new Error('no');
    };
    await expect(look(await stored({ status: 'paused' }))).rejects.toThrow('no');
  });
});

it.each([
  ['calls are made first', (finish: (() => void)[]) => finish.reverse()],
  ['lines are looked at first', (finish: (() => void)[]) => finish],
])('has settled when every call is made and every line looked at: %s', async (_which, inOrder) => {
  const campaign = await stored({}, ['dialing']);
  const finish: (() => void)[] = [];
  settle = () => new Promise((resolve) => finish.push(() => resolve(NOTHING)));
  dispatch = () => new Promise((resolve) => finish.push(resolve));
  granted = onLine(campaign);
  await look(campaign);
  expect(asked).toEqual(['complete', 'settle', 'grant', 'dispatch 0']);
  let settled = false;
  const waiting = work.settled().then(() => {
    settled = true;
  });
  for (const each of inOrder(finish)) {
    await soon();
    expect(settled).toBe(false);
    each();
  }
  await waiting;
});
