import { newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SecretBox } from '../../platform/secrets/secret-box.js';
import type { SubscriptionRow } from '../subscriptions/subscription-model.js';
import { type StoredWebhooks, startStoredWebhooks } from '../testing/stored-webhooks.js';
import { type DeliveryRow, destinationOf } from './delivery-model.js';
import { type Attempt, DeliveryQueue, LEASE_MS } from './delivery-queue.js';
import { nextAttemptAt } from './retry-schedule.js';
import type { SendResult } from './sender.js';

const HOUR_MS = 3_600_000;
const REFUSED: SendResult = { ok: false, status: 503, error: 'The receiver answered 503.' };

let webhooks: StoredWebhooks;
let queue: DeliveryQueue;
/** The jobs that were scheduled, and when they are to run. */
let scheduled: [string, number][];
let subscription: SubscriptionRow;

beforeAll(async () => {
  webhooks = await startStoredWebhooks();
  queue = new DeliveryQueue({
    ...webhooks,
    random: () => 0.5,
    schedule: async (destination, at) => void scheduled.push([destination, at]),
  });
});
beforeEach(async () => {
  scheduled = [];
  await webhooks.reset();
  subscription = await webhooks.subscription();
});
afterAll(() => webhooks?.close());

const now = () => webhooks.clock.now();
const stored = (id: string) => webhooks.deliveries.findById(id).lean<DeliveryRow>();
const claim = async ({
  full = [],
  room = () => 500,
  isMine = () => false,
}: {
  readonly full?: readonly string[];
  readonly room?: () => number;
  readonly isMine?: (deliveryId: string) => boolean;
} = {}) => {
  const known = await webhooks.deliveries.distinct('destination');
  return queue.claim(
    known.filter((destination) => !full.includes(destination)),
    room,
    isMine,
  );
};
const idsOf = (attempts: readonly Attempt[]) => attempts.map(({ delivery }) => delivery._id);

async function claimed(fields: Partial<DeliveryRow> = {}): Promise<Attempt> {
  await webhooks.pending(subscription, fields);
  const { attempts } = await claim();
  expect(attempts).toHaveLength(1);
  return attempts[0]!;
}

