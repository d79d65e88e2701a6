import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { derivedId, newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callingHours } from '../../agents/calling-hours.js';
import { windowOf } from '../../compliance/decide.js';
import { NumberRegions } from '../../compliance/number-region.js';
import { RateLimiter } from '../../platform/http/rate-limits.js';
import { ensureIndexes } from '../../platform/store/ensure-indexes.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { type ContactDocument, type ContactModel, contactModel } from '../contacts/model.js';
import { type CampaignDocument, type CampaignModel, campaignModel } from '../model.js';
import { runningCampaign, waitingContacts } from '../testing/stored-campaign.js';
import { Granting } from './granting.js';
import { HoursScreen } from './hours-screen.js';
import { CATCH_UP, SLACK_MS } from './pacing.js';

const TALKS = '+15005550006';
const NEW_YORK = '+12125550123';
const LOS_ANGELES = '+12135550123';
const CAMPAIGN_DISPATCH = 120;
/** A Monday, 10:00 in New York and 7:00 in Los Angeles; hours are 8:00 to 21:00. */
const MONDAY = Date.UTC(2026, 0, 5, 15);
const HOUR_MS = 3_600_000;

let store: TestStore;
let campaigns: CampaignModel;
let contacts: ContactModel;
let limits: (clock: ScriptedClock, perMinute: number) => RateLimiter;
const regions = new NumberRegions();

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  campaigns = campaignModel(connection);
  contacts = contactModel(connection);
  await ensureIndexes(connection);
  limits = (clock, perMinute) =>
    new RateLimiter({
      store: connection,
      limits: { default: 1, session: 1, dial: 1, 'campaign-dispatch': perMinute },
      clock,
    });
});
afterAll(async () => {
  await store?.close();
});

/** What one replica does at a look: it completes what was decided, then decides. */
class Replica {
  readonly called: ContactDocument[] = [];
  readonly granting: Granting;

  constructor(
    clock: ScriptedClock,
    { perMinute = 1_000_000, spreadOver = 1_000_000, model = contacts } = {},
  ) {
    const limiter = limits(clock, perMinute);
    this.granting = new Granting({
      campaigns,
      contacts: model,
      screen: new HoursScreen({
        campaigns,
        contacts,
        agents: { snapshot: async () => ({ isActive: true, callingHours: callingHours.parse({}) }) },
        windowOf: (hours, phone, now) => windowOf(hours, regions.of(phone), now),
      }),
      takeDispatches: (tenant, count) => limiter.take(`tenant/${tenant}`, 'campaign-dispatch', count),
      dispatchesPerMinute: spreadOver,
      callIdOf: (id, attempt) => derivedId(id, `attempt:${attempt}`),
      clock,
    });
  }

  async look(id: string): Promise<ContactDocument[]> {
    const campaign = await campaigns.findOne({ _id: id }).orFail().lean<CampaignDocument>();
    const granted = [...(await this.granting.complete(campaign)), ...(await this.granting.grant(campaign))];
    this.called.push(...granted);
    return granted;
  }
}

async function stored(clock: ScriptedClock, phones: readonly string[], changes: Partial<CampaignDocument>) {
  const campaign = runningCampaign(clock.now(), changes);
  await campaigns.collection.insertOne(campaign as never);
  await contacts.collection.insertMany(waitingContacts(campaign, phones) as never[]);
  return campaign._id;
}
const linesOf = (id: string) => contacts.countDocuments({ campaign_id: id, on_line: true });
const hangUp = (ids: readonly string[]) =>
  contacts.updateMany({ _id: { $in: ids } }, { $set: { on_line: false, status: 'completed' } });
/** A replica that is killed after it has decided, before it marks anybody. */
const dyingModel = () =>
  new Proxy(contacts, {
    get: (model, property) =>
      property === 'collection' ? dyingCollection() : Reflect.get(model, property, model),
  });
const dyingCollection = () =>
  new Proxy(contacts.collection, {
    get: (collection, property) =>
      property === 'bulkWrite'
        ? () => {
            throw new Error('killed');
          }
        : Reflect.get(collection, property, collection),
  });

describe('two replicas that decide at the same moment', () => {
  // @rule 1.5
  it('never give more lines than max_concurrent, and no contact two', async () => {
    const clock = new ScriptedClock();
    const id = await stored(clock, Array(40).fill(TALKS), { max_concurrent: 7, calls_per_minute: 6000 });
    const replicas = [new Replica(clock), new Replica(clock)];
    for (let round = 0; round < 24; round++) {
      clock.advance(100);
      await Promise.all([...replicas, ...replicas].map((replica) => replica.look(id)));
      expect(await linesOf(id)).toBeLessThanOrEqual(7);
      // Calls end while others are decided about.
      const live = await contacts.find({ campaign_id: id, on_line: true }, { _id: 1 }).lean();
      const over = live.slice(0, 1 + (round % 3)).map(({ _id }) => _id);
      await Promise.all([hangUp(over), ...replicas.map((replica) => replica.look(id))]);
      expect(await linesOf(id)).toBeLessThanOrEqual(7);
    }
    const called = replicas.flatMap((replica) => replica.called.map(({ _id }) => _id));
    expect(new Set(called).size).toBe(called.length);
    expect(called.length).toBe(40);
  });
});

