import type { CallStatus } from './status.js';

interface CallFacts {
  readonly sid: string;
  readonly accountSid: string;
  readonly to: string;
  readonly from: string;
  readonly direction: 'inbound' | 'outbound-api';
  readonly status: CallStatus;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly answeredAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly answeredBy: string | null;
}

/** A call as the REST API shows it (twilio.com/docs/voice/api/call-resource). */
export type CallResource = ReturnType<typeof callResource>;

export function callResource(call: CallFacts) {
  const path = `/2010-04-01/Accounts/${call.accountSid}/Calls/${call.sid}`;
  const talkedMs =
    call.answeredAt === undefined || call.endedAt === undefined ? 0 : call.endedAt - call.answeredAt;
  return {
    sid: call.sid,
    date_created: rfc2822(call.createdAt),
    date_updated: rfc2822(call.endedAt ?? call.answeredAt ?? call.createdAt),
    parent_call_sid: null,
    account_sid: call.accountSid,
    to: call.to,
    to_formatted: call.to,
    from: call.from,
    from_formatted: call.from,
    phone_number_sid: null,
    // The REST API calls a call that is being set up queued or ringing; "initiated" is a callback's word.
    status: call.status === 'initiated' ? 'queued' : call.status,
    start_time: call.answeredAt === undefined ? null : rfc2822(call.answeredAt),
    end_time: call.endedAt === undefined ? null : rfc2822(call.endedAt),
    /** Whole seconds, as text. */
    duration: call.endedAt === undefined ? null : String(Math.round(talkedMs / 1000)),
    // As Twilio's: a negative decimal once the call is over; local numbers at 0.014 a started minute.
    price: call.endedAt === undefined ? null : (-0.014 * Math.ceil(talkedMs / 60_000)).toFixed(5),
    price_unit: 'USD',
    direction: call.direction,
    answered_by: call.answeredBy,
    api_version: '2010-04-01',
    annotation: null,
    forwarded_from: null,
    group_sid: null,
    caller_name: null,
    queue_time: '0',
    trunk_sid: null,
    uri: `${path}.json`,
    subresource_uris: {},
  };
}

/** Formats a date as Twilio does: `Fri, 20 Nov 2026 10:00:00 +0000`. */
export function rfc2822(epochMs: number): string {
  return new Date(epochMs).toUTCString().replace('GMT', '+0000');
}
