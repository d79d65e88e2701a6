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
  readonly metering: Pick<Metering, 'plan' | 'planOverdraft'> | undefined;
}

/**
 * Does what follows from a posted entry: its notices, then what the payment provider is to bill, of a usage or of what
 * was overdrawn before a payment method came. Again is the same.
 */
export async function settleEntry(
  { events, metering }: PostedEntryOptions,
  entry: Pick<LedgerRow, '_id' | 'tenant_id' | 'at' | 'change' | 'billable' | 'notices'>,
): Promise<void> {
  await publishNotices(events, entry);
  const { _id: id, change, billable } = entry;
  if (billable === 0) return;
  const tenant = asTenantId(entry.tenant_id);
  if (change.kind === 'usage') await metering?.plan(tenant, change.callId, billable);
  else await metering?.planOverdraft(tenant, id, billable);
}