describe('a replica is killed between deciding and calling, and for 6 s nobody looks', () => {
  // @rule 1.5
  it('the rate is made good within 30 s, without a burst, within max_concurrent, nobody twice', async () => {
    const clock = new ScriptedClock();
    const [rate, lines, callMs, lookMs] = [600, 40, 2000, 500];
    const id = await stored(clock, Array(600).fill(TALKS), {
      max_concurrent: lines,
      calls_per_minute: rate,
    });
    const began = clock.now();
    const begun: { readonly id: string; readonly at: number }[] = [];
    const survivor = new Replica(clock);
    let victim: Replica | null = new Replica(clock);
    let most = 0;
    for (let ms = 0; ms <= 48_000; ms += lookMs, clock.advance(lookMs)) {
      if (ms === 10_000) {
        await expect(new Replica(clock, { model: dyingModel() }).look(id)).rejects.toThrow('killed');
        victim = null;
      }
      if (ms >= 10_000 && ms < 16_000) continue;
      const over = begun.filter(({ at }) => at <= clock.now() - callMs && at > clock.now() - callMs - 7000);
      await hangUp(over.map(({ id: contact }) => contact));
      const granted = (await Promise.all([survivor.look(id), victim?.look(id) ?? []])).flat();
      begun.push(...granted.map(({ _id }) => ({ id: _id, at: clock.now() })));
      most = Math.max(most, await linesOf(id));
    }
    expect(new Set(begun.map(({ id: contact }) => contact)).size).toBe(begun.length);
    expect(most).toBeLessThanOrEqual(lines);
    const madeGoodAt = began + 16_000 + 6000 / (CATCH_UP - 1);
    const owed = (rate * (madeGoodAt - began)) / 60_000;
    const made = begun.filter(({ at }) => at <= madeGoodAt).length;
    expect(Math.abs(made / owed - 1)).toBeLessThan(0.02);
    for (const from of begun) {
      const second = begun.filter(({ at }) => at >= from.at && at < from.at + 1000).length;
      // The survivor carries out the victim's last decision, too, which is of one look.
      const lastDecision = Math.ceil((rate * lookMs) / 60_000);
      expect(second).toBeLessThanOrEqual((rate * CATCH_UP * (1000 + SLACK_MS)) / 60_000 + 1 + lastDecision);
    }
  });
});

describe('Rate class campaign-dispatch: 120 requests/minute per tenant', () => {
  // @rule 8.2
  it('is exact for two campaigns of a tenant on two replicas at once, in each minute', async () => {
    const clock = new ScriptedClock(Date.now());
    const tenant_id = newId();
    const options = { tenant_id, calls_per_minute: 6000, max_concurrent: 1000 };
    const ids = await Promise.all([1, 2].map(() => stored(clock, Array(200).fill(TALKS), options)));
    const replicas = [1, 2].map(() => new Replica(clock, { perMinute: CAMPAIGN_DISPATCH }));
    const lookForTenSeconds = async () => {
      for (let look = 0; look < 20; look++, clock.advance(500)) {
        await Promise.all(replicas.flatMap((replica) => ids.map((id) => replica.look(id))));
      }
      return replicas.reduce((sum, { called }) => sum + called.length, 0);
    };
    expect(await lookForTenSeconds()).toBe(CAMPAIGN_DISPATCH);
    clock.advance(50_000);
    expect(await lookForTenSeconds()).toBe(2 * CAMPAIGN_DISPATCH);
  });
});

describe("a campaign that is faster than its tenant's limit", () => {
  it('is spread over the minute, and stays within the limit', async () => {
    const clock = new ScriptedClock(Date.now());
    const id = await stored(clock, Array(130).fill(TALKS), { calls_per_minute: 900, max_concurrent: 1000 });
    const limit = 60;
    const replica = new Replica(clock, { perMinute: limit, spreadOver: limit });
    for (let second = 0; second < 60; second++, clock.advance(1000)) {
      expect((await replica.look(id)).length).toBeLessThanOrEqual(2);
    }
    expect(replica.called.length).toBe(limit);
  });
});

describe('a contact that was given a slot and is not called', () => {
  it('costs the others no time', async () => {
    const clock = new ScriptedClock();
    const id = await stored(clock, Array(9).fill(TALKS), { calls_per_minute: 60 });
    const replica = new Replica(clock);
    expect(await replica.look(id)).toHaveLength(1);
    expect(await replica.look(id)).toHaveLength(0);
    await replica.granting.giveSlotBack(await campaigns.findOne({ _id: id }).orFail().lean());
    clock.advance(200);
    expect(await replica.look(id)).toHaveLength(1);
    clock.advance(200);
    expect(await replica.look(id)).toHaveLength(0);
  });
});

