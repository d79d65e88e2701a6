import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { CallDocument } from './model.js';

/** Returns the tenant that the call belongs to. */
export function tenantOf(call: Pick<CallDocument, 'tenant_id'>): TenantId {
  return asTenantId(call.tenant_id);
}
