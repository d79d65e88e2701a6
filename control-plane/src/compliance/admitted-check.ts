import type { ServiceError } from '@voice/shared/errors/service-error';
import type { CallingHours } from '../agents/calling-hours.js';
import { apiError } from '../platform/http/error-codes.js';
import { scopeOf } from '../platform/store/tenant-scope.js';
import { AllowedCheck } from '../telephony/carriers/allowed-check.js';
import { checkInputs } from './check-inputs.js';
import type { ComplianceCheckDocument } from './model.js';
import type { RecordingDirective } from './recording-consent.js';

/** Returns 403 `compliance_denied`, with the check's id, the reasons and the next opening of the hours. */
export function denial(checkId: string, reasons: readonly string[], nextOpenAt: Date | null): ServiceError {
  return apiError('compliance_denied', undefined, {
    fields: { check_id: checkId, reasons, next_open_at: nextOpenAt?.toISOString() ?? null },
  });
}

function refuseDenied({
  _id: id,
  decision,
  reasons,
  next_open_at: nextOpenAt,
}: ComplianceCheckDocument): void {
  if (decision !== 'allowed') throw denial(id, reasons, nextOpenAt);
}

/**
 * A stored check that allowed this very call. Only the gate makes one, and creating, as well as dialing, takes one:
 * there is no way to a call around the gate.
 */
export class AdmittedCheck extends AllowedCheck {
  readonly id: string;
  /** What the call's recording must be; null where no agent was judged. */
  readonly recording: RecordingDirective | null;
  readonly #inputs: string;

  private constructor(named: ComplianceCheckDocument, latest: ComplianceCheckDocument) {
    super(scopeOf(named), named.to_number);
    this.id = named._id;
    this.recording = latest.recording;
    this.#inputs = latest.inputs;
  }

  /** The hours in which the number may be called, as they were when it was judged. */
  get callingHours(): CallingHours {
    return checkInputs.parse(JSON.parse(this.#inputs)).calling_hours;
  }

  /**
   * Throws 403 `compliance_denied` unless the check, and the latest one where another was made since,
   * allowed the call.
   */
  static admit(named: ComplianceCheckDocument, latest: ComplianceCheckDocument = named): AdmittedCheck {
    refuseDenied(named);
    refuseDenied(latest);
    return new AdmittedCheck(named, latest);
  }
}
