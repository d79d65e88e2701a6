import { v5, v7 } from 'uuid';
import { InOrder } from './in-order.js';

declare const tenantBrand: unique symbol;
/** A tenant's id. Branded, so that a query that forgets its tenant does not compile. */
export type TenantId = string & { readonly [tenantBrand]: true };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

const inOrder = new InOrder();

/** Creates a UUID v7: unique, and sorts by the time of its creation. */
export function newId(): string {
  return v7(inOrder.next(Date.now()));
}

/**
 * Derives the UUID v5 of `name` within a resource: the same inputs always give the same id, so that deriving it again
 * after a crash neither loses nor doubles what it names.
 */
export function derivedId(resourceId: string, name: string): string {
  return v5(name, resourceId);
}

export function newTenantId(): TenantId {
  return newId() as TenantId;
}

/** Marks an id that came from a credential or the database as a tenant's. */
export function asTenantId(id: string): TenantId {
  return id as TenantId;
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
