import type { TenantId } from '@voice/shared/ids/ids';
import type { BillingMode } from '../config.js';
import type { MicroDollars } from '../platform/money/micro-dollars.js';
import { insertMissing } from '../platform/store/insert-missing.js';
import { MeterReports, type MeterReportsOptions } from './meter-reports.js';
import type { OverdraftModel, OverdraftRow } from './overdraft-model.js';
import type { UsageModel, UsageRow } from './usage-model.js';

/** Makes reporting a call's usage twice the same as once. */
export function meterIdentifier(callId: string): string {
  return `call_${callId}`;
}

/** The same for what was overdrawn, by the ledger's entry that bills it. */
function overdraftIdentifier(entry: string): string {
  return `overdraft_${entry}`;
}

export interface MeteringOptions
  extends Omit<MeterReportsOptions<never>, 'rows' | 'idName' | 'identifierOf' | 'asOf'> {
  readonly usage: UsageModel;
  readonly overdrafts: OverdraftModel;
  /** Where it is required, a usage waits for the tenant's payment method, and is billed when that comes. */
  readonly billing: BillingMode;
  readonly hasPaymentMethod: (tenant: TenantId) => Promise<boolean>;
}

/** Decides what is reported to the payment provider, and reports it. */
export class Metering {
  readonly #options: MeteringOptions;
  readonly #usage: MeterReports<UsageRow>;
  readonly #overdrafts: MeterReports<OverdraftRow>;

  constructor(options: MeteringOptions) {
    this.#options = options;
    this.#usage = new MeterReports({
      ...options,
      rows: options.usage,
      idName: 'call_id',
      identifierOf: meterIdentifier,
      asOf: ({ meter_at, ended_at }) => meter_at ?? ended_at,
    });
    this.#overdrafts = new MeterReports({
      ...options,
      rows: options.overdrafts,
      idName: 'entry',
      identifierOf: overdraftIdentifier,
      asOf: ({ meter_at }) => meter_at,
    });
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
    if (billable) this.#usage.soon({ _id: callId, tenant_id: tenant });
    // The payment method may have come after it was looked for, and before this usage could be seen to wait.
    else if (billing === 'required' && (await this.#billable(tenant))) await this.billEarlier(tenant);
  }

  /**
   * Marks as to be reported, where billing is required, what the tenant used before it had a payment method, dated now.
   * Dated earlier it would be in no invoice: those begin with the subscription. So are overdrafts whose customer was
   * gone, whatever the mode. May run again.
   */
  async billEarlier(tenant: TenantId): Promise<void> {
    const { usage, overdrafts, billing, clock } = this.#options;
    const now = new Date(clock.now());
    const toReport = { $set: { meter_state: 'pending', meter_at: now, meter_due_at: now } } as const;
    await overdrafts.updateMany({ tenant_id: tenant, meter_state: 'no_customer' }, toReport);
    if (billing === 'off') return;
    await usage.updateMany({ tenant_id: tenant, sandbox: false, meter_state: 'no_customer' }, toReport);
  }

  /**
   * Marks as to be reported what a tenant had overdrawn before it had a payment method, dated now as in `billEarlier`;
   * once by the ledger's entry that bills it. Returns when it is noted: in a row of its own, as a replica of a version
   * that bills no overdraft may finish the pending entry.
   */
  async planOverdraft(tenant: TenantId, entry: string, value: MicroDollars): Promise<void> {
    const { overdrafts, clock } = this.#options;
    const now = new Date(clock.now());
    const row: OverdraftRow = {
      _id: entry,
      tenant_id: tenant,
      meter_state: 'pending',
      meter_value: value,
      meter_attempts: 0,
      meter_at: now,
      meter_due_at: now,
    };
    const added = await insertMissing(overdrafts, [row]);
    if (added.length > 0) this.#overdrafts.soon(row);
  }

  /** Reports what is due of both. */
  async sweep(): Promise<void> {
    await this.#usage.sweep();
    await this.#overdrafts.sweep();
  }

  async settled(): Promise<void> {
    await Promise.all([this.#usage.settled(), this.#overdrafts.settled()]);
  }

  async #billable(tenant: TenantId): Promise<boolean> {
    const { customers, billing, hasPaymentMethod } = this.#options;
    if (!(await customers.exists({ _id: tenant }))) return false;
    return billing === 'off' || hasPaymentMethod(tenant);
  }
}
