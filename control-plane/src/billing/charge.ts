import { scopeOf } from '../platform/store/tenant-scope.js';
import type { TenantEvents } from '../webhooks/events/tenant-events.js';
import type { Ledger } from './ledger.js';
import type { Metering } from './metering.js';
import { publishNotices } from './notices.js';
import type { UsageRow } from './usage-model.js';

export interface ChargeOptions {
  readonly ledger: Ledger;
  /** Undefined where there is no payment provider. */
  readonly metering: Metering | undefined;
  readonly events: TenantEvents;
}

/**
 * Charges the tenant for a stored usage record: its ledger, once, then what the payment provider is to bill. Nothing
 * for the sandbox. Again is the same.
 */
export async function charge({ ledger, metering, events }: ChargeOptions, record: UsageRow): Promise<void> {
  if (record.sandbox || record.total === 0) return;
  const { tenant } = scopeOf(record);
  const entry = await ledger.enter(tenant, record._id, {
    kind: 'usage',
    callId: record._id,
    cost: record.total,
  });
  await publishNotices(events, entry);
  if (entry.billable > 0) await metering?.plan(tenant, record._id, entry.billable);
}
