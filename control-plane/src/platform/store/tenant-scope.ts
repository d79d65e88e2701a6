import { asTenantId, type TenantId } from '@voice/shared/ids/ids';

/**
 * A tenant in one mode. What belongs to a mode (calls, campaigns, numbers, keys, webhooks, …) is read and written
 * for a tenant by one of these alone: a tenant's id does not say which half of its things is meant.
 */
export interface TenantScope {
  readonly tenant: TenantId;
  /** Whether it is the sandbox: nothing real is dialed or billed. */
  readonly sandbox: boolean;
}

/** What names a document of a tenant's: a sharded store finds it on one shard by both. */
export interface TenantKey {
  readonly _id: string;
  readonly tenant_id: string;
}

/** Returns the part of a filter that names the document. */
export function keyOf({ _id, tenant_id }: TenantKey): TenantKey {
  return { _id, tenant_id };
}

/** What every document that belongs to a tenant in a mode has. */
export interface ScopeOwned {
  _id: string;
  tenant_id: string;
  sandbox: boolean;
}

/** Returns the part of a filter, or of a new document, that says whose and in which mode it is. */
export function ownedBy({ tenant, sandbox }: TenantScope): {
  readonly tenant_id: TenantId;
  readonly sandbox: boolean;
} {
  return { tenant_id: tenant, sandbox };
}

/** Returns the scope that a document belongs to. */
export function scopeOf({ tenant_id, sandbox }: Omit<ScopeOwned, '_id'>): TenantScope {
  return { tenant: asTenantId(tenant_id), sandbox };
}

/** Returns whether the document belongs to the scope. */
export function isOwnedBy(scope: TenantScope, row: Omit<ScopeOwned, '_id'>): boolean {
  return row.tenant_id === scope.tenant && row.sandbox === scope.sandbox;
}

/** Names the scope, such as in a cursor or in the key of what is counted for each. */
export function scopeName({ tenant, sandbox }: TenantScope): string {
  return `${tenant}/${sandbox ? 'sandbox' : 'production'}`;
}
