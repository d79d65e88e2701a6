import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import { asTenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { Counter } from 'prom-client';
import type { BillingMode } from '../config.js';
import { sideBySide } from '../platform/jobs/side-by-side.js';
import type { MicroDollars } from '../platform/money/micro-dollars.js';
import { keyOf, type TenantKey } from '../platform/store/tenant-scope.js';
import type { CustomerModel } from './customer-model.js';
import type { Payments } from './payments/port.js';
import type { UsageModel, UsageRow } from './usage-model.js';

/** Lease of the replica that reports a usage, in ms. */
const LEASE_MS = 90_000;
const FIRST_RETRY_MS = 5000;
const LONGEST_RETRY_MS = 60 * 60 * 1000;
/** The payment provider takes usage of the last 35 days; a day is left for the last tries. In ms. */
const OLDEST_MS = 34 * 24 * 60 * 60 * 1000;
const BATCH = 500;
/** Reports that are under way to the payment provider at the same time: of what was planned, and of a sweep. */
const AT_ONCE = 20;

/** Returns the wait before the next try after this many, in ms. Pure. */
export function retryDelay(attempts: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, attempts - 1));
}

/** Makes reporting a call's usage twice the same as once. */
export function meterIdentifier(callId: string): string {
  return `call_${callId}`;
}

/** The same for what was overdrawn, by the ledger's entry that bills it. */
function overdraftIdentifier(entry: string): string {
  return `overdraft_${entry}`;
}

export interface MeteringOptions {
  readonly usage: UsageModel;
  readonly customers: CustomerModel;
  readonly payments: Payments;
  /** Where it is required, a usage waits for the tenant's payment method, and is billed when that comes. */
  readonly billing: BillingMode;
  readonly hasPaymentMethod: (tenant: TenantId) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
  /** Records that are looked for at a time. */
  readonly batch?: number;
  /** By label `outcome`. */
  readonly outcomes: Counter<'outcome'>;
}

/**
 * Reports usage to the payment provider. The record stays pending until the provider took it:
 * an outage delays it, and after a crash in between another replica reports it under the same identifier.
 */