describe('claiming', () => {
  it('brings all that an attempt needs, and leases the row for a minute', async () => {
    const { _id } = await webhooks.pending(subscription);
    const { attempts, taken, left } = await claim();
    const [attempt] = attempts;
    expect([attempts.length, taken, left.size]).toEqual([1, 1, 0]);
    expect(attempt).toMatchObject({
      url: subscription.url,
      secret: 'whsec_x',
      body: '{"hello":"world"}',
      delivery: { _id },
      lease: { until: now() + 60_000 },
    });
    expect(await stored(_id)).toMatchObject({
      status: 'pending',
      lease_owner: attempt!.lease.owner,
      lease_until: new Date(now() + LEASE_MS),
    });
    expect(await claim()).toEqual({ attempts: [], taken: 0, left: new Set() });
  });

  it('takes what is due from now on and leased to nobody any more, the longest due first', async () => {
    const at = (ms: number) => new Date(now() + ms);
    const last = await webhooks.pending(subscription, { due_at: at(0), lease_until: at(0) });
    const first = await webhooks.pending(subscription, { due_at: at(-2) });
    const second = await webhooks.pending(subscription, { due_at: at(-1) });
    await webhooks.pending(subscription, { due_at: at(1) });
    await webhooks.pending(subscription, { lease_until: at(1) });
    await webhooks.pending(subscription, { status: 'failed' });
    expect(idsOf((await claim()).attempts)).toEqual([first._id, second._id, last._id]);
  });

  it('takes the events of a call that fell due together in their order', async () => {
    const ranked = (rank: number) => webhooks.pending(subscription, { rank, subject: 'a call' });
    const rows = [await ranked(8), await ranked(3), await ranked(6)];
    expect(idsOf((await claim()).attempts)).toEqual([rows[1], rows[2], rows[0]].map((row) => row!._id));
  });

  it('leaves an event of a call while an earlier one of it is in other hands', async () => {
    const held = await webhooks.pending(subscription, {
      rank: 3,
      subject: 'a call',
      lease_until: new Date(now() + 1),
    });
    const later = await webhooks.pending(subscription, { rank: 6, subject: 'a call' });
    expect((await claim()).attempts).toEqual([]);
    const { attempts } = await claim({ isMine: (id) => id === held._id });
    expect(idsOf(attempts)).toEqual([later._id]);
  });

  it('takes nothing of destinations that it is not asked for', async () => {
    await webhooks.pending(subscription);
    expect(
      (
        await queue.claim(
          ['another'],
          () => 500,
          () => false,
        )
      ).taken,
    ).toBe(0);
  });

  it('passes over full destinations, takes of others what they have room for and says where more is due', async () => {
    const [other, third] = [await webhooks.subscription(), await webhooks.subscription()];
    const [full, half] = [
      await webhooks.pending(subscription),
      await webhooks.pending(other),
      await webhooks.pending(other),
    ];
    const fits = await webhooks.pending(third);
    const { attempts, taken, left } = await claim({ full: [full.destination], room: () => 1 });
    expect(idsOf(attempts).sort()).toEqual([half._id, fits._id].sort());
    expect([taken, [...left]]).toEqual([2, [half.destination]]);
  });

  it('looks at 200 at once', async () => {
    const event = webhooks.event();
    await webhooks.events.insertMany([event]);
    const rows = Array.from({ length: 201 }, () => webhooks.delivery(subscription, event));
    await webhooks.deliveries.insertMany(rows as never[]);
    expect((await claim()).taken).toBe(200);
    expect((await claim()).taken).toBe(1);
  });

  describe('where the oldest of what is due wait for a call event in other hands', () => {
    /** Stores due events of a call whose first event another replica holds. */
    async function stuck(count: number, receiver = subscription, lateMs = HOUR_MS): Promise<DeliveryRow> {
      const call = { subject: receiver._id, due_at: new Date(now() - lateMs) };
      const held = await webhooks.pending(receiver, { ...call, lease_until: new Date(now() + LEASE_MS) });
      const later = Array.from({ length: count }, () =>
        webhooks.delivery(receiver, webhooks.event(), { ...call, rank: 3 }),
      );
      await webhooks.deliveries.collection.insertMany(later as never[]);
      return held;
    }

    it('takes what is due to others, however many wait for one receiver, and says where more is due', async () => {
      await stuck(450);
      const other = await webhooks.subscription();
      const due = [await webhooks.pending(other), await webhooks.pending(other)];
      const { attempts, taken, left } = await claim({ room: () => 1 });
      expect(due.map(({ _id }) => _id)).toContain(idsOf(attempts)[0]);
      expect([taken, [...left]]).toEqual([1, [due[0]!.destination]]);
    });

    it('ends its look after five batches', async () => {
      for (let n = 0; n < 5; n++) await stuck(200, await webhooks.subscription(), HOUR_MS - n);
      await webhooks.pending(subscription);
      expect(await claim()).toEqual({ attempts: [], taken: 0, left: new Set() });
      await webhooks.deliveries.deleteMany({ due_at: { $lte: new Date(now() - HOUR_MS) } });
      expect((await claim()).taken).toBe(1);
    });

    it('asks once where that is all', async () => {
      const { destination } = await stuck(199);
      const reads = vi.spyOn(webhooks.deliveries, 'find');
      await queue.claim(
        [destination],
        () => 500,
        () => false,
      );
      // What is due, and the earlier ones of the same calls.
      expect(reads).toHaveBeenCalledTimes(2);
      reads.mockRestore();
    });
  });

  it('leaves what another replica has claimed meanwhile', async () => {
    const { _id, destination } = await webhooks.pending(subscription);
    const other = new DeliveryQueue({ ...webhooks, random: () => 0.5, schedule: async () => {} });
    const [one, nobody] = [() => 1, () => false];
    const update = webhooks.deliveries.updateMany.bind(webhooks.deliveries);
    const meanwhile = vi.spyOn(webhooks.deliveries, 'updateMany');
    meanwhile.mockImplementationOnce((async (...args: Parameters<typeof update>) => {
      const theirs = await other.claim([destination], one, nobody);
      expect(idsOf(theirs.attempts)).toEqual([_id]);
      return update(...args);
    }) as never);
    const { attempts, taken } = await claim();
    meanwhile.mockRestore();
    expect([attempts, taken]).toEqual([[], 0]);
  });

  it.each([
    ['The subscription is switched off.', { is_active: false }, {}],
    ['The subscription is gone.', {}, { subscription_id: 'nobody' }],
    ['The event is not kept any more.', {}, { event_id: 'gone' }],
  ])('skips a delivery where that is so: %s', async (error, receiver, fields) => {
    const mine = await webhooks.subscription(receiver);
    const rows = [await webhooks.pending(mine, fields), await webhooks.pending(mine, fields)];
    const sent = await webhooks.pending(subscription);
    const { attempts, taken } = await claim();
    expect([idsOf(attempts), taken]).toEqual([[sent._id], 3]);
    for (const { _id } of rows) {
      expect(await stored(_id)).toMatchObject({ status: 'skipped', error, lease_owner: null });
    }
  });
});

