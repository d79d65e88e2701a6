import type { Clock } from '@voice/shared/clock/clock';
import { derivedId, newId } from '@voice/shared/ids/ids';
import { type Log, silentLog } from '@voice/shared/log/log';
import { sideBySide } from '../../platform/jobs/side-by-side.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { Gathered } from '../../platform/store/gathered.js';
import { insertMissing } from '../../platform/store/insert-missing.js';
import { rowsOf } from '../../platform/store/rows-of.js';
import { keyOf } from '../../platform/store/tenant-scope.js';
import type { EventModel, EventRow } from '../events/model.js';
import type { SubscriptionModel, SubscriptionRow } from '../subscriptions/subscription-model.js';
import { SWITCHED_OFF } from '../subscriptions/subscription-model.js';
import { sealedFor } from '../subscriptions/subscriptions.js';
import { byTurn, choose, type Due, type Turn } from './delivery-choice.js';
import {
  type DeliveryModel,
  type DeliveryRow,
  destinationOf,
  pendingDelivery,
  tenantOfDestination,
} from './delivery-model.js';
import { findEarlier } from './delivery-order.js';
import { nextAttemptAt } from './retry-schedule.js';
import type { SendResult } from './sender.js';

/** How long a claimed delivery is left to its holder, in ms. */
export const LEASE_MS = 60_000;
const BATCH = 200;
/** Batches that are looked at for some that can be claimed. */
const MOST_BATCHES = 5;
/** Attempts whose lease is over that are looked at in one go. */
const MOST_ADOPTED = 5000;
/** Failures that are written side by side. */
const FAILURES_AT_ONCE = 20;
/** How an attempt went that could not be signed. */
const UNSIGNED: SendResult = {
  ok: false,
  status: null,
  error: 'secret_unreadable: The signing secret of this webhook cannot be opened.',
};

/** The right to make attempts, until then (epoch ms). */
export interface Lease {
  readonly owner: string;
  readonly until: number;
}

/** A claimed attempt with all that is needed to make it. */
export interface Attempt {
  readonly delivery: DeliveryRow;
  readonly lease: Lease;
  readonly url: string;
  readonly secret: string;
  readonly body: string;
}

/** A claimed attempt before its secret is opened. */
interface Unsigned {
  readonly delivery: DeliveryRow;
  readonly receiver: SubscriptionRow;
  readonly body: string;
}

interface DeliveryQueueOptions {
  readonly deliveries: DeliveryModel;
  readonly subscriptions: SubscriptionModel;
  readonly events: EventModel;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly log?: Pick<Log, 'error'>;
  /** 0 to 1; for the jitter of retries. */
  readonly random: () => number;
  /** Has the destination's job run at a time, in epoch ms. */
  readonly schedule: (destination: string, at: number) => Promise<void>;
}

interface Success {
  readonly filter: Pick<DeliveryRow, '_id' | 'tenant_id' | 'lease_owner' | 'status'>;
  readonly update: { readonly $set: Partial<DeliveryRow> };
}

/** What a round of claiming brought. */
export interface Claimed {
  readonly attempts: readonly Attempt[];
  /** Rows that were due and taken, skipped ones included. */
  readonly taken: number;
  /** Destinations of which more was due than they had room for. */
  readonly left: ReadonlySet<string>;
}

/** The deliveries in the store as a queue that many replicas work on: due rows, claimed by lease. */
export class DeliveryQueue {
  readonly #options: DeliveryQueueOptions;
  readonly #succeeded = new Gathered((done: readonly Success[]) => this.#writeSuccesses(done));
  /** From when on the next look is for leases that are over, in epoch ms: after a full one it reads on. */
  #adoptFrom = 0;

  constructor(options: DeliveryQueueOptions) {
    this.#options = options;
  }

