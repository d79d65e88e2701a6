import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { Model } from 'mongoose';
import type { Counter } from 'prom-client';
import { sideBySide } from '../platform/jobs/side-by-side.js';
import { keyOf, type TenantKey } from '../platform/store/tenant-scope.js';
import type { CustomerModel } from './customer-model.js';
import type { MeteredRow } from './metered-row.js';
import type { Payments } from './payments/port.js';

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

export interface MeterReportsOptions<Row extends MeteredRow> {
  readonly rows: Model<Row>;
  /** What the log calls their ids. */
  readonly idName: 'call_id' | 'entry';
  /** Makes reporting a row twice the same as once. */
  readonly identifierOf: (id: string) => string;
  /** Returns what time a row is billed as of. */
  readonly asOf: (row: Row) => Date;
  readonly customers: CustomerModel;
  readonly payments: Payments;
  readonly clock: Clock;
  readonly log: Log;
  /** Rows that are looked for at a time. */
  readonly batch?: number;
  /** By label `outcome`. */
  readonly outcomes: Counter<'outcome'>;
}

/**
 * Reports the rows of a collection to the payment provider. A row stays pending until the provider took it:
 * an outage delays it, and after a crash in between another replica reports it under the same identifier.
 */
export class MeterReports<Row extends MeteredRow> {
  readonly #options: MeterReportsOptions<Row>;
  /** Of the fields that rows of every kind have. */
  readonly #rows: Model<MeteredRow>;
  readonly #batch: number;
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: MeterReportsOptions<Row>) {
    this.#options = options;
    this.#rows = options.rows as unknown as Model<MeteredRow>;
    this.#batch = options.batch ?? BATCH;
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
    const { clock } = this.#options;
    const due = await this.#rows
      .find({ meter_due_at: { $gte: new Date(0), $lte: new Date(clock.now()) } }, { tenant_id: 1 })
      .limit(this.#batch)
      .lean<TenantKey[]>();
    return sideBySide(due, AT_ONCE, (record) => this.#report(record));
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Reports a row at once where few are under way; else the sweep does. */
  soon(key: TenantKey): void {
    if (this.#running.size >= AT_ONCE) return;
    const running = this.#report(key)
      .catch((err: unknown) =>
        this.#options.log.warn({ [this.#options.idName]: key._id, err }, 'reporting a usage broke off'),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Returns whether the record needs nothing more for now. */
  async #report(key: TenantKey): Promise<boolean> {
    const { idName, identifierOf, asOf, customers, payments, clock, log, outcomes } = this.#options;
    const named = { [idName]: key._id };
    const now = clock.now();
    const record = await this.#rows
      .findOneAndUpdate(
        { ...keyOf(key), meter_state: 'pending', meter_due_at: { $lte: new Date(now) } },
        { $set: { meter_due_at: new Date(now + LEASE_MS) }, $inc: { meter_attempts: 1 } },
        { returnDocument: 'after' },
      )
      .lean<Row>();
    if (!record) return true;
    const settle = (meter_state: MeteredRow['meter_state'], meter_due_at: Date | null) =>
      this.#rows.updateOne(
        { ...keyOf(key), meter_state: 'pending' },
        { $set: { meter_state, meter_due_at } },
      );
    const at = asOf(record).getTime();
    if (now - at > OLDEST_MS) {
      log.error({ ...named, value: record.meter_value }, 'a usage could not be billed in time');
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
        identifier: identifierOf(key._id),
        at,
      });
      outcomes.inc({ outcome: 'sent' });
      await settle('sent', null);
      return true;
    } catch (err) {
      outcomes.inc({ outcome: 'failed' });
      log.warn(
        { ...named, attempts: record.meter_attempts, err },
        'the payment provider did not take a usage',
      );
      await settle('pending', new Date(clock.now() + retryDelay(record.meter_attempts)));
      return false;
    }
  }
}
