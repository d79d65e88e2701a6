import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { e164 } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { apiError } from '../../../platform/http/error-codes.js';
import { fromUsd } from '../../../platform/money/micro-dollars.js';
import {
  ANONYMOUS_CALLER,
  type AnsweredBy,
  ATTESTATIONS,
  type Attestation,
  type CarrierCallback,
  type CarrierCallStatus,
  type CarrierReport,
  type InboundCall,
  isMachine,
  type TransferLegStatus,
} from '../port.js';
import { decodeClientState } from './client-state.js';

/** How old a webhook may be, and how far ahead its clock, in s: Telnyx's own libraries allow as much. */
const TOLERANCE_SECONDS = 300;
/** An Ed25519 public key in DER is this and the 32 bytes (RFC 8410). */
const ED25519_DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

export function telnyxPublicKey(base64: string): KeyObject {
  const key = Buffer.concat([ED25519_DER_PREFIX, Buffer.from(base64, 'base64')]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}

const event = z.object({
  data: z.object({
    /** Of the event: the same when it is delivered again. */
    id: z.string().min(1).max(128),
    event_type: z.string(),
    occurred_at: z.string().optional(),
    payload: z.object({
      call_control_id: z.string().min(1).max(256),
      client_state: z.string().nullish(),
      direction: z.string().optional(),
      from: z.string().optional(),
      to: z.string().optional(),
      hangup_cause: z.string().optional(),
      result: z.string().optional(),
      status: z.string().optional(),
      recording_id: z.string().optional(),
      shaken_stir_attestation: z.string().nullish(),
      shaken_stir_validated: z.boolean().nullish(),
      total_cost: z.union([z.string(), z.number()]).nullish(),
      cost_parts: z.array(z.object({ currency: z.string().nullish() })).nullish(),
    }),
  }),
});

export type TelnyxEvent = z.output<typeof event>['data'];

/**
 * Verifies (Ed25519 over `timestamp|body`; headers `telnyx-signature-ed25519` and `telnyx-timestamp`) and
 * reads a webhook. Throws 401 `invalid_signature`, also for one that is older than five minutes.
 */
export function readTelnyxEvent(callback: CarrierCallback, key: KeyObject, now: number): TelnyxEvent {
  const timestamp = callback.header('telnyx-timestamp') ?? '';
  const signature = Buffer.from(callback.header('telnyx-signature-ed25519') ?? '', 'base64');
  const signed = Buffer.concat([Buffer.from(`${timestamp}|`), callback.rawBody]);
  const fresh = /^\d{1,12}$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS;
  if (!fresh || signature.length !== 64 || !verify(null, signed, key, signature)) {
    throw apiError('invalid_signature');
  }
  let body: unknown;
  try {
    body = JSON.parse(callback.rawBody.toString('utf8'));
  } catch (cause) {
    throw apiError('malformed_request', 'The webhook is not JSON.', { cause });
  }
  const parsed = event.safeParse(body);
  if (!parsed.success) {
    throw apiError('malformed_request', 'The webhook does not have the documented form.', {
      cause: parsed.error,
    });
  }
  return parsed.data.data;
}

/** Why a call ended, by `hangup_cause`; what is not named here is a failure. */
const HANGUP_CAUSES: ReadonlyMap<string, CarrierCallStatus> = new Map(
  Object.entries({
    normal_clearing: 'completed',
    time_limit: 'completed',
    user_busy: 'busy',
    timeout: 'no_answer',
    no_answer: 'no_answer',
    no_user_response: 'no_answer',
    originator_cancel: 'canceled',
  } as const),
);

/** Results of `call.machine.detection.ended` and `call.machine.greeting.ended`, premium ones too. */
const DETECTED: ReadonlyMap<string, AnsweredBy> = new Map(
  Object.entries({
    human: 'human',
    human_residence: 'human',
    human_business: 'human',
    machine: 'machine_start',
    beep_detected: 'machine_end_beep',
    no_beep_detected: 'machine_end_silence',
    ended: 'machine_end_other',
    fax_detected: 'fax',
  } as const),
);

/** What an event means to us. */
export type TelnyxMeaning =
  | { readonly kind: 'report'; readonly report: CarrierReport }
  | { readonly kind: 'inbound'; readonly call: InboundCall }
  /** The callee of a code, a polite word or a briefing has answered: say it. */
  | { readonly kind: 'say'; readonly carrierCallId: string; readonly text: string }
  /** It was said, and that was all. */
  | { readonly kind: 'said'; readonly carrierCallId: string }
  /** The human to whom a call was to be brought did not take it: the caller is on the line with nobody. */
  | { readonly kind: 'left_alone'; readonly carrierCallId: string };

function callStatus({ event_type: type, payload }: TelnyxEvent): CarrierCallStatus | null {
  switch (type) {
    case 'call.initiated':
      return 'initiated';
    case 'call.answered':
      return 'answered';
    case 'call.hangup':
      return HANGUP_CAUSES.get(payload.hangup_cause ?? '') ?? 'failed';
    default:
      return null;
  }
}

/**
 * Returns the leg to the human of a warm transfer. They hear the briefing, and only then is the caller brought to them:
 * a bridge would cut the briefing off.
 */
function ofHumanLeg({ event_type: type, payload }: TelnyxEvent, transferId: string, briefing?: string) {
  const carrierCallId = payload.call_control_id;
  const leg = (status: TransferLegStatus): TelnyxMeaning => ({
    kind: 'report',
    report: { kind: 'transfer_leg', transferId, legId: carrierCallId, status },
  });
  switch (type) {
    case 'call.answered':
      if (briefing === undefined) return [leg('answered'), leg('briefed')];
      return [leg('answered'), { kind: 'say', carrierCallId, text: briefing } as const];
    case 'call.speak.ended':
      return payload.status === 'call_hangup' ? [] : [leg('briefed')];
    case 'call.machine.detection.ended':
      return isMachine(DETECTED.get(payload.result ?? '') ?? 'unknown') ? [leg('machine')] : [];
    case 'call.hangup':
      return [leg(HANGUP_CAUSES.get(payload.hangup_cause ?? '') ?? 'failed')];
    default:
      return [];
  }
}

function attestationOf({ shaken_stir_attestation: level }: TelnyxEvent['payload']): Attestation | null {
  return ATTESTATIONS.find((one) => one === level?.toUpperCase()) ?? null;
}

/**
 * Returns what `call.cost` says, in micro-dollars; null where it failed, or is in another currency than USD. It is sent
 * when the Call Control application has `call_cost_in_webhooks` switched on.
 */
function costOf({ status, total_cost: total, cost_parts: parts }: TelnyxEvent['payload']): number | null {
  const amount = total === undefined || total === null || total === '' ? Number.NaN : Number(total);
  const foreign = (parts ?? []).some(({ currency }) => (currency ?? 'USD').toUpperCase() !== 'USD');
  if (status === 'error' || foreign || !Number.isFinite(amount) || amount < 0) return null;
  return fromUsd(amount);
}

/** Reads an event by its type and by what its client state says of the call. Pure. */
export function meaningOf(event: TelnyxEvent): readonly TelnyxMeaning[] {
  const { payload, event_type: type } = event;
  const { call_control_id: carrierCallId } = payload;
  const state = decodeClientState(payload.client_state);
  const status = callStatus(event);
  if (type === 'call.initiated' && payload.direction === 'incoming') {
    const from = e164.safeParse(payload.from);
    const to = e164.safeParse(payload.to);
    if (!to.success) return [];
    return [
      {
        kind: 'inbound',
        call: {
          carrierCallId,
          from: from.success ? from.data : ANONYMOUS_CALLER,
          to: to.data,
          attestation: payload.shaken_stir_validated === true ? attestationOf(payload) : null,
        },
      },
    ];
  }
  if (state.transfer_id !== undefined) return ofHumanLeg(event, state.transfer_id, state.say);
  if (state.brought_from !== undefined) {
    const untaken = status !== null && ['busy', 'no_answer', 'failed', 'canceled'].includes(status);
    return untaken ? [{ kind: 'left_alone', carrierCallId: state.brought_from }] : [];
  }
  // The end of such a call is reported like any other's: it may be one that was ours before.
  if (state.say !== undefined && type !== 'call.hangup') {
    if (type === 'call.answered') return [{ kind: 'say', carrierCallId, text: state.say }];
    return type === 'call.speak.ended' ? [{ kind: 'said', carrierCallId }] : [];
  }
  const callId = state.call_id ?? null;
  if (status !== null) {
    const at = Date.parse(event.occurred_at ?? '');
    const report = {
      kind: 'status',
      callId,
      carrierCallId,
      status,
      durationMs: null,
      at: Number.isNaN(at) ? null : at,
      attestation: payload.shaken_stir_validated === false ? null : attestationOf(payload),
    } as const;
    return [{ kind: 'report', report }];
  }
  if (/^call\.machine\.(premium\.)?(detection|greeting)\.ended$/.test(type)) {
    const answeredBy = DETECTED.get(payload.result ?? '') ?? 'unknown';
    return [{ kind: 'report', report: { kind: 'answered_by', callId, carrierCallId, answeredBy } }];
  }
  if (type === 'call.cost') {
    const amount = costOf(payload);
    return amount === null
      ? []
      : [{ kind: 'report', report: { kind: 'price', callId, carrierCallId, amount } }];
  }
  if (type === 'call.recording.saved' || type === 'call.recording.error') {
    const recording = {
      kind: 'recording',
      callId,
      carrierCallId,
      recordingId: payload.recording_id ?? event.id,
      status: type === 'call.recording.saved' ? 'completed' : 'failed',
    } as const;
    return [{ kind: 'report', report: recording }];
  }
  return [];
}