describe('a secret that cannot be opened', () => {
  it('fails the attempts of its own webhook, which are made again, and holds up nobody else', async () => {
    const logged: object[] = [];
    const theirs = new DeliveryQueue({
      ...webhooks,
      log: { error: (fields) => void logged.push(fields) },
      random: () => 0.5,
      schedule: async () => {},
    });
    const sealedElsewhere = new SecretBox('a key that is no longer ours').seal('anything', 'whsec_lost');
    const tenant_id = newTenantId();
    const broken = await webhooks.subscription({ secret: sealedElsewhere, tenant_id });
    const event = webhooks.event({ tenant_id });
    await webhooks.events.insertMany([event]);
    const failed = [webhooks.delivery(broken, event), webhooks.delivery(broken, event)];
    await webhooks.deliveries.insertMany(failed as never[]);
    const sent = await webhooks.pending(subscription);
    const { attempts, taken } = await theirs.claim(
      [broken, subscription].map((receiver) => destinationOf(receiver.tenant_id, receiver.url)),
      () => 500,
      () => false,
    );
    expect([idsOf(attempts), taken]).toEqual([[sent._id], 3]);
    for (const { _id } of failed) {
      expect(await stored(_id)).toMatchObject({
        status: 'failed',
        error: 'secret_unreadable: The signing secret of this webhook cannot be opened.',
        lease_owner: null,
      });
    }
    const again = { tenant_id, event_id: event._id, attempt: 2, status: 'pending' as const };
    expect(await webhooks.deliveries.countDocuments(again)).toBe(2);
    expect(logged).toEqual([{ webhook_id: broken._id, tenant_id, err: expect.any(Error) }]);
    expect(JSON.stringify(logged)).not.toContain(sealedElsewhere);
  });
});

