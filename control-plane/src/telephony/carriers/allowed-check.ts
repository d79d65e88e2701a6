import type { TenantScope } from '../../platform/store/tenant-scope.js';

/**
 * Proves to a carrier that this very call was allowed, before it dials. Its brand is a private field, and the
 * gate's own checks alone extend it: there is no way to a carrier around the gate.
 */
export abstract class AllowedCheck {
  readonly #allowed = true;
  readonly scope: TenantScope;
  readonly toNumber: string;

  protected constructor(scope: TenantScope, toNumber: string) {
    this.scope = scope;
    this.toNumber = toNumber;
  }

  /** Returns whether the check was made for this number, by this tenant in this mode. */
  covers({ tenant, sandbox }: TenantScope, toNumber: string): boolean {
    const isOwn = this.scope.tenant === tenant && this.scope.sandbox === sandbox;
    return this.#allowed && isOwn && this.toNumber === toNumber;
  }
}