  /**
   * Claims due attempts to these destinations, the longest due first, but of each only as many as `room` says: those
   * without room are not asked for, so that a backlog for one hides no other's. None overtakes an earlier event of its
   * call, unless that one is held here too: a full batch of such is followed by one without its destinations.
   */
  async claim(
    open: readonly string[],
    room: (destination: string) => number,
    isMine: (deliveryId: string) => boolean,
  ): Promise<Claimed> {
    const now = this.#options.clock.now();
    const left = new Set<string>();
    let asked = open;
    for (let batch = 0; batch < MOST_BATCHES && asked.length > 0; batch++) {
      const due = await this.#dueTo(asked, now);
      const earlier = await findEarlier(this.#options.deliveries, due);
      const chosen = choose(due.sort(byTurn), room, { earlier, isMine });
      for (const destination of chosen.left) left.add(destination);
      if (chosen.ids.length > 0) return { ...(await this.#lease(chosen.ids, tenantsOf(due), now)), left };
      if (due.length < BATCH) break;
      const stuck = new Set(due.map(({ destination }) => destination));
      asked = asked.filter((destination) => !stuck.has(destination));
    }
    return { attempts: [], taken: 0, left };
  }

  newLease(): Lease {
    return { owner: newId(), until: this.#options.clock.now() + LEASE_MS };
  }

  /**
   * Opens the secrets of claimed attempts. One that cannot be opened, as where its key is not among ours, holds up no
   * other receiver: its attempts fail, and are made again like any that failed, so that the key may be put back.
   */
  async signed(claimed: readonly Unsigned[], lease: Lease): Promise<Attempt[]> {
    const secretOf = new Map<string, string | null>();
    for (const { receiver } of claimed) {
      if (!secretOf.has(receiver._id)) secretOf.set(receiver._id, this.#secretOf(receiver));
    }
    const attempts: Attempt[] = [];
    const failed: Unsigned[] = [];
    for (const one of claimed) {
      const { delivery, receiver, body } = one;
      const secret = secretOf.get(receiver._id) ?? null;
      if (secret === null) failed.push(one);
      else attempts.push({ delivery, lease, url: receiver.url, secret, body });
    }
    await sideBySide(failed, FAILURES_AT_ONCE, ({ delivery, receiver: { url } }) =>
      this.settle({ delivery, lease, url }, UNSIGNED),
    );
    return attempts;
  }

  /** Writes how the attempt went, and after a failure the next attempt's row. */
  async settle(
    { delivery, lease, url }: Pick<Attempt, 'delivery' | 'lease' | 'url'>,
    result: SendResult,
  ): Promise<void> {
    const { deliveries, clock, random } = this.#options;
    const now = clock.now();
    const mine = { ...keyOf(delivery), lease_owner: lease.owner, status: 'pending' as const };
    const done = { lease_owner: null, url, response_status: result.status, error: result.error };
    if (result.ok) {
      await this.#succeeded.add({
        filter: mine,
        update: { $set: { ...done, status: 'succeeded', delivered_at: new Date(now) } },
      });
      return;
    }
    const at = nextAttemptAt({
      attempt: delivery.attempt,
      firstDueAt: delivery.first_due_at.getTime(),
      now,
      retryAfterMs: result.retryAfterMs,
      random: random(),
    });
    const nextDueAt = at === null ? null : new Date(at);
    const { matchedCount } = await deliveries.updateOne(mine, {
      $set: { ...done, status: 'failed', next_due_at: nextDueAt },
    });
    if (matchedCount === 1 && nextDueAt) await this.#follow({ ...delivery, url, next_due_at: nextDueAt });
  }

  /** Returns when the next attempt to the destination is due that nobody holds, in epoch ms; null when none waits. */
  async nextDueAt(destination: string): Promise<number | null> {
    const { deliveries, clock } = this.#options;
    const next = await deliveries
      .findOne(
        {
          tenant_id: tenantOfDestination(destination),
          destination,
          status: 'pending',
          lease_until: { $lte: new Date(clock.now()) },
        },
        { due_at: 1 },
      )
      .sort({ due_at: 1 })
      .lean<Pick<DeliveryRow, 'due_at'>>();
    return next?.due_at.getTime() ?? null;
  }

  /** Has what waits for these destinations sent from `at` on, in epoch ms. */
  async want(destinations: Iterable<string>, at: number): Promise<void> {
    await Promise.all([...destinations].map((destination) => this.#options.schedule(destination, at)));
  }

  /** Has attempts made again whose lease is over: their sender died, or could not write down how they went. */
  async adopt(): Promise<void> {
    const { deliveries, clock } = this.#options;
    const now = clock.now();
    // The driver itself: this runs every few seconds for ever, and mongoose's queries cost as much as the rest of it.
    const left = await rowsOf<DeliveryRow>(deliveries)
      .find(
        {
          lease_owner: { $gt: '' },
          lease_until: { $gte: new Date(this.#adoptFrom), $lte: new Date(now) },
          status: 'pending',
        },
        { projection: { destination: 1, lease_until: 1 } },
      )
      .sort({ lease_until: 1 })
      // Most of what waits has no lease: its status would lead to a backlog.
      .hint({ lease_until: 1 })
      .limit(MOST_ADOPTED)
      .toArray();
    await this.want(new Set(left.map(({ destination }) => destination)), now);
    // What goes to slow receivers is there for long, and would hide the rest; even where it was all leased at once.
    const last = left.length < MOST_ADOPTED ? undefined : left.at(-1)?.lease_until.getTime();
    this.#adoptFrom = last === undefined ? 0 : Math.max(last, this.#adoptFrom + 1);
  }

  /**
   * Returns the destinations that something waits for, now or later. Of each it reads at most a batch of what waits: a
   * backlog for one may be millions.
   */
  async destinations(): Promise<string[]> {
    const found = new Set<string>();
    for (let last = ''; ; ) {
      const batch = await this.#options.deliveries
        .find({ status: 'pending', destination: { $gt: last } }, { _id: 0, destination: 1 })
        .sort({ destination: 1 })
        .limit(BATCH)
        .lean<Pick<DeliveryRow, 'destination'>[]>();
      for (const { destination } of batch) found.add(destination);
      if (batch.length < BATCH) return [...found];
      last = batch.at(-1)!.destination;
    }
  }

  /** Releases claimed attempts that were not made. */
  async release(attempts: readonly Attempt[]): Promise<void> {
    if (attempts.length === 0) return;
    const destinations = new Set(attempts.map(({ delivery }) => delivery.destination));
    // Should the rest be cut short: at the end of their leases they are due, given back or not.
    await this.want(destinations, Math.max(...attempts.map(({ lease }) => lease.until)));
    await this.#options.deliveries.updateMany(
      {
        tenant_id: { $in: tenantsOf(attempts.map(({ delivery }) => delivery)) },
        _id: { $in: attempts.map(({ delivery }) => delivery._id) },
        lease_owner: { $in: [...new Set(attempts.map(({ lease }) => lease.owner))] },
        status: 'pending',
      },
      { $set: { lease_owner: null, lease_until: new Date(0) } },
    );
    await this.want(destinations, this.#options.clock.now());
  }

  /** Completes failures whose next attempt was cut short by a crash. */
  async resume(): Promise<void> {
    const broken = await this.#options.deliveries
      .find({ next_due_at: { $gt: new Date(0) } })
      .limit(BATCH)
      .lean<DeliveryRow[]>();
    for (const row of broken) await this.#follow(row);
  }

  /** Returns a batch of what is due to these destinations and leased to nobody, the longest due first. */
  #dueTo(destinations: readonly string[], now: number): Promise<(Due & Turn)[]> {
    return this.#options.deliveries
      .find(
        {
          tenant_id: { $in: distinct(destinations.map(tenantOfDestination)) },
          status: 'pending',
          due_at: { $lte: new Date(now) },
          lease_until: { $lte: new Date(now) },
          destination: { $in: [...destinations] },
        },
        { tenant_id: 1, destination: 1, subscription_id: 1, subject: 1, rank: 1, due_at: 1 },
      )
      .sort({ due_at: 1 })
      .limit(BATCH)
      .lean<(Due & Turn)[]>();
  }

  /** Leases those of the rows that nobody has leased since `now`. */
  async #lease(
    ids: readonly string[],
    tenants: readonly string[],
    now: number,
  ): Promise<Pick<Claimed, 'attempts' | 'taken'>> {
    const { deliveries } = this.#options;
    const lease = this.newLease();
    const ofTenants = { tenant_id: { $in: [...tenants] } };
    await deliveries.updateMany(
      { ...ofTenants, _id: { $in: [...ids] }, status: 'pending', lease_until: { $lte: new Date(now) } },
      { $set: { lease_owner: lease.owner, lease_until: new Date(lease.until) } },
    );
    const mine = await deliveries
      .find({ ...ofTenants, lease_owner: lease.owner })
      // Of its tenants there are all deliveries of 30 days.
      .hint({ lease_owner: 1 })
      .lean<DeliveryRow[]>();
    return { attempts: await this.#equip(mine.sort(byTurn), lease), taken: mine.length };
  }

  async #writeSuccesses(done: readonly Success[]): Promise<readonly undefined[]> {
    const updates = done.map((updateOne) => ({ updateOne }));
    await this.#options.deliveries.bulkWrite(updates, { ordered: false });
    return done.map(() => undefined);
  }

  async #follow(failed: DeliveryRow): Promise<void> {
    const { deliveries, clock } = this.#options;
    const dueAt = failed.next_due_at!.getTime();
    await insertMissing(deliveries, [
      pendingDelivery({
        _id: derivedId(failed._id, 'next attempt'),
        tenant_id: failed.tenant_id,
        subscription_id: failed.subscription_id,
        event_id: failed.event_id,
        event_type: failed.event_type,
        sandbox: failed.sandbox,
        call_id: failed.call_id ?? null,
        origin: failed.origin,
        url: failed.url,
        attempt: failed.attempt + 1,
        dueAt,
        firstDueAt: failed.first_due_at.getTime(),
        now: clock.now(),
      }),
    ]);
    await this.want([destinationOf(failed.tenant_id, failed.url)], dueAt);
    await deliveries.updateOne(keyOf(failed), { $set: { next_due_at: null } });
  }

  /** Adds body, address and secret; skips what has nobody to go to. */
  async #equip(rows: readonly DeliveryRow[], lease: Lease): Promise<Attempt[]> {
    const { events, subscriptions } = this.#options;
    const [bodies, receivers] = await Promise.all([
      events
        .find(
          { tenant_id: { $in: tenantsOf(rows) }, _id: { $in: distinct(rows.map((row) => row.event_id)) } },
          { body: 1 },
        )
        .lean<Pick<EventRow, '_id' | 'body'>[]>(),
      subscriptions
        .find({ _id: { $in: distinct(rows.map((row) => row.subscription_id)) } })
        .lean<SubscriptionRow[]>(),
    ]);
    const bodyOf = new Map(bodies.map(({ _id, body }) => [_id, body]));
    const receiverOf = new Map(receivers.map((receiver) => [receiver._id, receiver]));
    const found: Unsigned[] = [];
    const skipped = new Map<string, DeliveryRow[]>();
    const skip = (error: string, row: DeliveryRow) =>
      skipped.set(error, [...(skipped.get(error) ?? []), row]);
    for (const delivery of rows) {
      const receiver = receiverOf.get(delivery.subscription_id);
      const body = bodyOf.get(delivery.event_id);
      if (!receiver) skip('The subscription is gone.', delivery);
      else if (!receiver.is_active) skip(SWITCHED_OFF, delivery);
      else if (body === undefined) skip('The event is not kept any more.', delivery);
      else found.push({ delivery, receiver, body });
    }
    for (const [error, left] of skipped) await this.#skip(left, lease.owner, error);
    return this.signed(found, lease);
  }

  /** Null where it cannot be opened. */
  #secretOf({ _id, tenant_id, secret }: SubscriptionRow): string | null {
    const { secrets, log = silentLog } = this.#options;
    try {
      return secrets.open(sealedFor(_id), secret);
    } catch (err) {
      log.error({ webhook_id: _id, tenant_id, err }, 'the signing secret of a webhook cannot be opened');
      return null;
    }
  }

  async #skip(rows: readonly DeliveryRow[], leaseOwner: string, error: string): Promise<void> {
    await this.#options.deliveries.updateMany(
      {
        tenant_id: { $in: tenantsOf(rows) },
        _id: { $in: rows.map(({ _id }) => _id) },
        lease_owner: leaseOwner,
        status: 'pending',
      },
      { $set: { status: 'skipped', error, lease_owner: null } },
    );
  }
}

function tenantsOf(rows: readonly Pick<DeliveryRow, 'tenant_id'>[]): string[] {
  return distinct(rows.map(({ tenant_id }) => tenant_id));
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