describe('the outcome of an attempt', () => {
  it('that succeeded is stored with address, status and time', async () => {
    const attempt = await claimed();
    webhooks.clock.advance(70);
    await queue.settle({ ...attempt, url: 'https://moved.example' }, { ok: true, status: 201, error: null });
    expect(await stored(attempt.delivery._id)).toMatchObject({
      status: 'succeeded',
      url: 'https://moved.example',
      response_status: 201,
      error: null,
      lease_owner: null,
      delivered_at: new Date(now()),
      next_due_at: null,
    });
    expect(await webhooks.deliveries.countDocuments()).toBe(1);
  });

  it('that failed is followed by a row of the next attempt, at its time', async () => {
    const attempt = await claimed({
      attempt: 3,
      origin: 'replay',
      call_id: 'a call',
      first_due_at: new Date(now() - HOUR_MS),
    });
    webhooks.clock.advance(70);
    await queue.settle({ ...attempt, url: 'https://moved.example' }, REFUSED);
    const { _id, ...delivery } = attempt.delivery;
    expect(await stored(_id)).toMatchObject({
      status: 'failed',
      url: 'https://moved.example',
      response_status: 503,
      error: 'The receiver answered 503.',
      lease_owner: null,
      next_due_at: null,
      delivered_at: null,
    });
    const firstDueAt = now() - 70 - HOUR_MS;
    const dueAt = nextAttemptAt({ attempt: 3, firstDueAt, now: now(), random: 0.5 })!;
    expect(await webhooks.deliveries.findOne({ _id: { $ne: _id } }).lean()).toMatchObject({
      tenant_id: delivery.tenant_id,
      subscription_id: delivery.subscription_id,
      event_id: delivery.event_id,
      event_type: delivery.event_type,
      sandbox: true,
      call_id: 'a call',
      subject: null,
      origin: 'replay',
      url: 'https://moved.example',
      attempt: 4,
      status: 'pending',
      due_at: new Date(dueAt),
      first_due_at: new Date(firstDueAt),
      created_at: new Date(now()),
      lease_owner: null,
    });
  });

  it('waits for as long as the receiver asked for', async () => {
    await queue.settle(await claimed(), { ...REFUSED, retryAfterMs: HOUR_MS });
    const next = await webhooks.deliveries.findOne({ attempt: 2 }).lean<DeliveryRow>();
    expect(next?.due_at).toEqual(new Date(now() + HOUR_MS));
  });

  it('of the last attempt is followed by nothing', async () => {
    const attempt = await claimed({ attempt: 10 });
    await queue.settle(attempt, REFUSED);
    expect(await stored(attempt.delivery._id)).toMatchObject({ status: 'failed', next_due_at: null });
    expect(await webhooks.deliveries.countDocuments()).toBe(1);
  });

  it.each([
    ['has another owner by now', { lease_owner: 'another replica' }],
    ['was skipped meanwhile', { status: 'skipped' as const }],
  ])('changes nothing of a delivery that %s', async (_what, meanwhile) => {
    for (const result of [REFUSED, { ok: true, status: 204, error: null }]) {
      const attempt = await claimed();
      const { _id } = attempt.delivery;
      await webhooks.deliveries.updateOne({ _id }, { $set: meanwhile });
      const before = await stored(_id);
      await queue.settle(attempt, result);
      expect(await stored(_id)).toEqual(before);
    }
    expect(await webhooks.deliveries.countDocuments()).toBe(2);
  });
});

describe('giving back', () => {
  it('frees what was claimed and not attempted, at once', async () => {
    const attempt = await claimed();
    await queue.release([attempt]);
    expect(await stored(attempt.delivery._id)).toMatchObject({
      status: 'pending',
      lease_owner: null,
      lease_until: new Date(0),
    });
    expect((await claim()).taken).toBe(1);
  });

  it('leaves an attempt due at the end of its lease, whichever write fails', async () => {
    const attempt = await claimed();
    const { _id, destination } = attempt.delivery;
    const atMost = async (writes: number) => {
      scheduled = [];
      const failing = new DeliveryQueue({
        ...webhooks,
        random: () => 0.5,
        schedule: async (...job) => {
          if (scheduled.length === writes) throw new Error('the store is away');
          scheduled.push(job);
        },
      });
      await expect(failing.release([attempt])).rejects.toThrow('the store is away');
    };
    await atMost(0);
    expect(await stored(_id)).toMatchObject({ lease_owner: attempt.lease.owner });
    await atMost(1);
    expect(await stored(_id)).toMatchObject({ lease_owner: null });
    expect(scheduled).toEqual([[destination, attempt.lease.until]]);
  });

  it.each([
    ['another has claimed since', { lease_owner: 'another replica' }],
    ['is not pending any more', { status: 'skipped' as const }],
  ])('leaves what %s', async (_what, meanwhile) => {
    const attempt = await claimed();
    const { _id } = attempt.delivery;
    await webhooks.deliveries.updateOne({ _id }, { $set: meanwhile });
    const before = await stored(_id);
    await queue.release([attempt]);
    expect(await stored(_id)).toEqual(before);
  });

  it('asks nothing of the store where nothing was claimed', async () => {
    const update = vi.spyOn(webhooks.deliveries, 'updateMany');
    await queue.release([]);
    expect(update).not.toHaveBeenCalled();
    update.mockRestore();
  });
});

