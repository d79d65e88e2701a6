import { apiError } from '../http/error-codes.js';
import type { ComplianceCheckDocument } from './model.js';

/**
 * A stored check that allowed this very call. Only `admit` makes one (its brand is a private field), and
 * creating, as well as dialing, takes one: there is no way to a call around the gate.
 */
export class AllowedCheck {
  readonly #admitted = true;
  readonly id: string;
  readonly tenantId: string;
  readonly toNumber: string;

  private constructor(check: ComplianceCheckDocument) {
    this.id = check._id;
    this.tenantId = check.tenant_id;
    this.toNumber = check.to_number;
  }

  /** Throws 403 `compliance_denied` with the check's id and reasons unless the check allowed the call. */
  static admit(check: ComplianceCheckDocument): AllowedCheck {
    if (check.decision !== 'allowed') {
      throw apiError('compliance_denied', undefined, {
        fields: { check_id: check._id, reasons: check.reasons },
      });
    }
    return new AllowedCheck(check);
  }

  /** Whether the check was made for this number of this tenant. */
  covers(tenantId: string, toNumber: string): boolean {
    return this.#admitted && this.tenantId === tenantId && this.toNumber === toNumber;
  }
}