export class Metering {
  readonly #options: MeteringOptions;
  readonly #batch: number;
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: MeteringOptions) {
    this.#options = options;
    this.#batch = options.batch ?? BATCH;
  }

  /** Marks a usage as to be reported; does nothing for one that is under way or done. Returns when it is noted. */
  async plan(tenant: TenantId, callId: string, value: MicroDollars): Promise<void> {
    const { usage, billing, clock } = this.#options;
    const billable = await this.#billable(tenant);
    const now = new Date(clock.now());
    // Where it is required, the payment method may have come after the end of the call: then see `billEarlier`.
    const dated = billing === 'required' ? { meter_at: now } : {};
    const planned = await usage.updateOne(
      { _id: callId, tenant_id: tenant, meter_state: 'none' },
      {
        $set: billable
          ? { meter_state: 'pending', meter_value: value, meter_due_at: now, ...dated }
          : { meter_state: 'no_customer', meter_value: value },
      },
    );
    if (planned.matchedCount === 0) return;
    if (billable) this.#soon({ _id: callId, tenant_id: tenant });
    // The payment method may have come after it was looked for, and before this usage could be seen to wait.
    else if (billing === 'required' && (await this.#billable(tenant))) await this.billEarlier(tenant);
  }

  /**
   * Marks as to be reported, where billing is required, what the tenant used before it had a payment method, dated now.
   * Dated earlier it would be in no invoice: those begin with the subscription. May run again.
   */
  async billEarlier(tenant: TenantId): Promise<void> {
    const { usage, billing, clock } = this.#options;
    if (billing === 'off') return;
    const now = new Date(clock.now());
    await usage.updateMany(
      { tenant_id: tenant, sandbox: false, meter_state: 'no_customer' },
      { $set: { meter_state: 'pending', meter_at: now, meter_due_at: now } },
    );
  }

  /**
   * Reports what a tenant had overdrawn before it had a payment method, dated now as in `billEarlier`. Fails where the
   * payment provider does not take it; again is the same.
   */
  async reportOverdraft(tenant: TenantId, entry: string, value: MicroDollars): Promise<void> {
    const { customers, payments, clock, log, outcomes } = this.#options;
    const customer = await customers.findOne({ _id: tenant }).lean();
    if (!customer) {
      log.error(
        { tenant_id: tenant, entry, value },
        'an overdraft could not be billed: its customer is gone',
      );
      return;
    }
    try {
      await payments.reportUsage({
        customer: customer.customer_id,
        value,
        identifier: overdraftIdentifier(entry),
        at: clock.now(),
      });
      outcomes.inc({ outcome: 'sent' });
    } catch (err) {
      outcomes.inc({ outcome: 'failed' });
      throw err;
    }
  }

  /**
   * Reports what is due: what is new, what failed before, and what a dead replica left. Goes on until nothing is, but
   * not against a payment provider that takes none of a batch.
   */
  async sweep(): Promise<void> {
    for (;;) {
      const reported = await this.#sweepOnce();
      if (reported.length < this.#batch || !reported.includes(true)) return;
    }
  }

  async #sweepOnce(): Promise<boolean[]> {
    const { usage, clock } = this.#options;
    const due = await usage
      .find({ meter_due_at: { $gte: new Date(0), $lte: new Date(clock.now()) } }, { tenant_id: 1 })
      .limit(this.#batch)
      .lean<TenantKey[]>();
    return sideBySide(due, AT_ONCE, (record) => this.#report(record));
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #billable(tenant: TenantId): Promise<boolean> {
    const { customers, billing, hasPaymentMethod } = this.#options;
    if (!(await customers.exists({ _id: tenant }))) return false;
    return billing === 'off' || hasPaymentMethod(tenant);
  }

  /** Reports at once where few are under way; else the sweep does. */
  #soon(key: TenantKey): void {
    if (this.#running.size >= AT_ONCE) return;
    const running = this.#report(key)
      .catch((err: unknown) =>
        this.#options.log.warn({ call_id: key._id, err }, 'reporting a usage broke off'),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Returns whether the record needs nothing more for now. */
  async #report(key: TenantKey): Promise<boolean> {
    const { _id: callId } = key;
    const { usage, customers, payments, clock, log, outcomes } = this.#options;
    const now = clock.now();
    const record = await usage
      .findOneAndUpdate(
        { ...keyOf(key), meter_state: 'pending', meter_due_at: { $lte: new Date(now) } },
        { $set: { meter_due_at: new Date(now + LEASE_MS) }, $inc: { meter_attempts: 1 } },
        { returnDocument: 'after' },
      )
      .lean<UsageRow>();
    if (!record) return true;
    const settle = (meter_state: UsageRow['meter_state'], meter_due_at: Date | null) =>
      usage.updateOne({ ...keyOf(key), meter_state: 'pending' }, { $set: { meter_state, meter_due_at } });
    const at = (record.meter_at ?? record.ended_at).getTime();
    if (now - at > OLDEST_MS) {
      log.error({ call_id: callId, value: record.meter_value }, 'a usage could not be billed in time');
      outcomes.inc({ outcome: 'expired' });
      await settle('expired', null);
      return true;
    }
    const customer = await customers.findOne({ _id: asTenantId(record.tenant_id) }).lean();
    if (!customer) {
      await settle('no_customer', null);
      return true;
    }
    try {
      await payments.reportUsage({
        customer: customer.customer_id,
        value: record.meter_value,
        identifier: meterIdentifier(callId),
        at,
      });
      outcomes.inc({ outcome: 'sent' });
      await settle('sent', null);
      return true;
    } catch (err) {
      outcomes.inc({ outcome: 'failed' });
      log.warn(
        { call_id: callId, attempts: record.meter_attempts, err },
        'the payment provider did not take a usage',
      );
      await settle('pending', new Date(clock.now() + retryDelay(record.meter_attempts)));
      return false;
    }
  }
}
