import type { CarrierName } from '@voice/shared/catalogue/carriers';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { AllowedCheck } from './allowed-check.js';

export { CARRIER_NAMES, type CarrierName } from '@voice/shared/catalogue/carriers';

/** STIR/SHAKEN attestation: how sure the carrier is that the caller may use the number (ATIS-1000074). */
export const ATTESTATIONS = ['A', 'B', 'C'] as const;
export type Attestation = (typeof ATTESTATIONS)[number];

export interface DialRequest {
  readonly callId: string;
  readonly from: string;
  readonly to: string;
  /** For how long it may ring, in s. */
  readonly ringTimeoutSeconds: number;
  /** Where the carrier opens the media stream, and what it must say there. */
  readonly streamUrl: string;
  readonly streamToken: string;
  /** Whether the carrier detects answering machines, and what for. */
  readonly machineDetection: 'off' | 'detect' | 'wait_for_beep';
  /** `https://…/internal/carriers/<name>`; the adapter adds what it needs. */
  readonly callbackBaseUrl: string;
}

/** A carrier's own account of a call. */
export interface CarrierCallState {
  readonly carrierCallId: string;
  readonly status: CarrierCallStatus;
  /** Time from the answer to the end, in ms, where the carrier reports it. */
  readonly durationMs: number | null;
}

/** What a carrier charges for a call by its own word. */
export type CarrierPrice =
  /** In micro-dollars. */
  | { readonly kind: 'price'; readonly amount: number }
  /** It will say so later. */
  | { readonly kind: 'pending' }
  /** It does not say, or not in USD. */
  | { readonly kind: 'unknown' };

export type CarrierCallStatus =
  | 'initiated'
  | 'ringing'
  | 'answered'
  | 'completed'
  | 'busy'
  | 'no_answer'
  | 'failed'
  | 'canceled';

/**
 * `answered`: the human hears the briefing; `briefed`: they have heard it to its end; `machine`: it is no human.
 */
export type TransferLegStatus = CarrierCallStatus | 'briefed' | 'machine';

export type AnsweredBy =
  | 'human'
  | 'machine_start'
  | 'machine_end_beep'
  | 'machine_end_silence'
  | 'machine_end_other'
  | 'fax'
  | 'unknown';

/** What a carrier reports by one callback, verified and parsed. */
export type CarrierReport =
  | {
      readonly kind: 'status';
      readonly callId: string | null;
      readonly carrierCallId: string;
      readonly status: CarrierCallStatus;
      readonly durationMs: number | null;
      /** Epoch ms, by the carrier's clock; null where it is not reported. */
      readonly at: number | null;
      /** How the carrier has signed the call; null where it is not reported. */
      readonly attestation: Attestation | null;
    }
  | {
      readonly kind: 'answered_by';
      readonly callId: string | null;
      readonly carrierCallId: string;
      readonly answeredBy: AnsweredBy;
    }
  /** Of the call to the human that a warm transfer is for. */
  | {
      readonly kind: 'transfer_leg';
      readonly transferId: string;
      readonly legId: string;
      readonly status: TransferLegStatus;
    }
  /** What the carrier charges for an ended call, in micro-dollars. */
  | {
      readonly kind: 'price';
      readonly callId: string | null;
      readonly carrierCallId: string;
      readonly amount: number;
    }
  /** Of a recording that the carrier makes. */
  | {
      readonly kind: 'recording';
      readonly callId: string | null;
      readonly carrierCallId: string;
      readonly recordingId: string;
      readonly status: string;
    };

/** Somebody calls a number of ours. */
export interface InboundCall {
  readonly carrierCallId: string;
  /** E.164; a caller who withholds the number has `ANONYMOUS_CALLER`. */
  readonly from: string;
  readonly to: string;
  /** How the caller's carrier has signed it, verified by ours; null where it is not signed, or wrongly. */
  readonly attestation: Attestation | null;
}

/** "ANONYMOUS" on a telephone's keys: Twilio's From of a caller who withholds the number. */
export const ANONYMOUS_CALLER = '+266696687';

/** What to do with somebody who calls. */
export type InboundAnswer =
  | {
      readonly kind: 'stream';
      readonly callId: string;
      readonly streamUrl: string;
      readonly streamToken: string;
    }
  /** A polite word, then the end. */
  | { readonly kind: 'say'; readonly text: string }
  /** The call is known and over. */
  | { readonly kind: 'hang_up' };

