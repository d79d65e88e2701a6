import { ServiceError } from '@voice/shared/errors/service-error';

interface ErrorCodeEntry {
  readonly status: number;
  readonly description: string;
}

/**
 * Every code that the API may answer with: its status and what it means. Codes are a promise to
 * clients; the OpenAPI description lists this table. Add here, never reword a meaning.
 */
export const ERROR_CODES = {
  malformed_json: { status: 400, description: 'The body is not valid JSON.' },
  malformed_request: { status: 400, description: 'The request cannot be read.' },
  oauth_state_invalid: {
    status: 400,
    description:
      '`state` is unknown, used, older than ten minutes, or, where the dashboard began, from another browser; connect again.',
  },
  oauth_denied: {
    status: 400,
    description: 'The vendor sent the person back without consent; see `reason`.',
  },
  oauth_code_invalid: { status: 400, description: 'The vendor refused `code`; connect again.' },
  missing_credentials: { status: 401, description: 'No bearer credential was sent.' },
  invalid_api_key: { status: 401, description: 'The API key is unknown, malformed or deleted.' },
  session_expired: { status: 401, description: 'The dashboard session has expired.' },
  invalid_session: { status: 401, description: 'The session is unknown or malformed.' },
  live_link_invalid: {
    status: 401,
    description: 'The link to the live call is malformed, expired, or made for another call; get a new one.',
  },
  login_link_invalid: {
    status: 401,
    description: 'The login link is unknown, used or too old; get a new one.',
  },
  invalid_signature: { status: 401, description: 'The signature of the request is missing or wrong.' },
  credit_exhausted: { status: 402, description: 'The credit of the tenant is used up.' },
  payment_method_required: {
    status: 402,
    description:
      'The tenant has no payment method and no credit. Call POST /billing/setup and save a payment method first.',
  },
  daily_cap_reached: { status: 402, description: 'The daily spending cap of the tenant is reached.' },
  compliance_denied: {
    status: 403,
    description: 'The compliance gate denies the call; see `check_id` and `reasons`.',
  },
  caller_id_unverified: {
    status: 403,
    description:
      '`from_number` is not a verified number of the tenant. Verify it by POST /verifications, or buy one by POST /phones.',
  },
  attestation_insufficient: { status: 403, description: '`from_number` is attested B or C; A is needed.' },
  live_mode_required: {
    status: 403,
    description:
      'A sandbox key cannot change production. Use a production key (`sk_live_…`), or a session without `X-Sandbox: true`.',
  },
  sandbox_number_required: { status: 403, description: 'Sandbox keys can dial carrier test numbers only.' },
  cross_site_request: {
    status: 403,
    description: 'A request with a dashboard session must come from the dashboard itself.',
  },
  role_insufficient: {
    status: 403,
    description:
      'The role of who is signed in does not allow it; `required_role` is the least that does. An owner changes roles.',
  },
  not_found: { status: 404, description: 'No such route.' },
  agent_template_not_found: { status: 404, description: 'No such agent template.' },
  agent_not_found: { status: 404, description: 'No such agent of this tenant.' },
  agent_version_not_found: {
    status: 404,
    description: 'The agent has no such version, or it is no longer kept.',
  },
  api_key_not_found: { status: 404, description: 'No such API key of this tenant.' },
  call_not_found: { status: 404, description: 'No such call of this tenant.' },
  nudge_preset_not_found: { status: 404, description: "No such nudge preset of the call's agent." },
  phone_number_not_found: { status: 404, description: 'No such phone number of this tenant.' },
  phone_number_taken: { status: 409, description: 'The number is registered already.' },
  phone_number_unavailable: { status: 409, description: 'The carrier does not sell this number (any more).' },
  phone_number_not_releasable: { status: 409, description: 'The sandbox caller id cannot be released.' },
  verification_not_found: { status: 404, description: 'No verification of this number is open.' },
  verification_code_wrong: { status: 403, description: 'The code is wrong; see `attempts_left`.' },
  verification_destination_refused: {
    status: 403,
    description: 'No code is sent to this number; `reason` and `detail` say why.',
  },
  verification_limit_reached: {
    status: 429,
    description:
      "Today's limit of codes (UTC) is reached, of the tenant, the number or the installation; try again after `Retry-After`.",
  },
  verification_expired: { status: 410, description: 'The code has expired; start again.' },
  recording_not_found: { status: 404, description: 'The call has no recording.' },
  decision_log_not_found: {
    status: 404,
    description: 'No decision log of the call is kept: it had no conversation, or is not over yet.',
  },
  dnc_entry_not_found: { status: 404, description: 'No such entry on the do-not-call list.' },
  compliance_check_not_found: { status: 404, description: 'No such compliance check of this tenant.' },
  campaign_not_found: { status: 404, description: 'No such campaign of this tenant.' },
  contact_not_found: { status: 404, description: 'No such contact of this campaign.' },
  worker_not_found: { status: 404, description: 'No such media worker.' },
  caller_id_not_found: { status: 404, description: 'No such phone number of this tenant.' },
  webhook_not_found: { status: 404, description: 'No such webhook subscription of this tenant.' },
  delivery_not_found: { status: 404, description: 'No such delivery of this tenant, or not kept any more.' },
  test_session_not_found: { status: 404, description: 'No such test session of this tenant.' },
  voice_not_found: {
    status: 404,
    description: 'The vendor has no such voice for this account, or no recording of it.',
  },
  vendor_key_not_found: { status: 404, description: 'The tenant has no key of its own for this vendor.' },
  integration_not_found: { status: 404, description: 'There is no such integration.' },
  member_not_found: { status: 404, description: 'No such member of this tenant.' },
  invitation_not_found: {
    status: 404,
    description: 'No such invitation of this tenant that is still open.',
  },
  tenant_not_found: { status: 404, description: 'No such tenant.' },
  method_not_allowed: { status: 405, description: 'The path exists, but not with this method; see `Allow`.' },
  not_acceptable: {
    status: 406,
    description: 'No media type that `Accept` names is available here; `detail` says which are.',
  },
  last_owner: {
    status: 409,
    description: 'A tenant keeps one owner at least. Make somebody else an owner first.',
  },
  agent_inactive: {
    status: 409,
    description: 'The agent is switched off. Set its `is_active` to true first.',
  },
  provider_unavailable: {
    status: 409,
    description:
      'A provider of the agent cannot run here; `kind` and `provider` name it, `reason` and `remedy` say why not and what to set.',
  },
  campaign_state_conflict: {
    status: 409,
    description: 'The campaign is in a state in which this cannot be done.',
  },
  campaign_not_draft: { status: 409, description: 'Only a draft can be changed.' },
  webhook_limit_reached: {
    status: 409,
    description: "The tenant's limit of subscriptions is reached; delete one first.",
  },
  integration_not_connected: { status: 409, description: 'The integration is not connected.' },
  integration_reconnect_needed: {
    status: 409,
    description: 'The vendor refuses the credentials of the integration; connect it again.',
  },
  integration_connects_otherwise: {
    status: 409,
    description: 'The integration is connected in the other way; see its `connection_kind`.',
  },
  test_session_ended: { status: 409, description: 'The test session is over; begin a new one.' },
  test_session_not_webrtc: {
    status: 409,
    description: 'The test session is not a WebRTC session; it takes no offer.',
  },
  offer_conflict: {
    status: 409,
    description:
      "The offer does not fit the session's present connection; `reason` says why, `detail` what to send instead.",
  },
  test_session_busy: {
    status: 409,
    description: 'The test session is still answering its last message.',
  },
  transfer_in_progress: { status: 409, description: 'The call is already being transferred.' },
  decision_log_unreadable: {
    status: 409,
    description: 'The decision log of the call is too long, or of a version that no worker reads any more.',
  },
  call_not_active: { status: 409, description: 'The call is not live.' },
  call_active: {
    status: 409,
    description:
      'The call is live. Hang up by POST /calls/{call_id}/hangup first, and try again when it has ended.',
  },
  transfer_not_possible: {
    status: 409,
    description:
      'A test session over a browser or a WebSocket cannot be transferred: no carrier is there to connect the call.',
  },
  not_recorded: {
    status: 409,
    description: 'The call is not recorded: switch `recording.enabled` of its agent on, for the next calls.',
  },
  payment_customer_missing: {
    status: 409,
    description: 'Billing is not set up. Call POST /billing/setup first.',
  },
  idempotency_in_flight: {
    status: 409,
    description: 'The first request with this Idempotency-Key is still running.',
  },
  verification_attempts_exceeded: {
    status: 409,
    description: 'Too many wrong codes: this verification is over. Start another one.',
  },
  conflict: {
    status: 409,
    description: 'The resource was changed by another request at the same time; try again.',
  },
  import_in_progress: {
    status: 409,
    description: 'Another file of this tenant is being imported; try again when it is done.',
  },
  payload_too_large: { status: 413, description: 'The body is over a limit: its size, or what it holds.' },
  unsupported_media_type: {
    status: 415,
    description: 'The media type or encoding of the body is not supported.',
  },
  range_not_satisfiable: {
    status: 416,
    description: 'The file is shorter than the range that is asked for.',
  },
  validation_error: {
    status: 422,
    description: 'The request does not have the documented form; `detail` is a list.',
  },
  vendor_key_refused: {
    status: 422,
    description: 'The vendor does not take the key; nothing is saved. Copy it again from your account there.',
  },
  integration_credentials_refused: {
    status: 422,
    description: 'The vendor refused the key, token or webhook URL.',
  },
  integration_config_too_large: { status: 422, description: 'The settings are over 16 KiB as JSON.' },
  csv_invalid: { status: 422, description: 'The file cannot be used; `detail` says why.' },
  too_many_contacts: { status: 413, description: 'More than 10,000 contacts.' },
  next_retry_at_not_future: { status: 422, description: '`next_retry_at` must be strictly in the future.' },
  invalid_cursor: { status: 422, description: 'The cursor was not made by this list.' },
  idempotency_key_reused: {
    status: 422,
    description: 'The Idempotency-Key was used before with another body or route.',
  },
  compliance_check_mismatch: {
    status: 422,
    description: 'The compliance check is for other numbers, or older than 15 minutes.',
  },
  extraction_schema_unusable: {
    status: 422,
    description: "The agent's extraction schema is no JSON Schema that can be checked against.",
  },
  pipeline_not_supported: {
    status: 422,
    description: 'No media worker here can run an agent of this kind.',
  },
  offer_unusable: {
    status: 422,
    description: 'The media worker cannot use the offer; `detail` says what is wrong with it.',
  },
  answer_too_large: { status: 422, description: 'The answer is longer than 4 MiB.' },
  upgrade_required: {
    status: 426,
    description: 'This is a WebSocket: connect with `Connection: Upgrade` and `Upgrade: websocket`.',
  },
  live_limit_reached: {
    status: 429,
    description:
      "The limit of followers and listeners is reached, of this call, of the tenant's calls or of its webhooks; try again after `Retry-After`.",
  },
  rate_limited: { status: 429, description: 'Too many requests; wait for `Retry-After` seconds.' },
  post_call_step_abandoned: {
    status: 500,
    description: "A step after the call's end was given up: several processes ended while they were at it.",
  },
  internal_error: { status: 500, description: 'A fault of the service; quote the request id.' },
  carrier_error: { status: 502, description: 'The carrier failed or refused.' },
  vendor_unavailable: {
    status: 502,
    description: 'The vendor could not be asked, or failed. Try again in a moment.',
  },
  integration_vendor_error: { status: 502, description: "The integration's vendor failed or refused." },
  payment_provider_error: { status: 502, description: 'The payment provider failed or refused.' },
  language_model_failed: { status: 502, description: 'The language model failed or refused.' },
  language_model_invalid_answer: {
    status: 502,
    description: "The language model's answer does not have the form that was asked for.",
  },
  integration_not_configured: {
    status: 503,
    description: 'This installation has no OAuth app at the vendor.',
  },
  payment_provider_not_configured: {
    status: 503,
    description: 'This installation has no payment provider.',
  },
  storage_full: {
    status: 503,
    description: 'The disk of this installation is full: nothing can be stored until there is room.',
  },
  storage_unavailable: { status: 503, description: 'The object storage cannot be reached; try again.' },
  store_unavailable: { status: 503, description: 'The database cannot be reached; try again.' },
  identity_provider_unavailable: {
    status: 503,
    description: "The identity provider's keys cannot be fetched; try again.",
  },
  draining: { status: 503, description: 'This replica is shutting down; try again.' },
  worker_unreachable: { status: 503, description: "The call's media worker cannot be reached; try again." },
  webrtc_not_available: {
    status: 503,
    description:
      'No media worker takes WebRTC sessions (yet); `detail` says why, `Retry-After` when one is expected to.',
  },
  workers_at_capacity: { status: 503, description: 'No media worker has room.' },
  post_call_step_timed_out: {
    status: 504,
    description: "A step after the call's end took too long, however often it was tried.",
  },
  worker_timeout: {
    status: 504,
    description: "The call's media worker did not answer in time; try again.",
  },
  payment_provider_timeout: {
    status: 504,
    description: 'The payment provider did not answer in time.',
  },
  carrier_timeout: { status: 504, description: 'The carrier did not answer in time.' },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>;

export type ErrorCode = keyof typeof ERROR_CODES;

interface ApiErrorOptions {
  readonly cause?: unknown;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly retryable?: boolean;
  readonly retryAfterSeconds?: number;
}

/** Builds a refusal with the status of its code; without a message, the code's description. */
export function apiError(code: ErrorCode, message?: string, options: ApiErrorOptions = {}): ServiceError {
  const { status, description } = ERROR_CODES[code];
  return new ServiceError({ code, status, message: message ?? description, ...options });
}