describe('contacts whose hours are closed', () => {
  it('take no slot and no line: the open ones are called at the full rate', async () => {
    const clock = new ScriptedClock(MONDAY);
    const phones = Array.from({ length: 700 }, (_, n) => (n % 10 === 9 ? NEW_YORK : LOS_ANGELES));
    const id = await stored(clock, phones, { sandbox: false, calls_per_minute: 600, max_concurrent: 1000 });
    const replica = new Replica(clock);
    for (let ms = 0; ms < 7000; ms += 400, clock.advance(400)) await replica.look(id);
    expect(new Set(replica.called.map(({ phone }) => phone))).toEqual(new Set([NEW_YORK]));
    expect(replica.called.length).toBeGreaterThanOrEqual(69);
    const waiting = await contacts.find({ campaign_id: id, phone: LOS_ANGELES }).lean();
    const opens = new Date(MONDAY + HOUR_MS);
    expect(waiting).toHaveLength(630);
    for (const contact of waiting) {
      expect(contact).toMatchObject({ status: 'pending', attempts: 0, next_retry_at: opens, due_at: opens });
    }
    clock.jump(HOUR_MS);
    const before = replica.called.length;
    for (let ms = 0; ms < 3000; ms += 400, clock.advance(400)) await replica.look(id);
    const later = replica.called.slice(before);
    expect(later.length).toBeGreaterThanOrEqual(30);
    // In the order of the list.
    expect(later.map(({ position }) => position)).toEqual(
      [...later].map(({ position }) => position).sort((a, b) => a - b),
    );
  });

  it('stay with the gate where no hour would let them be called', async () => {
    const clock = new ScriptedClock(MONDAY);
    const id = await stored(clock, [LOS_ANGELES, '+99912345678'], { calls_per_minute: 6000 });
    const replica = new Replica(clock);
    clock.advance(1000);
    await replica.look(id);
    // In the sandbox only test numbers are ever called; and of the other number no zone is known.
    expect(replica.called).toHaveLength(2);
  });
});

describe('a campaign that nobody looked at for an hour', () => {
  const countAfterAnHour = async (rest: (replica: Replica, id: string, since: number) => void) => {
    const clock = new ScriptedClock();
    const id = await stored(clock, Array(200).fill(TALKS), { calls_per_minute: 60, max_concurrent: 200 });
    clock.advance(HOUR_MS);
    const replica = new Replica(clock);
    rest(replica, id, clock.now());
    for (let ms = 0; ms < 120_000; ms += 1000) {
      await replica.look(id);
      clock.advance(1000);
    }
    return replica.called.length;
  };

  it('because nobody was due makes ten seconds good at most', async () => {
    expect(await countAfterAnHour((replica, id, now) => replica.granting.rested(id, now))).toBe(130);
  });

  it('because its replica had died is owed a minute', async () => {
    const died = (replica: Replica, id: string, now: number) => replica.granting.rested(id, now - HOUR_MS);
    // At 120 % of its rate: 24 more in two minutes, and what `SLACK_MS` lets begin at once.
    const called = await countAfterAnHour(died);
    expect(called).toBeGreaterThanOrEqual(144);
    expect(called).toBeLessThanOrEqual(145);
  });

  it('knows when its next slot is, also after lines that it was given just now', async () => {
    const clock = new ScriptedClock();
    const { granting } = new Replica(clock);
    const campaign = runningCampaign(clock.now(), { calls_per_minute: 60, next_slot_at: clock.now() + 400 });
    expect(granting.nextSlotAt(campaign)).toBe(clock.now() + 400);
    clock.advance(400);
    expect(granting.nextSlotAt(campaign)).toBe(clock.now());
    expect(granting.nextSlotAt(campaign, 1)).toBe(clock.now() + 1000);
  });
});

describe('a contact that is rescheduled during its call', () => {
  it('gets no second line before that call ended, however due it is', async () => {
    const clock = new ScriptedClock();
    const id = await stored(clock, [TALKS], { max_concurrent: 5, calls_per_minute: 6000 });
    const replica = new Replica(clock);
    clock.advance(100);
    const [contact] = await replica.look(id);
    await contacts.updateOne(
      { _id: contact!._id },
      { $set: { status: 'pending', due_at: new Date(clock.now() + 1000) } },
    );
    clock.advance(60_000);
    expect(await replica.look(id)).toEqual([]);
    await contacts.updateOne({ _id: contact!._id }, { $set: { on_line: false } });
    expect(await replica.look(id)).toMatchObject([{ _id: contact!._id, attempts: 2 }]);
  });
});