/**
 * How long a caller may talk after a transfer, in s: as long as the longest call (an agent's
 * `max_duration_seconds`). Our call is over by then, and nothing of ours would end that talk. Each carrier has it as
 * its default; named, so that it is not an account's setting.
 */
export const LONGEST_TRANSFERRED_TALK_SECONDS = 14_400;

export interface ColdTransfer {
  readonly transferId: string;
  readonly carrierCallId: string;
  readonly from: string;
  readonly to: string;
  readonly callbackBaseUrl: string;
}

/** The first half of a warm transfer: the human is rung and briefed. */
export interface HumanLeg {
  readonly transferId: string;
  readonly from: string;
  readonly to: string;
  readonly briefing: string;
  readonly ringTimeoutSeconds: number;
  readonly callbackBaseUrl: string;
}

export interface AvailableNumber {
  readonly number: string;
  readonly country: string;
  readonly region: string | null;
  readonly locality: string | null;
  readonly voice: boolean;
  readonly sms: boolean;
}

/** A number of this installation's account at the carrier. */
export interface OwnedNumber {
  readonly number: string;
  /** The carrier's id of it. */
  readonly carrierNumberId: string;
}

export interface NumberSearch {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly areaCode?: string;
  readonly limit: number;
}

/** The numbers that a carrier sells and those that it has sold to us. */
export interface CarrierNumbers {
  search(search: NumberSearch, signal: AbortSignal): Promise<AvailableNumber[]>;
  /** Throws a `rejected` failure when nobody can buy it. Callbacks for its calls go to `callbackBaseUrl`. */
  buy(number: string, callbackBaseUrl: string, signal: AbortSignal): Promise<OwnedNumber>;
  owned(number: string, signal: AbortSignal): Promise<OwnedNumber | null>;
  /** Releasing what is released is no failure. */
  release(carrierNumberId: string, signal: AbortSignal): Promise<void>;
}

export interface CodeMessage {
  readonly from: string;
  readonly to: string;
  /** Six digits. */
  readonly code: string;
}

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
  /** Whether a command that is sent twice is carried out once: one whose outcome is unknown may be repeated. */
  readonly repeatable: boolean;
  /** Asks the carrier to ring; the check must be the one that admitted the call. */
  dial(request: DialRequest, admitted: AllowedCheck, signal: AbortSignal): Promise<{ carrierCallId: string }>;
  /** Ends the call. Ending one that has ended is no failure. */
  hangUp(carrierCallId: string, signal: AbortSignal): Promise<void>;
  /** Returns the carrier's own account of a call; null when it knows none. */
  callState(carrierCallId: string, signal: AbortSignal): Promise<CarrierCallState | null>;
  /** What the carrier charges for an ended call. Absent where it is reported by callback, if at all. */
  price?(carrierCallId: string, signal: AbortSignal): Promise<CarrierPrice>;
  /** Connects the caller with somebody else; our media stream ends, the call at the carrier goes on. */
  transfer(transfer: ColdTransfer, signal: AbortSignal): Promise<void>;
  ringHuman(leg: HumanLeg, signal: AbortSignal): Promise<{ legId: string }>;
  /** Does the second half of a warm transfer: brings the caller to the human who has answered. */
  join(
    join: {
      readonly transferId: string;
      readonly carrierCallId: string;
      readonly legId: string;
      readonly callbackBaseUrl: string;
    },
    signal: AbortSignal,
  ): Promise<void>;
  readonly numbers: CarrierNumbers;
  /** Sends a verification code; says nothing else, so it is no way to call somebody around the gate. */
  sendCode(channel: 'sms' | 'voice', message: CodeMessage, signal: AbortSignal): Promise<void>;
}

/** The code of a failure `unknown` by which a carrier says that it has the order of a number and completes it later. */
export const NUMBER_ORDER_PENDING = 'number_order_pending';

/**
 * - `rejected`: the carrier will not ring this number.
 * - `not_dialed`: the carrier was not reached or is overloaded; certainly nothing rings, trying again may help.
 * - `failed`: the carrier refused or broke; nothing rings.
 * - `unknown`: no answer; it may ring, so nobody may dial again.
 */
export type CarrierFailureKind = 'rejected' | 'not_dialed' | 'failed' | 'unknown';

/** Returns whether it is a machine that has answered. */
export function isMachine(answeredBy: AnsweredBy): boolean {
  return answeredBy !== 'human' && answeredBy !== 'unknown';
}

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
