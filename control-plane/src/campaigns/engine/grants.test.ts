import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { CONTACT_RANK, type ContactDocument, type ContactModel, contactModel } from '../contacts/model.js';
import { type CampaignDocument, type CampaignModel, campaignModel } from '../model.js';
import { runningCampaign, waitingContacts } from '../testing/stored-campaign.js';
import { Granting } from './granting.js';
import { ARREARS_AFTER_STOP_MS, CATCH_UP, SLACK_MS } from './pacing.js';

const [OPEN, CLOSED] = ['+15005550006', '+12135550123'];

let store: TestStore;
let campaigns: CampaignModel;
let contacts: ContactModel;
let clock: ScriptedClock;
let granting: Granting;
/** How many contacts the screen was asked about, each time. */
let screened: number[];
/** How many calls the tenant may begin, and what was asked for and given back. */
let allowed: number;
let taken: number[];
let givenBack: number[];
/** Runs when calls are counted: what others decide meanwhile. */
let meanwhile: () => Promise<unknown>;

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  campaigns = campaignModel(connection);
  contacts = contactModel(connection);
});
afterAll(() => store?.close());
beforeEach(() => {
  clock = new ScriptedClock();
  [screened, taken, givenBack, allowed] = [[], [], [], 1000];
  meanwhile = async () => {};
  granting = new Granting({
    campaigns,
    contacts,
    screen: {
      begin: async () => async (due) => {
        screened.push(due.length);
        return due.filter(({ phone }) => phone !== CLOSED);
      },
    },
    takeDispatches: async (_tenant, count) => {
      taken.push(count);
      await meanwhile();
      return { count: Math.min(count, allowed), giveBack: async (unused) => void givenBack.push(unused) };
    },
    dispatchesPerMinute: 600,
    callIdOf: (id, attempt) => `call ${attempt} of ${id}`,
    clock,
  });
});

/** Stores a campaign of 60 calls a minute that has been running for `sinceMs`. */
async function stored(
  phones: readonly string[],
  changes: Partial<CampaignDocument> = {},
  sinceMs = 0,
): Promise<CampaignDocument> {
  const campaign = runningCampaign(clock.now() - sinceMs, changes);
  await campaigns.collection.insertOne(campaign as never);
  await contacts.collection.insertMany(waitingContacts(campaign, phones) as never[]);
  return campaign;
}
const now = ({ _id }: CampaignDocument) => campaigns.findOne({ _id }).orFail().lean<CampaignDocument>();
const contactsOf = ({ _id }: CampaignDocument) =>
  contacts.find({ campaign_id: _id }).sort({ position: 1 }).lean<ContactDocument[]>();
const positions = (granted: readonly ContactDocument[]) => granted.map(({ position }) => position);
const open = (count: number) => Array<string>(count).fill(OPEN);
const change = (contact: ContactDocument, $set: Partial<ContactDocument>) =>
  contacts.updateOne({ _id: contact._id }, { $set });

