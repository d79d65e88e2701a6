import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { AllowedCheck } from '../compliance/allowed-check.js';

export type CarrierName = 'twilio' | 'simulated';

export interface DialRequest {
  readonly callId: string;
  readonly from: string;
  readonly to: string;
  /** For how long it may ring, in s. */
  readonly ringTimeoutSeconds: number;
  /** Where the carrier opens the media stream, and what it must say there. */
  readonly streamUrl: string;
  readonly streamToken: string;
  /** Whether the carrier tells a person from a machine, and what for. */
  readonly machineDetection: 'off' | 'detect' | 'wait_for_beep';
  /** `https://…/internal/carriers/<name>`; the adapter adds what it needs. */
  readonly callbackBaseUrl: string;
}

/** A carrier's own account of a call. */
export interface CarrierCallState {
  readonly carrierCallId: string;
  readonly status: CarrierCallStatus;
  /** Time from the answer to the end, in ms, where the carrier tells. */
  readonly durationMs: number | null;
}

export type CarrierCallStatus =
  | 'initiated'
  | 'ringing'
  | 'answered'
  | 'completed'
  | 'busy'
  | 'no_answer'
  | 'failed'
  | 'canceled';

export type AnsweredBy =
  | 'human'
  | 'machine_start'
  | 'machine_end_beep'
  | 'machine_end_silence'
  | 'machine_end_other'
  | 'fax'
  | 'unknown';

/** What a carrier tells by callback, verified and read. */
export type CarrierNews =
  | {
      readonly kind: 'status';
      readonly callId: string | null;
      readonly carrierCallId: string;
      readonly status: CarrierCallStatus;
      readonly durationMs: number | null;
      /** Epoch ms, by the carrier's clock; null where it does not tell. */
      readonly at: number | null;
    }
  | {
      readonly kind: 'answered_by';
      readonly callId: string | null;
      readonly carrierCallId: string;
      readonly answeredBy: AnsweredBy;
    };

/** A callback as it arrived. */
export interface CarrierCallback {
  /** The address that the carrier called, with its query, as the carrier knows it. */
  readonly url: string;
  readonly rawBody: Buffer;
  readonly header: (name: string) => string | undefined;
}

/** Call control of one carrier. Failures are `CarrierFailure`s. */
export interface Carrier {
  readonly name: CarrierName;
  /** What the media worker must know of it. */
  readonly link: CallPlan['carrier'];
  /** Asks the carrier to ring; the check must be the one that admitted the call. */
  dial(request: DialRequest, admitted: AllowedCheck, signal: AbortSignal): Promise<{ carrierCallId: string }>;
  /** Ends the call. Ending one that has ended is no failure. */
  hangUp(carrierCallId: string, signal: AbortSignal): Promise<void>;
  /** The carrier's own account of a call; null when it knows none. */
  callState(carrierCallId: string, signal: AbortSignal): Promise<CarrierCallState | null>;
  /** Verifies and reads a callback; throws 401 `invalid_signature` for what the carrier did not send. */
  readCallback(kind: CarrierNews['kind'], callback: CarrierCallback): CarrierNews;
}

/**
 * - `rejected`: the carrier will not ring this number.
 * - `not_dialed`: the carrier was not reached or is overloaded; certainly nothing rings, trying again may help.
 * - `failed`: the carrier refused or broke; nothing rings.
 * - `unknown`: no answer; it may ring, so nobody may dial again.
 */
export type CarrierFailureKind = 'rejected' | 'not_dialed' | 'failed' | 'unknown';

export class CarrierFailure extends Error {
  override readonly name = 'CarrierFailure';
  readonly kind: CarrierFailureKind;
  /** A stable code, such as `twilio_21211`. */
  readonly code: string;

  constructor(kind: CarrierFailureKind, code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
    this.code = code;
  }
}
