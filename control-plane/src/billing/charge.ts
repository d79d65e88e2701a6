import { asTenantId } from '@voice/shared/ids/ids';
import { scopeOf } from '../platform/store/tenant-scope.js';
import type { TenantEvents } from '../webhooks/events/tenant-events.js';
import type { Ledger } from './ledger.js';
import type { LedgerRow } from './ledger-model.js';
import type { Metering } from './metering.js';
import { publishNotices } from './notices.js';
import type { UsageRow } from './usage-model.js';

/** Charges the tenant for a stored usage record, once. Nothing for the sandbox. Again is the same. */
export async function charge(ledger: Pick<Ledger, 'append'>, record: UsageRow): Promise<void> {
  if (record.sandbox || record.total === 0) return;
  const { tenant } = scopeOf(record);
  await ledger.append(tenant, record._id, { kind: 'usage', callId: record._id, cost: record.total });
}

export interface PostedEntryOptions {
  readonly events: TenantEvents;
  /** Undefined where there is no payment provider. */
  readonly metering: Pick<Metering, 'plan'> | undefined;
}

/**
 * Does what follows from a posted entry: its notices, then what the payment provider is to bill of a usage. Again is
 * the same.
 */
export async function settleEntry(
  { events, metering }: PostedEntryOptions,
  entry: Pick<LedgerRow, 'tenant_id' | 'at' | 'change' | 'billable' | 'notices'>,
): Promise<void> {
  await publishNotices(events, entry);
  if (entry.change.kind !== 'usage' || entry.billable === 0) return;
  await metering?.plan(asTenantId(entry.tenant_id), entry.change.callId, entry.billable);
}