describe('a line', () => {
  it('is given to a due contact, which it marks, and uses a slot', async () => {
    const campaign = await stored(open(2));
    const granted = await granting.grant(campaign);
    const [first, second] = await contactsOf(campaign);
    expect(granted).toEqual([first]);
    expect(first).toMatchObject({
      status: 'dialing',
      on_line: true,
      claims: 1,
      attempts: 1,
      call_id: `call 1 of ${first!._id}`,
      next_retry_at: null,
      waits_for_hours: false,
      updated_at: new Date(clock.now()),
    });
    expect(second).toMatchObject({ status: 'pending', on_line: false, claims: 0 });
    expect(await now(campaign)).toEqual({
      ...campaign,
      revision: 1,
      granted: [],
      decision: first!.claimed_by,
      next_slot_at: clock.now() + 1000,
      next_at_fastest: clock.now() - SLACK_MS + 1000 / CATCH_UP,
    });
    expect([taken, givenBack]).toEqual([[1], []]);
  });

  it('costs campaigns whose slots are at the same moment no more writes than one', async () => {
    const three = [await stored(open(1)), await stored(open(1)), await stored(open(1))];
    const [decisions, marks] = [campaigns, contacts].map(({ collection }) =>
      vi.spyOn(collection, 'bulkWrite'),
    );
    onTestFinished(() => void vi.restoreAllMocks());
    let goOn = () => {};
    const together = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    meanwhile = async () => {
      if (taken.length === three.length) goOn();
      await together;
    };
    const granted = await Promise.all(three.map((campaign) => granting.grant(campaign)));
    expect(granted.map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(decisions).toHaveBeenCalledTimes(2);
    expect(marks).toHaveBeenCalledTimes(1);
  });

  it('is given by one of two replicas that decide alike beside other campaigns, and marked by that one', async () => {
    const [contested, other] = [await stored(open(1)), await stored(open(1))];
    const second = new Granting(optionsOf());
    const looks = await Promise.all([
      granting.grant(contested),
      granting.grant(other),
      second.grant(contested),
    ]);
    expect(looks.map(({ length }) => length).sort()).toEqual([0, 1, 1]);
    const [contact] = await contactsOf(contested);
    expect(contact).toMatchObject({ claims: 1, on_line: true, claimed_by: (await now(contested)).decision });
  });

  it('is not given before its slot, nor asked for', async () => {
    const campaign = await stored(open(1), { next_slot_at: clock.now() + 1 });
    expect(await granting.grant(campaign)).toEqual([]);
    expect([taken, screened]).toEqual([[], []]);
    clock.advance(1);
    expect(await granting.grant(campaign)).toHaveLength(1);
  });

  it('is one of max_concurrent, those that are in use included', async () => {
    const campaign = await stored(open(6), { max_concurrent: 3, calls_per_minute: 600 }, 1000);
    const [first] = await contactsOf(campaign);
    await change(first!, { on_line: true, status: 'pending' });
    expect(positions(await granting.grant(campaign))).toEqual([1, 2]);
    const full = await now(campaign);
    expect(await granting.grant(full)).toEqual([]);
    expect(taken).toEqual([2]);
    expect(await now(campaign)).toEqual(full);
  });

  it('is one of fifty at most in one look', async () => {
    const campaign = await stored(
      open(52),
      { max_concurrent: 100, calls_per_minute: 6000, next_at_fastest: 0 },
      60_000,
    );
    const fast = new Granting({ ...optionsOf(), dispatchesPerMinute: 6000 });
    expect(await fast.grant(campaign)).toHaveLength(50);
    expect(await fast.grant(await now(campaign))).toHaveLength(2);
  });

  it('is paced by the limit of the tenant where that is less than its own rate', async () => {
    const campaign = await stored(open(2), { calls_per_minute: 6000 });
    await granting.grant(campaign);
    // 600 a minute.
    expect((await now(campaign)).next_slot_at).toBe(clock.now() + 100);
  });

  it('is not given beyond what the tenant may begin', async () => {
    const campaign = await stored(open(5), { calls_per_minute: 600 }, 1000);
    allowed = 2;
    expect(await granting.grant(campaign)).toHaveLength(2);
    allowed = 0;
    expect(await granting.grant(await now(campaign))).toEqual([]);
    expect(taken).toEqual([5, 3]);
    expect(await now(campaign)).toMatchObject({ revision: 1 });
  });
});

/** Options of a granting whose screen lets everybody through. */
function optionsOf(): ConstructorParameters<typeof Granting>[0] {
  return {
    campaigns,
    contacts,
    screen: { begin: async () => async (due) => due },
    takeDispatches: async (_tenant, count) => ({ count, giveBack: async () => {} }),
    dispatchesPerMinute: 600,
    callIdOf: (id, attempt) => `call ${attempt} of ${id}`,
    clock,
  };
}

describe('whose turn it is', () => {
  it('is first of those that somebody waits for, by when they are due, then of fresh ones by their place', async () => {
    const campaign = await stored(open(5), { calls_per_minute: 600 }, 1000);
    const [, later, , sooner, notYet] = await contactsOf(campaign);
    await change(later!, { rank: CONTACT_RANK.again, due_at: new Date(clock.now()) });
    await change(sooner!, { rank: CONTACT_RANK.again, due_at: new Date(clock.now() - 1) });
    await change(notYet!, { rank: CONTACT_RANK.again, due_at: new Date(clock.now() + 1) });
    expect(await granting.nextDueAt(campaign)).toBe(campaign.created_at.getTime());
    expect(positions(await granting.grant(campaign)).sort()).toEqual([0, 1, 2, 3]);
    expect(await granting.nextDueAt(campaign)).toBe(clock.now() + 1);
    await change(notYet!, { on_line: true });
    expect(await granting.nextDueAt(campaign)).toBeNull();
    await change(notYet!, { on_line: false, status: 'cancelled' });
    expect(await granting.nextDueAt(campaign)).toBeNull();
  });

  it('is of those that somebody waits for alone where no more slots are due', async () => {
    const campaign = await stored(open(3));
    const [, , again] = await contactsOf(campaign);
    await change(again!, { rank: CONTACT_RANK.again });
    expect(positions(await granting.grant(campaign))).toEqual([2]);
    expect(screened).toEqual([1]);
  });

  it('is of no more than there are slots, of both kinds together', async () => {
    const campaign = await stored(open(4), {}, 1000);
    const [, , again] = await contactsOf(campaign);
    await change(again!, { rank: CONTACT_RANK.again });
    expect(positions(await granting.grant(campaign)).sort()).toEqual([0, 2]);
  });

  it('leaves its room to fresh contacts where those that somebody waits for are not admitted', async () => {
    const campaign = await stored([OPEN, CLOSED]);
    const [, waitedFor] = await contactsOf(campaign);
    await change(waitedFor!, { rank: CONTACT_RANK.again });
    expect(positions(await granting.grant(campaign))).toEqual([0]);
  });

  it('is of the next ones where hours are closed, of as many as a look may screen', async () => {
    const campaign = await stored([...Array<string>(3).fill(CLOSED), OPEN]);
    expect(positions(await granting.grant(campaign))).toEqual([3]);
    // Nobody waits; the first fresh one, who is closed; then all of them.
    expect(screened).toEqual([0, 1, 4]);
    const more = await stored([CLOSED, OPEN, OPEN]);
    expect(positions(await granting.grant(more))).toEqual([1]);
  });

  it('is nobody’s after five times five hundred of whom none is open', async () => {
    const campaign = await stored(Array<string>(501).fill(CLOSED));
    expect(await granting.grant(campaign)).toEqual([]);
    expect(screened).toEqual([0, 1, 500, 500, 500, 500]);
    expect(taken).toEqual([]);
  });
});

describe('a decision', () => {
  it('is void where another was made meanwhile, and what it took is given back', async () => {
    for (const changes of [
      { $inc: { revision: 1 } },
      { $set: { status: 'paused' as const } },
      { $inc: { next_slot_at: -1000 } },
    ]) {
      const campaign = await stored(open(2));
      meanwhile = () => campaigns.updateOne({ _id: campaign._id }, changes);
      expect(await granting.grant(campaign)).toEqual([]);
      expect((await contactsOf(campaign)).every(({ on_line }) => !on_line)).toBe(true);
    }
    expect(givenBack).toEqual([1, 1, 1]);
  });

  it('is carried out by the replica that reads it, once', async () => {
    const campaign = await stored(open(2));
    const [first, second] = await contactsOf(campaign);
    const granted = [first!, second!].map(({ _id }) => ({ contact_id: _id, claims: 0, attempt: 4 }));
    await change(second!, { claims: 1 });
    await campaigns.updateOne({ _id: campaign._id }, { $set: { granted } });
    const decided = await now(campaign);
    expect(await granting.complete(decided)).toMatchObject([
      { _id: first!._id, attempts: 4, call_id: `call 4 of ${first!._id}`, claims: 1 },
    ]);
    expect((await now(campaign)).granted).toEqual([]);
    expect(await granting.complete(decided)).toEqual([]);
    expect(await contactsOf(campaign)).toMatchObject([{ claims: 1 }, { claims: 1, on_line: false }]);
  });

  it('is not forgotten by one who carries out an older one', async () => {
    const campaign = await stored(open(1), { revision: 3 });
    const granted = [{ contact_id: (await contactsOf(campaign))[0]!._id, claims: 0, attempt: 1 }];
    await campaigns.updateOne({ _id: campaign._id }, { $set: { granted } });
    await granting.complete({ ...campaign, revision: 2, granted });
    expect((await now(campaign)).granted).toEqual(granted);
  });

  it('names no contact that is on the line, or not pending any more', async () => {
    const campaign = await stored(open(2));
    const both = await contactsOf(campaign);
    await change(both[0]!, { on_line: true });
    await change(both[1]!, { status: 'cancelled' });
    const granted = both.map(({ _id }) => ({ contact_id: _id, claims: 0, attempt: 1 }));
    expect(await granting.complete({ ...campaign, granted })).toEqual([]);
  });
});

describe('a slot that was not used', () => {
  it('is given back to a running campaign, by its rate or that of the tenant', async () => {
    for (const [calls_per_minute, ms] of [
      [60, 1000],
      [6000, 100],
    ] as const) {
      const campaign = await stored(open(1), { calls_per_minute });
      await granting.giveSlotBack(campaign);
      expect((await now(campaign)).next_slot_at).toBe(campaign.next_slot_at - ms);
    }
    const paused = await stored(open(1), { status: 'paused' });
    await granting.giveSlotBack(paused);
    expect(await now(paused)).toEqual(paused);
  });
});

describe('what a campaign owes', () => {
  it('is all of the last minute where only the machine was in its way', async () => {
    const campaign = await stored(open(5), {}, 3_600_000);
    for (const count of [2, 1]) {
      await campaigns.updateOne({ _id: campaign._id }, { $set: { next_slot_at: 0 } });
      expect(await granting.grant(await now(campaign))).toHaveLength(count);
      expect((await now(campaign)).next_slot_at).toBe(clock.now() - 60_000 + count * 1000);
      clock.advance(1000);
    }
  });

  it.each<[string, () => Promise<CampaignDocument>]>([
    ['it was stopped', () => stored(open(3), {}, 60_000)],
    [
      'nobody was due',
      async () => {
        const campaign = await stored(open(3), {}, 60_000);
        await contacts.updateMany(
          { campaign_id: campaign._id },
          { $set: { due_at: new Date(clock.now() + 1) } },
        );
        await granting.grant(campaign);
        return campaign;
      },
    ],
    [
      'fewer were due than there were slots',
      async () => {
        const campaign = await stored(open(1), {}, 60_000);
        await granting.grant({ ...campaign, next_at_fastest: 0 });
        await contacts.updateMany(
          { campaign_id: campaign._id },
          { $set: { on_line: false, status: 'pending' } },
        );
        return campaign;
      },
    ],
  ])('is ten seconds where %s', async (why, begin) => {
    const campaign = await begin();
    if (why === 'it was stopped') granting.stopped(campaign._id);
    const stoppedAt = clock.now();
    clock.advance(2000);
    await campaigns.updateOne({ _id: campaign._id }, { $set: { next_slot_at: 0, next_at_fastest: 0 } });
    const late = await now(campaign);
    await contacts.updateMany({ campaign_id: campaign._id }, { $set: { due_at: new Date(0) } });
    const granted = await granting.grant(late);
    expect(granted.length).toBeGreaterThan(0);
    expect((await now(campaign)).next_slot_at).toBe(
      stoppedAt - ARREARS_AFTER_STOP_MS + granted.length * 1000,
    );
  });

  it('is forgotten by the replica after a minute, and not before', async () => {
    const [early, other] = [await stored(open(1)), await stored(open(1))];
    granting.stopped(early._id);
    clock.advance(60_000);
    granting.stopped(other._id);
    const owes = async (campaign: CampaignDocument) => {
      await campaigns.updateOne({ _id: campaign._id }, { $set: { next_slot_at: 0 } });
      await granting.grant(await now(campaign));
      return (await now(campaign)).next_slot_at - clock.now();
    };
    // A minute is all that is ever owed.
    expect(await owes(early)).toBe(-60_000 + 1000);
    expect(await owes(other)).toBe(-ARREARS_AFTER_STOP_MS + 1000);
  });
});
