import { asTenantId, derivedId } from '@voice/shared/ids/ids';
import { toUsd } from '../platform/money/micro-dollars.js';
import type { TenantEvents } from '../webhooks/events/tenant-events.js';
import { dayOf } from './account-state.js';
import type { LedgerRow } from './ledger-model.js';

/** Publishes the notices of a ledger entry. Publishing again is the same, by ids that say what happened. */
export async function publishNotices(
  events: TenantEvents,
  entry: Pick<LedgerRow, 'tenant_id' | 'at' | 'change' | 'notices'>,
): Promise<void> {
  const tenant = asTenantId(entry.tenant_id);
  const common = { tenant, sandbox: false, occurredAt: entry.at.getTime() };
  for (const notice of entry.notices) {
    switch (notice.kind) {
      case 'credit_exhausted': {
        const { inAdvance, period } = notice;
        await events.emit({
          ...common,
          type: 'usage.credit_exhausted',
          id: derivedId(tenant, `credit_exhausted:${period}:${inAdvance ? 'in_advance' : 'now'}`),
          data: {
            tenant_id: tenant,
            last_call_id: entry.change.kind === 'usage' ? entry.change.callId : null,
            in_advance: inAdvance,
          },
        });
        break;
      }
      case 'cap_approaching':
        await events.emit({
          ...common,
          type: 'usage.daily_cap_approaching',
          id: derivedId(tenant, `daily_cap:${dayOf(common.occurredAt)}:${notice.limit}`),
          data: { spent_usd: toUsd(notice.spent), limit_usd: toUsd(notice.limit) },
        });
        break;
    }
  }
}
