import { e164 } from '@voice/shared/contracts/primitives';
import twilio from 'twilio';
import { z } from 'zod';
import { apiError } from '../../../platform/http/error-codes.js';
import {
  ANONYMOUS_CALLER,
  ATTESTATIONS,
  type Attestation,
  type CarrierCallback,
  type CarrierCallStatus,
  type CarrierReport,
  type InboundCall,
  isMachine,
} from '../port.js';

export type TwilioCallbackKind = Exclude<CarrierReport['kind'], 'price'>;

/** Twilio's CallStatus values, and `initiated` as the status callback names it. */
const STATUS: ReadonlyMap<string, CarrierCallStatus> = new Map(
  Object.entries({
    queued: 'initiated',
    initiated: 'initiated',
    ringing: 'ringing',
    'in-progress': 'answered',
    answered: 'answered',
    completed: 'completed',
    busy: 'busy',
    'no-answer': 'no_answer',
    failed: 'failed',
    canceled: 'canceled',
  } as const),
);

export function carrierCallStatus(text: string): CarrierCallStatus | undefined {
  return STATUS.get(text);
}

const callSid = z.string().regex(/^CA[0-9a-f]{32}$/i);
const statusForm = z.object({
  CallSid: callSid,
  CallStatus: z.string().transform((text, context) => {
    const status = carrierCallStatus(text);
    if (!status) context.addIssue(`unknown call status ${text}`);
    return status ?? z.NEVER;
  }),
  /** Seconds. */
  CallDuration: z.coerce.number().nonnegative().optional(),
  /** Of outgoing calls, from ringing on: A, B or C, where Twilio has signed them. */
  StirStatus: z.enum(ATTESTATIONS).optional().catch(undefined),
  /** RFC 2822, such as `Fri, 20 Nov 2026 10:00:00 +0000`. */
  Timestamp: z.string().optional(),
});
const answeredByForm = z.object({
  CallSid: callSid,
  AnsweredBy: z
    .enum([
      'human',
      'machine_start',
      'machine_end_beep',
      'machine_end_silence',
      'machine_end_other',
      'fax',
      'unknown',
    ])
    .catch('unknown'),
});

function formOf(rawBody: Buffer): Record<string, string | string[]> {
  const form: Record<string, string | string[]> = Object.create(null);
  // In one pass: the body is anybody's until its signature is verified, and may hold very many names.
  for (const [name, value] of new URLSearchParams(rawBody.toString('utf8'))) {
    const earlier = form[name];
    if (earlier === undefined) form[name] = value;
    else if (typeof earlier === 'string') form[name] = [earlier, value];
    else earlier.push(value);
  }
  return form;
}

function read<T>(schema: z.ZodType<T>, form: unknown): T {
  const parsed = schema.safeParse(form);
  if (!parsed.success) {
    throw apiError('malformed_request', 'The callback does not have the documented form.', {
      cause: parsed.error,
    });
  }
  return parsed.data;
}

const recordingForm = z.object({
  CallSid: callSid,
  RecordingSid: z.string().regex(/^RE[0-9a-f]{32}$/i),
  RecordingStatus: z.enum(['in-progress', 'completed', 'absent', 'failed']),
});
const inboundForm = z.object({
  CallSid: callSid,
  From: z.string().max(256),
  To: e164,
  /** Such as TN-Validation-Passed-A, where the call is signed (twilio.com/docs/voice/trusted-calling-with-shakenstir). */
  StirVerstat: z.string().max(64).optional(),
});

/** A signature that does not verify says nothing of the number. */
function attestationOf(verstat: string | undefined): Attestation | null {
  const level = /^TN-Validation-Passed-([ABC])$/.exec(verstat ?? '')?.[1];
  return ATTESTATIONS.find((one) => one === level) ?? null;
}

/**
 * Verifies a callback and reads its form: HMAC-SHA1 over the address and the sorted parameters (twilio.com/docs/usage/security).
 * Throws 401 `invalid_signature`.
 */
function verifiedForm(callback: CarrierCallback, authToken: string): Record<string, string | string[]> {
  const form = formOf(callback.rawBody);
  const signature = callback.header('x-twilio-signature') ?? '';
  if (!twilio.validateRequest(authToken, signature, callback.url, form)) throw apiError('invalid_signature');
  return form;
}

/** Verifies and reads a callback. Our ids come from the address's query, which the signature covers. */
export function readTwilioCallback(
  kind: TwilioCallbackKind,
  callback: CarrierCallback,
  authToken: string,
): CarrierReport {
  const form = verifiedForm(callback, authToken);
  const query = new URL(callback.url).searchParams;
  const callId = query.get('call_id');
  switch (kind) {
    case 'answered_by': {
      const { CallSid, AnsweredBy } = read(answeredByForm, form);
      const transferId = query.get('transfer_id');
      if (transferId !== null) {
        const status = isMachine(AnsweredBy) ? 'machine' : 'answered';
        return { kind: 'transfer_leg', transferId, legId: CallSid, status };
      }
      return { kind, callId, carrierCallId: CallSid, answeredBy: AnsweredBy };
    }
    case 'recording': {
      const { CallSid, RecordingSid, RecordingStatus } = read(recordingForm, form);
      return { kind, callId, carrierCallId: CallSid, recordingId: RecordingSid, status: RecordingStatus };
    }
    case 'transfer_leg': {
      const { CallSid, CallStatus } = read(statusForm, form);
      return { kind, transferId: query.get('transfer_id') ?? '', legId: CallSid, status: CallStatus };
    }
    case 'status': {
      const { CallSid, CallStatus, CallDuration, StirStatus, Timestamp } = read(statusForm, form);
      const at = Timestamp === undefined ? Number.NaN : Date.parse(Timestamp);
      return {
        kind,
        callId,
        carrierCallId: CallSid,
        status: CallStatus,
        durationMs: CallDuration === undefined ? null : CallDuration * 1000,
        at: Number.isNaN(at) ? null : at,
        attestation: StirStatus ?? null,
      };
    }
  }
}

/** Reads the request that comes when a human has heard the briefing. */
export function readTwilioBriefed(
  callback: CarrierCallback,
  authToken: string,
): Extract<CarrierReport, { kind: 'transfer_leg' }> {
  const { CallSid } = read(z.object({ CallSid: callSid }), verifiedForm(callback, authToken));
  const transferId = new URL(callback.url).searchParams.get('transfer_id') ?? '';
  return { kind: 'transfer_leg', transferId, legId: CallSid, status: 'briefed' };
}

const dialedForm = z.object({
  CallSid: callSid,
  DialCallStatus: z.enum(['completed', 'answered', 'busy', 'no-answer', 'failed', 'canceled']),
});

/** After a `<Dial>`: whether somebody took the call (twilio.com/docs/voice/twiml/dial, "action"). */
export function readTwilioDialed(callback: CarrierCallback, authToken: string): boolean {
  const { DialCallStatus: status } = read(dialedForm, verifiedForm(callback, authToken));
  return status === 'completed' || status === 'answered';
}

/** Reads the request of somebody who calls, which wants TwiML for an answer (twilio.com/docs/voice/twiml). */
export function readTwilioInbound(callback: CarrierCallback, authToken: string): InboundCall {
  const { CallSid, From, To, StirVerstat } = read(inboundForm, verifiedForm(callback, authToken));
  return {
    carrierCallId: CallSid,
    from: e164.safeParse(From).success ? From : ANONYMOUS_CALLER,
    to: To,
    attestation: attestationOf(StirVerstat),
  };
}
