import { apiError } from '../platform/http/error-codes.js';
import { scopeOf, type TenantScope } from '../platform/store/tenant-scope.js';
import type { ComplianceCheckDocument } from './model.js';
import type { RecordingDirective } from './recording-consent.js';

/** Throws 403 `compliance_denied`, with the check's id, its reasons and the next opening of the hours. */
function refuseDenied(check: ComplianceCheckDocument): void {
  if (check.decision === 'allowed') return;
  throw apiError('compliance_denied', undefined, {
    fields: {
      check_id: check._id,
      reasons: check.reasons,
      next_open_at: check.next_open_at?.toISOString() ?? null,
    },
  });
}

/**
 * A stored check that allowed this very call. Only the gate makes one (its brand is a private field), and
 * creating, as well as dialing, takes one: there is no way to a call around the gate.
 */
export class AllowedCheck {
  readonly #admitted = true;
  readonly id: string;
  readonly scope: TenantScope;
  readonly toNumber: string;
  /** What the call's recording must be; null where no agent was judged. */
  readonly recording: RecordingDirective | null;

  private constructor(named: ComplianceCheckDocument, latest: ComplianceCheckDocument) {
    this.id = named._id;
    this.scope = scopeOf(named);
    this.toNumber = named.to_number;
    this.recording = latest.recording;
  }

  /**
   * Throws 403 `compliance_denied` unless the check, and the latest one where another was made since,
   * allowed the call.
   */
  static admit(named: ComplianceCheckDocument, latest: ComplianceCheckDocument = named): AllowedCheck {
    refuseDenied(named);
    refuseDenied(latest);
    return new AllowedCheck(named, latest);
  }

  /** Whether the check was made for this number, by this tenant in this mode. */
  covers({ tenant, sandbox }: TenantScope, toNumber: string): boolean {
    const isOwn = this.scope.tenant === tenant && this.scope.sandbox === sandbox;
    return this.#admitted && isOwn && this.toNumber === toNumber;
  }
}
