import twilio from 'twilio';
import { z } from 'zod';
import { apiError } from '../../http/error-codes.js';
import type { CarrierCallback, CarrierCallStatus, CarrierNews } from '../port.js';

/** Twilio's CallStatus values, and `initiated` as the status callback names it. */
const STATUS: Readonly<Record<string, CarrierCallStatus>> = {
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
};

export function carrierCallStatus(text: string): CarrierCallStatus | undefined {
  return STATUS[text];
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
  const fields = new URLSearchParams(rawBody.toString('utf8'));
  const form: Record<string, string | string[]> = Object.create(null);
  for (const name of new Set(fields.keys())) {
    const values = fields.getAll(name);
    form[name] = values.length === 1 ? values[0]! : values;
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

/**
 * Verifies the signature (HMAC-SHA1 over the address and the sorted parameters,
 * twilio.com/docs/usage/security) and reads the callback. The call's id comes from the address's query,
 * which the signature covers.
 */
export function readTwilioCallback(
  kind: CarrierNews['kind'],
  callback: CarrierCallback,
  authToken: string,
): CarrierNews {
  const form = formOf(callback.rawBody);
  const signature = callback.header('x-twilio-signature') ?? '';
  if (!twilio.validateRequest(authToken, signature, callback.url, form)) throw apiError('invalid_signature');
  const callId = new URL(callback.url).searchParams.get('call_id');
  if (kind === 'answered_by') {
    const { CallSid, AnsweredBy } = read(answeredByForm, form);
    return { kind, callId, carrierCallId: CallSid, answeredBy: AnsweredBy };
  }
  const { CallSid, CallStatus, CallDuration, Timestamp } = read(statusForm, form);
  const at = Timestamp === undefined ? Number.NaN : Date.parse(Timestamp);
  return {
    kind,
    callId,
    carrierCallId: CallSid,
    status: CallStatus,
    durationMs: CallDuration === undefined ? null : CallDuration * 1000,
    at: Number.isNaN(at) ? null : at,
  };
}