describe('resuming', () => {
  it('makes the row of a next attempt that a crash left out, once', async () => {
    const dueAt = new Date(now() + 20_000);
    const failed = await webhooks.pending(subscription, { status: 'failed', next_due_at: dueAt });
    const done = await webhooks.pending(subscription, { status: 'failed' });
    await queue.resume();
    expect(await webhooks.deliveries.find({ attempt: 2 }).lean()).toEqual([
      expect.objectContaining({ event_id: failed.event_id, due_at: dueAt, status: 'pending' }),
    ]);
    expect((await stored(failed._id))?.next_due_at).toBeNull();
    await webhooks.deliveries.updateOne({ _id: failed._id }, { $set: { next_due_at: dueAt } });
    await queue.resume();
    expect(await webhooks.deliveries.countDocuments({ attempt: 2 })).toBe(1);
    expect(await webhooks.deliveries.countDocuments({ event_id: done.event_id })).toBe(1);
  });
});

describe('a lease', () => {
  it('has an owner of its own', () => {
    expect(queue.newLease()).toEqual({ owner: expect.any(String), until: now() + LEASE_MS });
    expect(queue.newLease().owner).not.toBe(queue.newLease().owner);
  });
});

describe('the jobs of destinations', () => {
  const lateBy = (ms: number) => new Date(now() - ms);

  it('are scheduled for the next attempt of what failed, before the failure is complete', async () => {
    const attempt = await claimed();
    await queue.settle(attempt, REFUSED);
    const next = await webhooks.deliveries.findOne({ attempt: 2 }).orFail().lean();
    expect(scheduled).toEqual([[attempt.delivery.destination, next.due_at.getTime()]]);
  });

  it('are scheduled at once for what is given back, and for what a sender left whose lease is over', async () => {
    const attempt = await claimed();
    await queue.release([attempt]);
    expect(scheduled.at(-1)).toEqual([attempt.delivery.destination, now()]);
    await claim();
    scheduled = [];
    await queue.adopt();
    expect(scheduled).toEqual([]);
    webhooks.clock.advance(LEASE_MS);
    await queue.adopt();
    expect(scheduled).toEqual([[attempt.delivery.destination, now()]]);
  });

  it('are found behind 5,000 attempts to another whose leases were over before, by the look after', async () => {
    const left = (destination: string, ms: number) =>
      webhooks.delivery(subscription, webhooks.event(), {
        destination,
        lease_owner: 'a replica that died',
        lease_until: lateBy(ms),
      });
    const rows = [...Array.from({ length: 5000 }, (_, n) => left('slow', 10_000 - n)), left('late', 0)];
    await webhooks.deliveries.collection.insertMany(rows as never[]);
    const adopted = async () => {
      scheduled = [];
      await queue.adopt();
      return scheduled.map(([destination]) => destination);
    };
    expect(await adopted()).toEqual(['slow']);
    expect(await adopted()).toEqual(['slow', 'late']);
    expect(await adopted()).toEqual(['slow']);
    await webhooks.deliveries.updateMany({ destination: 'slow' }, { $set: { lease_until: lateBy(10_000) } });
    expect(await adopted()).toEqual(['late']);
    // What was leased at one time is read twice, and then passed over.
    expect([await adopted(), await adopted(), await adopted()]).toEqual([['slow'], ['slow'], ['late']]);
  });

  it('find when the next attempt is due that nobody holds', async () => {
    const { destination } = await webhooks.pending(subscription, { due_at: lateBy(-5000) });
    await webhooks.pending(subscription, { due_at: lateBy(0), lease_until: lateBy(-1) });
    expect(await queue.nextDueAt(destination)).toBe(now() + 5000);
    expect(await queue.nextDueAt('another')).toBe(null);
    expect(await queue.destinations()).toEqual([destination]);
  });

  it('are found by few reads, however much waits for one of them', async () => {
    const rows = ['a', 'b', 'c'].flatMap((name, n) =>
      Array.from({ length: [150, 900, 1][n]! }, () =>
        webhooks.delivery(subscription, webhooks.event(), { destination: name }),
      ),
    );
    await webhooks.deliveries.collection.insertMany(rows as never[]);
    const reads = vi.spyOn(webhooks.deliveries, 'find');
    expect(await queue.destinations()).toEqual(['a', 'b', 'c']);
    expect(reads).toHaveBeenCalledTimes(2);
    reads.mockRestore();
  });
});
