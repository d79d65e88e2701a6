import type { ErrorCode } from './error-codes.js';
import { leastRoleOf } from './roles.js';
import type { Route } from './route.js';
import { actsForTenant, choosesMode, isIdempotent, isMutating, takesSessions } from './route-traits.js';

/** Returns every code that a route may answer with: its own, and those that its declaration implies. */
export function errorCodesOf(route: Route): readonly ErrorCode[] {
  const codes: ErrorCode[] = [
    'malformed_request',
    'rate_limited',
    'internal_error',
    'store_unavailable',
    'storage_full',
  ];
  if (actsForTenant(route)) codes.push('missing_credentials', 'invalid_api_key');
  if (takesSessions(route)) {
    codes.push('invalid_session', 'session_expired', 'identity_provider_unavailable');
    if (leastRoleOf(route) !== 'viewer') codes.push('role_insufficient');
    if (isMutating(route.method) || 101 in route.responses) codes.push('cross_site_request');
  }
  if (route.auth === 'inter_plane') codes.push('missing_credentials', 'invalid_signature');
  if (route.auth === 'tenant_live') codes.push('live_mode_required');
  if (
    actsForTenant(route) ||
    route.params ||
    route.query ||
    route.body ||
    choosesMode(route) ||
    isIdempotent(route)
  )
    codes.push('validation_error');
  if (route.method !== 'get') codes.push('payload_too_large');
  if (route.receive) codes.push('import_in_progress');
  if (route.body) codes.push('malformed_json', 'unsupported_media_type');
  if (isIdempotent(route)) codes.push('idempotency_in_flight', 'idempotency_key_reused');
  return [...new Set([...codes, ...(route.errors ?? [])])];
}
