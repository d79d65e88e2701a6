import { e164 } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { apiError } from '../../../platform/http/error-codes.js';
import { fromUsd } from '../../../platform/money/micro-dollars.js';
import {
  ANONYMOUS_CALLER,
  type CarrierCallback,
  type CarrierCallStatus,
  type CarrierReport,
  type InboundCall,
} from '../port.js';
import { verifiedForm } from './signature.js';

/** Plivo's CallStatus. */
const STATUS: ReadonlyMap<string, CarrierCallStatus> = new Map(
  Object.entries({
    ringing: 'ringing',
    'in-progress': 'answered',
    completed: 'completed',
    busy: 'busy',
    'no-answer': 'no_answer',
    timeout: 'no_answer',
    cancel: 'canceled',
    failed: 'failed',
  } as const),
);

const callUuid = z.string().regex(/^[0-9a-f-]{32,40}$/i);
const statusForm = z.object({
  CallUUID: callUuid,
  CallStatus: z.string().transform((text, context) => {
    const status = STATUS.get(text);
    if (!status) context.addIssue(`unknown call status ${text}`);
    return status ?? z.NEVER;
  }),
  /** Seconds; of a call that is over. */
  Duration: z.coerce.number().nonnegative().optional(),
  /** USD; of a call that is over. */
  TotalCost: z.coerce.number().nonnegative().optional().catch(undefined),
});
const machineForm = z.object({ CallUUID: callUuid, Machine: z.enum(['true', 'false']) });
const inboundForm = z.object({ CallUUID: callUuid, From: z.string().max(256), To: z.string().max(256) });
const dialedForm = z.object({ DialStatus: z.string() });

function read<T>(schema: z.ZodType<T>, callback: CarrierCallback, authToken: string): T {
  const parsed = schema.safeParse(Object.fromEntries(verifiedForm(callback, authToken)));
  if (parsed.success) return parsed.data;
  throw apiError('malformed_request', 'The callback does not have the documented form.', {
    cause: parsed.error,
  });
}

const ourIds = ({ url }: CarrierCallback) => {
  const query = new URL(url).searchParams;
  return {
    callId: query.get('call_id'),
    transferId: query.get('transfer_id'),
    briefed: query.has('briefed'),
  };
};

/**
 * Of a call that rings, is answered or is over: what became of it, and of one that is over what it cost. Our ids
 * come from the address's query, which the signature covers.
 */
export function readPlivoStatus(callback: CarrierCallback, authToken: string): CarrierReport[] {
  const {
    CallUUID: carrierCallId,
    CallStatus: status,
    Duration,
    TotalCost,
  } = read(statusForm, callback, authToken);
  const { callId, transferId, briefed } = ourIds(callback);
  if (transferId !== null) {
    const legStatus = briefed && status === 'answered' ? 'briefed' : status;
    return [{ kind: 'transfer_leg', transferId, legId: carrierCallId, status: legStatus }];
  }
  const durationMs = Duration === undefined ? null : Duration * 1000;
  const reports: CarrierReport[] = [
    { kind: 'status', callId, carrierCallId, status, durationMs, at: null, attestation: null },
  ];
  if (TotalCost !== undefined && status === 'completed') {
    reports.push({ kind: 'price', callId, carrierCallId, amount: fromUsd(TotalCost) });
  }
  return reports;
}

/** Plivo waits for no beep: a machine is one from its first word. */
export function readPlivoMachine(callback: CarrierCallback, authToken: string): CarrierReport {
  const { CallUUID: carrierCallId, Machine } = read(machineForm, callback, authToken);
  const { callId, transferId } = ourIds(callback);
  if (transferId !== null) {
    const status = Machine === 'true' ? 'machine' : 'answered';
    return { kind: 'transfer_leg', transferId, legId: carrierCallId, status };
  }
  return {
    kind: 'answered_by',
    callId,
    carrierCallId,
    answeredBy: Machine === 'true' ? 'machine_start' : 'human',
  };
}

/** Reads the request that wants XML for an answer: somebody calls. */
export function readPlivoInbound(callback: CarrierCallback, authToken: string): InboundCall {
  const { CallUUID, From, To } = read(inboundForm, callback, authToken);
  const numberOf = (digits: string) => e164.safeParse(`+${digits.replace(/^\+/, '')}`);
  const to = numberOf(To);
  if (!to.success) throw apiError('malformed_request', 'The callback names no number.', { cause: to.error });
  const from = numberOf(From);
  return {
    carrierCallId: CallUUID,
    from: from.success ? from.data : ANONYMOUS_CALLER,
    to: to.data,
    attestation: null,
  };
}

/** After a `<Dial>`: whether somebody took the call. */
export function readPlivoDialed(callback: CarrierCallback, authToken: string): boolean {
  return read(dialedForm, callback, authToken).DialStatus === 'completed';
}
