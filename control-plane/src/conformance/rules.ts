/** A rule of the specification, in its words, and the tests that would fail if it did not hold. */
export interface Rule {
  readonly section: string;
  readonly rule: string;
  readonly tests: readonly TestName[];
}

export interface TestName {
  /** Relative to control-plane/src. */
  readonly file: string;
  /** As written in the file, placeholders of tables included. */
  readonly name: string;
}

const rule = (section: string, text: string, ...tests: [file: string, name: string][]): Rule => ({
  section,
  rule: text,
  tests: tests.map(([file, name]) => ({ file, name })),
});

/** The one source of TESTS.md: `node control-plane/dist/conformance/write-coverage.js` after a change. */
export const RULES: readonly Rule[] = [
  rule(
    '1 What the service does',
    'Every resource belongs to exactly one tenant, and a tenant can only reach its own resources.',
    [
      'conformance/tenant-isolation.test.ts',
      "with another tenant's id answers 404, and changes nothing of that tenant",
    ],
    ['conformance/tenant-isolation.test.ts', "lists nothing of another tenant's"],
    [
      'platform/store/tenant-collection.test.ts',
      'cannot be reached by a filter that names its tenant, nor moved to another',
    ],
  ),
  rule(
    '1 What the service does',
    'A campaign dispatches one agent against a list of contacts at a configured rate.',
    [
      'campaigns/engine/pacing.test.ts',
      '%i a minute: nobody looks for %i ms, and the rate is made good within 5 times that',
    ],
    [
      'campaigns/engine/pacing.test.ts',
      '%i a minute: after whatever stall, never more than 120 % of it in any time and one second',
    ],
    [
      'campaigns/engine/granting.test.ts',
      'the rate is made good within 30 s, without a burst, within max_concurrent, nobody twice',
    ],
    ['campaigns/engine/granting.test.ts', 'never give more lines than max_concurrent, and no contact two'],
    [
      'campaigns/replicas.test.ts',
      'calls everybody once, never faster than its rate, and never exceeds max_concurrent',
    ],
  ),
  rule(
    '1 What the service does',
    "Inbound calls are created by the telephony carrier's intake",
    [
      'calls/inbound/inbound-calls.test.ts',
      "becomes a call of the number's agent, placed at a worker; the carrier gets the order to open the stream",
    ],
    [
      'calls/inbound/inbound-calls.test.ts',
      'that no worker has room for is answered politely and ended, and is kept as FAILED, no_capacity',
    ],
    ['telephony/carriers/telnyx/telnyx.test.ts', "is answered with the agent's media stream"],
  ),
  rule(
    '1 What the service does',
    'Every outbound call passes a compliance gate before dispatch.',
    ['compliance/no-way-around.test.ts', 'one place asks a carrier to dial'],
    ['compliance/no-way-around.test.ts', 'every carrier that dials asks for the check that allowed it'],
  ),
  rule(
    '1 What the service does',
    'The gate checks the do-not-call registry, calling hours, two-party-consent state detection, capacity and the AI first-utterance disclosure.',
    ['compliance/dnc/dnc.test.ts', 'denies calls to a number from when it is added until it is removed'],
    ['compliance/check.test.ts', "judges calling hours in the callee's time zone and says when they open"],
    ['compliance/check.test.ts', 'judges the call of an agent: its hours, disclosure and recording'],
    [
      'compliance/capacity.test.ts',
      'gives every place once to calls created at the same moment on two replicas',
    ],
  ),
  rule('1 What the service does', 'Results are persisted.', [
    'compliance/check.test.ts',
    'with its inputs, and can be read again',
  ]),
  rule('1 What the service does', 'A call that references a denied check cannot be created.', [
    'compliance/check.test.ts',
    'that was denied cannot be created',
  ]),
  rule(
    '1 What the service does',
    'After a call the service produces a transcript, a recording, a per-service cost breakdown (STT, LLM, TTS, carrier, service overhead), an outcome classification and an analysis.',
    [
      'calls/post-call/post-call.test.ts',
      'publishes call.completed, transcript.ready, recording.ready, analysis.ready, in this order, once',
    ],
    [
      'calls/post-call/post-call.test.ts',
      'stores the analysis by scorecard and extraction schema, and gives the call outcome and summary',
    ],
    [
      'billing/usage.test.ts',
      'is stored with the call after its end: STT, LLM, TTS, carrier, service and the total, in USD',
    ],
    [
      'billing/analysis-cost.test.ts',
      'is a part of what the language model cost: shown, charged and counted with the call, once',
    ],
    ['billing/analysis-cost.test.ts', 'costs what each provider did, at its own rate'],
    ['billing/used-segments.test.ts', 'counts no answer twice where the proxy counted %s'],
  ),
  rule(
    '1 What the service does',
    'Usage is reported to the payment provider as meter events after each call completes.',
    ['billing/payments/stripe.test.ts', 'is reported as a meter event after each call, in micro-dollars'],
    ['billing/analysis-cost.test.ts', 'is in the meter event, which carries the final sum'],
  ),
  rule('1 What the service does', 'Calls made with sandbox keys cost zero.', [
    'billing/cost-of-call.test.ts',
    'calls made with sandbox keys cost zero',
  ]),
  rule(
    '2 Resources and their fields',
    'All identifiers in paths are UUID strings (format uuid) unless stated.',
    ['conformance/tenant-isolation.test.ts', 'with a malformed id answers 422'],
  ),
  rule(
    '2 Resources and their fields',
    'Listing returns metadata only and never the plaintext.',
    ['identity/api-keys/api-keys.test.ts', 'stores the hash only'],
    [
      'identity/dashboard/dashboard.test.ts',
      'creates the first key, lists and deletes keys, on every replica',
    ],
  ),
  rule('2 Resources and their fields', 'deletion is soft and sets it to false', [
    'agents/agents.test.ts',
    'deletes softly: off, still readable, and on again by a change',
  ]),
  rule(
    '2 Resources and their fields',
    'Changes to an agent take effect on the next call.',
    [
      'calls/outbound/calls.test.ts',
      'freezes the agent: what is changed after the creation is heard on the next call',
    ],
    ['campaigns/calling-hours.test.ts', 'calls those that wait as soon as its agent has hours that are open'],
  ),
  rule('2 Resources and their fields', 'calling hours taken from the agent', [
    'campaigns/calling-hours.test.ts',
    'calls the open ones at its full rate; the closed ones wait, and are called when their hours open',
  ]),
  rule(
    '2 Resources and their fields',
    'a built-in library of 17 templates that can be cloned into an agent',
    ['agents/templates/agent-templates.test.ts', 'holds one for each of the promised uses'],
    [
      'agents/templates/agent-templates.test.ts',
      'each is cloned by one call without a body into an agent like any other',
    ],
    ['agents/templates/equip.test.ts', 'is tools that there are, whichever integration is connected'],
    ['agents/templates/equip.test.ts', 'books by the calendar that the tenant has connected'],
  ),
  rule(
    '2 Resources and their fields',
    'tool list',
    [
      'integrations/agent-tools.test.ts',
      'may be any action of any integration; what there is not, is refused',
    ],
    ['agents/mcp-servers.test.ts', 'is refused with %s'],
    ['agents/mcp-servers.test.ts', 'are never shown, nor stored in the open'],
    ['agents/mcp-servers.test.ts', 'are never sent to another server than the one they were given for'],
    ['agent-testing/mcp-tools.test.ts', 'offers them to the model, really calls them, and shows it'],
    ['agent-testing/mcp-tools.test.ts', 'goes on without them when the server is down, and says so'],
    [
      'agent-testing/mcp-tools.test.ts',
      "a call's plan takes the server and its secret headers to the worker, sealed on the way",
    ],
  ),
  rule(
    '2 Resources and their fields',
    'Providers outside the canonical provider matrix are marked experimental.',
    ['agents/agents.test.ts', 'marks %j as experimental: %s'],
    [
      'agents/realtime-agents.test.ts',
      'is shown with the agent: no key here, outside the matrix, no such provider',
    ],
  ),
  rule('2 Resources and their fields', 'the first is the primary outcome', [
    'analytics/primary-outcome.test.ts',
    'the primary outcome is the first entry of outcome_labels, without labels Completed: %j',
  ]),
  rule('2 Resources and their fields', 'entries get an id if they lack one', [
    'agents/agents.test.ts',
    'gives nudge presets ids and lets them keep theirs',
  ]),
  rule(
    '3 States and transitions',
    'call is dispatched asynchronously; response is 202 with the call id and status queued',
    [
      'calls/outbound/calls.test.ts',
      'goes from QUEUED over RINGING and IN_PROGRESS to COMPLETED, with what was said',
    ],
  ),
  rule(
    '3 States and transitions',
    'BUSY, NO_ANSWER and VOICEMAIL are terminal outcomes.',
    ['calls/record/call-state.test.ts', 'never leaves a terminal status'],
    ['calls/outbound/calls.test.ts', 'ends as listed when the carrier says %s, and gives the place back'],
  ),
  rule(
    '3 States and transitions',
    'when the call is already in a terminal state, then the response is {status: already_ended} and no command is emitted',
    [
      'calls/outbound/calls.test.ts',
      'asks the worker to end a call in progress; once it is over, it has already ended',
    ],
  ),
  rule(
    '3 States and transitions',
    'campaign and contacts are created atomically',
    [
      'campaigns/creation.test.ts',
      'an unpublished campaign is seen by nobody and is completed by a retry of the same request',
    ],
    ['campaigns/creation.test.ts', 'what a dead creator left is swept, and nothing else'],
  ),
  rule(
    '3 States and transitions',
    'Success criteria can be updated only while the campaign is draft (PATCH).',
    ['campaigns/campaigns.test.ts', 'refuses once the campaign was started, with 409 campaign_not_draft'],
  ),
  rule(
    '3 States and transitions',
    'Events: campaign.started when the first contact is dispatched, campaign.completed when all contacts have finished.',
    ['campaigns/engine.test.ts', 'calls every contact once, completes, and publishes its events'],
  ),
  rule('3 States and transitions', 'next_retry_at strictly in the future', [
    'campaigns/campaigns.test.ts',
    'refuses a time that is not strictly in the future',
  ]),
  rule('3 States and transitions', 'A failed contact is revived this way.', [
    'campaigns/engine.test.ts',
    'a failed contact of a completed campaign is revived by rescheduling it',
  ]),
  rule(
    '3 States and transitions',
    'A replay creates a new delivery attempt row that refers to the same event_id.',
    [
      'webhooks/deliveries/deliveries.test.ts',
      'sends the same event_id in exactly the same bytes, as a new row',
    ],
  ),
  rule(
    '4 Endpoints',
    'All endpoints require the bearer credential (section 5) unless a row says otherwise.',
    ['conformance/tenant-isolation.test.ts', '%s answer 401 with a stable code, and change nothing'],
  ),
  rule('4 Endpoints', 'replaces the whole list; entries without an id get one', [
    'agents/agents.test.ts',
    'gives nudge presets ids and lets them keep theirs',
  ]),
  rule('4 Endpoints', 'The first key must be created in the dashboard.', [
    'identity/dashboard/dashboard.test.ts',
    'creates the first key, lists and deletes keys, on every replica',
  ]),
  rule('4 Endpoints', '204; hard delete', [
    'identity/api-keys/api-keys.test.ts',
    'refuses a deleted key from the next request on',
  ]),
  rule('4 Endpoints', '202 object, after an audit row is written', [
    'calls/operator-actions/operator-actions.test.ts',
    "adds an operator's note to the agent's context, after an audit row is written",
  ]),
  rule(
    '4 Endpoints',
    "a concurrent second transfer is refused through a guard flag in the call's extra object",
    ['calls/transfers/transfers.test.ts', 'a concurrent second transfer is refused through the guard flag'],
    ['calls/transfers/transfers.test.ts', 'of many at the same moment one wins'],
    [
      'calls/transfers/killed.test.ts',
      'leaves a guard that is released when nobody answers; the call goes on and can be transferred',
    ],
  ),
  rule(
    '4 Endpoints',
    "the transfer is carried out in the way of the call's carrier",
    [
      'calls/transfers/transfers.test.ts',
      "connects the caller with a human in the carrier's way; the call ends as transferred",
    ],
    ['telephony/carriers/telnyx/telnyx.test.ts', "is transferred cold by Telnyx's transfer command"],
    [
      'telephony/carriers/telnyx/telnyx.test.ts',
      'rings the human, briefs them, and then brings the caller to them',
    ],
    [
      'calls/transfers/killed.test.ts',
      'leaves a transfer that the next one finishes, once, though it never heard the carrier’s answer',
    ],
  ),
  rule(
    '4 Endpoints',
    '200 RecordingUrlResponse: short-lived URL (15 minutes when signed by object storage; otherwise recording_url directly); 404 if no recording exists',
    [
      'calls/post-call/recording-in-bucket.test.ts',
      "answers the bucket's own address, signed for 15 minutes, which gives the MP3",
    ],
    [
      'calls/post-call/recording-in-bucket.test.ts',
      'is 404 while there is no recording, and for a foreign tenant always',
    ],
    [
      'calls/post-call/uploads.test.ts',
      'is stored, may be uploaded again, and is fetched by its signed address',
    ],
  ),
  rule('4 Endpoints', 'if it fails, generic defaults are returned and the request does not fail', [
    'campaigns/results/results.test.ts',
    'answers generic defaults when the model fails or takes longer than its time-out',
  ]),
  rule(
    '4 Endpoints',
    'cached for 1 hour; an empty list when fewer than 20 analyses are complete',
    ['campaigns/results/results.test.ts', 'is an empty list while fewer than 20 analyses are complete'],
    [
      'campaigns/results/results.test.ts',
      'is generated from failed and low-quality calls, and cached for 1 hour',
    ],
    [
      'campaigns/results/results.test.ts',
      'are counted from the analyses and the failed calls, and cached for 1 hour',
    ],
  ),
  rule('4 Endpoints', '200 CSV file as attachment named after the campaign, at most 5000 rows, synchronous', [
    'campaigns/results/results.test.ts',
    'is an attachment named after the campaign, at most 5,000 rows, formulas neutralised',
  ]),
  rule(
    '4 Endpoints',
    'any other column is stored in contact_data; at most 10,000 contacts per upload',
    [
      'campaigns/upload.test.ts',
      'takes phone, first_name and last_name, and stores every other column in contact_data',
    ],
    ['campaigns/upload.test.ts', 'refuses 10,001 rows with 413 too_many_contacts, and makes nothing'],
    ['platform/http/csv-rows.test.ts', '%s: the reason is given, not a fault of the service'],
  ),
  rule('4 Endpoints', 'a campaign without labels counts under Completed', [
    'analytics/overview.test.ts',
    'counts a campaign by its primary outcome: the first of its labels, or Completed without labels',
  ]),
  rule('4 Endpoints', 'totals for the current calendar month plus a daily breakdown', [
    'billing/usage.test.ts',
    'has totals for the current calendar month plus a daily breakdown, 30 days by default',
  ]),
  rule('4 Endpoints', '409 when the tenant has no payment-provider customer', [
    'billing/payments/stripe.test.ts',
    '409 when the tenant has no payment-provider customer',
  ]),
  rule('4 Endpoints', 'buys the number from the carrier and registers it', [
    'telephony/phones/phones.test.ts',
    'buys the number from the carrier and registers it: caller-ID verified, attested A',
  ]),
  rule('4 Endpoints', 'also releases the number at the carrier', [
    'telephony/phones/phones.test.ts',
    'also releases the number at the carrier, which can then be bought again',
  ]),
  rule(
    '4 Endpoints',
    "On approval the caller's user record is stamped as verified",
    [
      'telephony/verifications/verifications.test.ts',
      "stamps the caller's own record: of who created the key, also when a key was made by a key",
    ],
    ['identity/dashboard/dashboard.test.ts', 'is the person: a key that it creates speaks for them'],
    ['identity/dashboard/dashboard.test.ts', "is the tenant's owner: a key that it creates speaks for them"],
  ),
  rule('4 Endpoints', 'A number owned by the tenant that is not a purchased row stamps only the user.', [
    'telephony/verifications/verifications.test.ts',
    "stamps the user's record; a number that is no row of the tenant stamps only that",
  ]),
  rule(
    '4 Endpoints',
    'Numbers provisioned through the service are caller-ID verified automatically and attested at STIR/SHAKEN level A.',
    [
      'telephony/phones/phones.test.ts',
      'buys the number from the carrier and registers it: caller-ID verified, attested A',
    ],
  ),
  rule('4 Endpoints', '201 WebhookCreateResponse including the signing secret once', [
    'webhooks/subscriptions/subscriptions.test.ts',
    'POST answers 201 with the signing secret once; nothing else ever shows it',
  ]),
  rule('4 Endpoints', '202 DeliveryResponse; the exact payload is re-sent', [
    'webhooks/deliveries/deliveries.test.ts',
    'sends the same event_id in exactly the same bytes, as a new row',
  ]),
  rule('4 Endpoints', 'generates a signing secret if none exists', [
    'webhooks/subscriptions/subscriptions.test.ts',
    'PUT generates a signing secret if none exists, and shows it once',
  ]),
  rule(
    '4 Endpoints',
    'only user creation is handled, other event types are acknowledged and ignored',
    ['identity/clerk/clerk.test.ts', 'acknowledges and ignores other event types'],
    [
      'identity/clerk/clerk.test.ts',
      'looks at nothing in a body before its signature: what is no event at all is unsigned first',
    ],
  ),
  rule('4 Endpoints', '200 server-sent event stream; header X-Session-Id always carries the session id', [
    'agent-testing/agent-testing.test.ts',
    'answers as a server-sent event stream; X-Session-Id always carries the session id',
  ]),
  rule('4 Endpoints', '503 when all workers are at capacity', [
    'agent-testing/agent-testing.test.ts',
    '503 when all workers are at capacity',
  ]),
  rule(
    '4 Endpoints',
    '201 WebRTCSessionCreate: session_id, webrtc_url',
    [
      'agent-testing/web-rtc-sessions.test.ts',
      '201 with session_id, and webrtc_url to which the offer is posted; a worker keeps a place',
    ],
    ['agent-testing/web-rtc-sessions.test.ts', 'takes realtime agents as it takes cascaded ones'],
    ['agent-testing/web-rtc-sessions.test.ts', 'is placed at a worker that takes WebRTC, and at no other'],
    ['agent-testing/web-rtc-sessions.test.ts', '503 workers_at_capacity when all that take WebRTC are full'],
  ),
  rule(
    '4 Endpoints',
    "ice_servers (optional list, filled in when absent); 200 the worker's SDP answer unchanged",
    [
      'agent-testing/web-rtc-sessions.test.ts',
      "200 with the worker's SDP answer unchanged; ice_servers are filled in when absent",
    ],
    ['agent-testing/web-rtc-sessions.test.ts', 'hands pc_id, restart_pc and own ice_servers on'],
    ['agent-testing/web-rtc-sessions.test.ts', '404 for an absent, a foreign and an expired session'],
  ),
  rule(
    '4 Endpoints',
    'AgentUpdate; only provided fields change',
    [
      'agents/realtime-agents.test.ts',
      'to realtime, without a voice_config: the default speech-to-speech provider, and nothing else changes',
    ],
    ['agents/realtime-agents.test.ts', 'to realtime with a voice_config: the provider that is given'],
    [
      'agents/realtime-agents.test.ts',
      'and back: the choices of the cascade are as they were, but for those that are given',
    ],
    ['agents/realtime-agents.test.ts', 'keeps the secrets of both pipelines, and shows none'],
  ),
  rule(
    '4 Endpoints',
    "202 with header Retry-After: 3 while analysis is running; 404 if the session is not the tenant's",
    ['agent-testing/agent-testing.test.ts', '202 with Retry-After: 3 while the analysis runs, then 200'],
    ['agent-testing/agent-testing.test.ts', "404 if the session is not the tenant's"],
  ),
  rule(
    '4 Endpoints',
    'tokens are revoked and the connection removed',
    ['integrations/integrations.test.ts', '%s: consent, exchange, healthy, then revoked and removed'],
    [
      'integrations/integrations.test.ts',
      'whose vendor is away are not connected any more at once, and revoked as soon as it is back',
    ],
    [
      'integrations/revocations.test.ts',
      'before it removed the connection: the removal is completed, and the tokens are revoked',
    ],
  ),
  rule(
    '5 Authentication',
    'The server derives the mode from the prefix on every request.',
    ['platform/http/http.test.ts', 'the mode follows the prefix of the key: a forged prefix finds no key'],
    ['conformance/sessions.test.ts', 'of a key is that of its prefix, whatever the request says'],
    [
      'telephony/phones/phones.test.ts',
      'a number that was tried out in the sandbox is brought along for production, once',
    ],
  ),
  rule(
    '5 Authentication',
    'only carrier test numbers can be called',
    ['calls/transfers/transfers.test.ts', 'with a sandbox key reaches carrier test numbers only'],
    ['calls/outbound/test-calls.test.ts', 'with a sandbox key still reaches carrier test numbers only'],
  ),
  rule('5 Authentication', 'only webhook subscriptions with sandbox true receive the resulting events', [
    'webhooks/deliveries/deliveries.test.ts',
    'knows no crossover: sandbox subscriptions hear of sandbox events only, and the reverse',
  ]),
  rule(
    '5 Authentication',
    'The key plaintext is shown once at creation and cannot be retrieved again.',
    ['identity/api-keys/api-keys.test.ts', 'shows a new key once (sandbox $sandbox), and it works at once'],
    ['identity/api-keys/api-keys.test.ts', 'stores the hash only'],
  ),
  rule('5 Authentication', 'An invalid key gives 401 with a stable error code.', [
    'conformance/tenant-isolation.test.ts',
    '%s answer 401 with a stable code, and change nothing',
  ]),
  rule('5 Authentication', 'Exempt from the bearer credential', [
    'conformance/tenant-isolation.test.ts',
    'are wanted everywhere but where the specification exempts it (section 5, rule 7)',
  ]),
  rule(
    '5 Authentication',
    'Outbound dispatch refuses a from_number until caller_id_verified_at is set on it.',
    [
      'telephony/verifications/verifications.test.ts',
      'start a verification, confirm with the code: the matching number is stamped and may be dialed with',
    ],
  ),
  rule(
    '5 Authentication',
    'Dashboard identity-provider sessions are also mentioned as a tenant credential for some endpoints',
    ['identity/dashboard/dashboard.test.ts', 'stands for the tenant of the person'],
    ['identity/dashboard/dashboard.test.ts', 'does not stand for a key where a key is asked for'],
    ['conformance/sessions.test.ts', 'is a credential of everything but what dials for programs'],
    [
      'conformance/sessions.test.ts',
      'in a cookie changes nothing for a request of another site (CSRF); a bearer token needs no origin',
    ],
    [
      'conformance/sessions.test.ts',
      'chooses the mode wherever sandbox and production differ; production when it does not',
    ],
  ),
  rule('6 Events', 'It receives every event type it opts into.', [
    'webhooks/deliveries/deliveries.test.ts',
    'goes to every subscription that opted into the type, and to no other',
  ]),
  rule(
    '6 Events',
    'Delivery is at least once.',
    ['webhooks/deliveries/survival.test.ts', 'before any delivery was made reaches every subscription, once'],
    [
      'webhooks/deliveries/killed.test.ts',
      'loses none that it has answered for: each arrives at least once, by one delivery',
    ],
  ),
  rule(
    '6 Events',
    'A non-2xx response or a network error is retried with exponential backoff.',
    ['webhooks/deliveries/deliveries.test.ts', 'with %s is retried; every attempt is a row'],
    [
      'webhooks/deliveries/retry-schedule.test.ts',
      'the backoff is exponential: each delay is about three times the one before',
    ],
  ),
  rule(
    '6 Events',
    'Attempts stop after 10 attempts over 24 hours.',
    [
      'webhooks/deliveries/deliveries.test.ts',
      'for the tenth time ends the delivery as failed, within 24 hours',
    ],
    ['webhooks/deliveries/retry-schedule.test.ts', 'without chance, the tenth is 24 hours after the first'],
  ),
  rule('6 Events', 'A signing secret is generated per subscription and returned only on creation.', [
    'webhooks/subscriptions/subscriptions.test.ts',
    'a signing secret is generated per subscription',
  ]),
  rule(
    '6 Events',
    'v1 = lowercase hex of HMAC-SHA256 with the subscription secret as key over the text <t> followed by a dot followed by the raw body bytes.',
    [
      'webhooks/deliveries/deliveries.test.ts',
      'is signed: HMAC-SHA256 over time and raw body, under the secret of the subscription',
    ],
  ),
  rule(
    '6 Events',
    'A receiver rejects the request when the absolute difference between its clock and t exceeds 300 seconds (the default tolerance).',
    ['webhooks/section.test.ts', 'accepts what is sent, and nothing that was changed or is old'],
  ),
  rule('6 Events', 'the pipeline enters IN_PROGRESS', [
    'calls/record/call-webhook-events.test.ts',
    'call.started when it enters IN_PROGRESS; hang-up by the caller: call.hangup and call.completed',
  ]),
  rule('6 Events', 'the pipeline ends in error', [
    'calls/record/call-webhook-events.test.ts',
    'call.failed when the pipeline ends in error, with code and message',
  ]),
  rule('6 Events', 'either side hangs up mid-call', [
    'calls/record/call-webhook-events.test.ts',
    'call.started when it enters IN_PROGRESS; hang-up by the caller: call.hangup and call.completed',
  ]),
  rule('6 Events', 'the agent invokes the transfer tool', [
    'calls/transfers/transfers.test.ts',
    'emits call.transferred once, and writes the audit row',
  ]),
  rule('6 Events', 'the transcript is persisted after the call', [
    'calls/post-call/post-call.test.ts',
    'publishes call.completed, transcript.ready, recording.ready, analysis.ready, in this order, once',
  ]),
  rule('6 Events', 'the agent kill switch is switched on again', [
    'calls/record/call-webhook-events.test.ts',
    'agent.deactivated and agent.activated when the kill switch is switched; not for other changes',
  ]),
  rule(
    '6 Events',
    'free-tier or prepaid credit reaches zero (also announced 24 hours in advance)',
    [
      'billing/account-state.test.ts',
      'is announced once 24 hours in advance, by the spending of the last 24 hours, and again at zero',
    ],
    [
      'billing/spending.test.ts',
      'granted by the operator is used up by calls; at zero calls are refused with 402',
    ],
    [
      'billing/admissions.test.ts',
      '50 calls at the last cent, at the same time and over two replicas: one begins',
    ],
    [
      'calls/inbound/inbound-calls.test.ts',
      'of a tenant whose credit is held by other calls is answered politely and ended, and kept as refused',
    ],
  ),
  rule(
    '6 Events',
    'daily spend reaches 80% of the limit',
    [
      'billing/spending.test.ts',
      'is announced once when daily spend reaches 80% of the limit; at the limit calls are refused with 402',
    ],
    ['billing/admissions.test.ts', 'as many begin as the day has left, over two replicas'],
  ),
  rule('6 Events', 'a replay keeps the original event_id', [
    'webhooks/deliveries/deliveries.test.ts',
    'sends the same event_id in exactly the same bytes, as a new row',
  ]),
  rule('7 Errors', 'resource absent or not owned by the tenant', [
    'conformance/tenant-isolation.test.ts',
    'with an id that nobody has answers 404 with the very same code',
  ]),
  rule(
    '7 Errors',
    'request validation failure; body HTTPValidationError',
    ['platform/http/http.test.ts', 'reports every mistake at once, as an HTTPValidationError'],
    ['platform/http/validation.test.ts', 'every field that is not known is named in its own place'],
    ['conformance/properties.test.ts', 'of that form with one thing wrong: the same'],
    ['agents/agents.test.ts', 'given a mistyped setting (%j), refuses it by name, in a change too'],
    ['agents/agents.test.ts', 'refuses what no call could use: %s'],
    ['agents/extraction-schema.test.ts', 'is refused with %s'],
  ),
  rule('7 Errors', 'rate limit exceeded; header Retry-After in seconds', [
    'platform/http/rate-limits.test.ts',
    'counts down in headers, refuses beyond it, and opens again after a minute',
  ]),
  rule(
    '8 Limits',
    '60 requests/minute per tenant',
    [
      'platform/http/rate-limits.test.ts',
      'is one for all its keys, on all replicas, and also when they ask at the same moment',
    ],
    ['conformance/limits.test.ts', 'are 60 requests a minute by default, and 10 for the dial class'],
  ),
  rule('8 Limits', '120 requests/minute per tenant', [
    'campaigns/engine/granting.test.ts',
    'is exact for two campaigns of a tenant on two replicas at once, in each minute',
  ]),
  rule(
    '8 Limits',
    '10 requests/minute per tenant',
    ['conformance/limits.test.ts', 'are 60 requests a minute by default, and 10 for the dial class'],
    [
      'conformance/limits.test.ts',
      'the dial class counts POST /calls and POST /phones/provision, together and apart from the rest',
    ],
  ),
  rule(
    '8 Limits',
    'every response carries X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset; a 429 adds Retry-After (seconds)',
    ['conformance/limits.test.ts', 'are told by every endpoint, whatever it answers'],
  ),
  rule('8 Limits', '5 per hour per tenant in production; not applied in development', [
    'calls/outbound/test-calls.test.ts',
    'holds for calls at the same moment, ends with the hour, and counts a retry once',
  ]),
  rule(
    '8 Limits',
    'every POST, PATCH, PUT and DELETE with an Idempotency-Key header',
    ['conformance/limits.test.ts', 'is honoured by every endpoint that changes something'],
    ['platform/http/idempotency.test.ts', 'runs again after 24 hours'],
  ),
  rule(
    '8 Limits',
    'the cached response is returned byte for byte with the header X-Idempotent-Replay: true and the operation is not run again',
    [
      'platform/http/idempotency.test.ts',
      'gets the first answer byte for byte, from any replica, and runs once',
    ],
    [
      'platform/http/idempotency.test.ts',
      'given many at the same moment on two replicas, runs once: the rest wait or get the answer',
    ],
    [
      'agent-testing/repeated-turns.test.ts',
      'repeated, on any replica, is the same stream byte for byte, of the same session, and no turn',
    ],
    [
      'agent-testing/repeated-turns.test.ts',
      'of a client that lost the connection goes on; asking again gets the whole stream',
    ],
    [
      'integrations/integrations.test.ts',
      'begun again with the Idempotency-Key is the same flow, for the credential that began it alone',
    ],
  ),
  rule(
    '8 Limits',
    'agents 1..100 (default 50); calls 1..500 (default 50); campaigns 1..100 (default 50); contacts 1..100 (default 50); extracted data 1..100 (default 25); phone search 1..20 (default 10); deliveries 1..500 (default 50)',
    [
      'conformance/bad-input.test.ts',
      'a limit over the documented page size answers 422, the page size itself does not (section 8)',
    ],
  ),
  rule('8 Limits', 'days 1..90, default 30', ['billing/usage.test.ts', 'refuses days=%s: 1..90']),
  rule(
    '8 Limits',
    '15 minutes when signed',
    [
      'calls/post-call/s3-storage.test.ts',
      'have addresses that are good for 15 minutes, for this object alone',
    ],
    [
      'calls/post-call/recording-in-bucket.test.ts',
      'answers an address that the bucket refuses after 15 minutes',
    ],
    ['calls/post-call/uploads.test.ts', 'is not fetched by an address that was changed or has expired'],
  ),
  rule(
    '8 Limits',
    'list endpoints with a cursor return has_more (boolean) and next_cursor (opaque string, never parsed by clients)',
    ['platform/http/pagination.test.ts', 'leads back to its position'],
    ['platform/http/pagination.test.ts', 'is refused whatever else a client makes up'],
  ),
  rule('8 Limits', 'The cursor is stable under writes.', [
    'conformance/limits.test.ts',
    'neither repeats nor misses what was there, while entries are added and deleted on two replicas',
  ]),
  rule('9 Versioning', 'all public paths start with /api/v1/', [
    'platform/http/http.test.ts',
    'of the public API is under /api/v1 or a signed link, and those between the planes are under /internal',
  ]),
  rule(
    '9 Versioning',
    'The description version is 1.0.0.',
    ['platform/http/openapi/openapi.test.ts', 'is valid OpenAPI 3.1, of version 1.0.0'],
    [
      'platform/http/openapi/openapi.test.ts',
      'shows for every JSON body an example that is taken as it stands',
    ],
  ),
  rule(
    '9 Versioning',
    'The deprecated endpoint POST /api/v1/billing/checkout is kept for compatibility',
    ['billing/payments/stripe.test.ts', 'is deprecated, and sells a fixed tier as prepaid credit'],
    ['billing/payments/stripe.test.ts', 'says that it is deprecated to those whom it refuses, too'],
  ),
  rule(
    '9 Versioning',
    'Internal routes (carrier and payment-provider intakes, identity-provider sync, operator controls, LLM proxy, live-call streams) are outside the compatibility contract.',
    ['platform/http/openapi/openapi.test.ts', 'holds every public route and nothing internal'],
    ['platform/http/http.test.ts', 'between the planes refuses an API key and an unsigned request'],
  ),
];
