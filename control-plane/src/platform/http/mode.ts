import type { TenantScope } from '../store/tenant-scope.js';
import { apiError } from './error-codes.js';

/**
 * Returns the scope in which a body's `sandbox` asks for something to be made; left out, that of the caller. Production
 * may make things for the sandbox. Throws 403 `live_mode_required` for the reverse.
 */
export function scopeToMakeIn(asking: TenantScope, sandbox: boolean = asking.sandbox): TenantScope {
  if (asking.sandbox && !sandbox) throw apiError('live_mode_required');
  return { tenant: asking.tenant, sandbox };
}
