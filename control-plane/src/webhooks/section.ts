import { MAX_ATTEMPTS, RETRY_WINDOW_MS } from './deliveries/retry-schedule.js';
import { EVENT_TYPES } from './events/event-types.js';

/** Writes what the API's description says of webhooks as a whole. */
export function webhooksSection(headerPrefix: string): string {
  const types = Object.entries(EVENT_TYPES).map(
    ([type, { description }]) => `| \`${type}\` | ${description} |`,
  );
  return `## Webhooks
A subscription is one URL, the event types that it opts into (or \`*\`), and a mode: sandbox subscriptions receive
what \`sk_test_\` keys cause, the others what happens in production; there is no crossover.

Events are sent by POST as JSON, at least once: deduplicate on \`event_id\`. Answer with any 2xx within 10 seconds.
Everything else is retried with exponential backoff and jitter, ${MAX_ATTEMPTS} attempts over ${RETRY_WINDOW_MS / 3_600_000} hours; \`Retry-After\` is
honoured. Redirects are not followed. The events of one call are sent one after another, in this order:
\`call.started\`, \`call.transferred\`, \`call.hangup\`, then the call's end (\`call.completed\` or \`call.failed\`),
\`campaign.contact.completed\`, \`transcript.ready\`, \`recording.ready\`, \`analysis.ready\`. A retry, and a recording
that was uploaded late, come out of order: \`occurred_at\` gives the order.

Every call that was dialed or received ends with exactly one of \`call.completed\` (\`status\` COMPLETED or VOICEMAIL)
and \`call.failed\` (FAILED, BUSY or NO_ANSWER). \`call.completed\` is held until outcome, summary, cost and recording
are there or have failed, at most 15 seconds after the end; what comes later is null in it and arrives by its own event.
A \`recording_url\` opens until \`recording_url_expires_at\`; \`GET /api/v1/calls/{id}/recording\` makes a fresh one. When
a media worker is lost, \`call.failed\` (\`worker_lost\`) waits up to 60 seconds for what the worker had written down: if
the call had ended properly, the call is corrected (\`call.corrected\` in its timeline) and \`call.completed\` is sent
instead.

A receiver without a public address is sent the same over a WebSocket: \`GET /api/v1/webhooks/listen\`, which
\`voice webhooks listen --forward-to http://localhost:4000/hooks\` uses.

| Header | What it is |
|---|---|
| \`${headerPrefix}Event\` | the event type |
| \`${headerPrefix}Event-Id\` | the same as \`event_id\` |
| \`${headerPrefix}Signature\` | \`t=<unix seconds>,v1=<hex>\` |

\`v1\` is the lowercase hex of HMAC-SHA256 under the subscription's secret (the whole text, \`whsec_\` included) over
\`<t>.<raw body>\`. Compare in constant time, over the bytes as received, and refuse what is older or newer than
300 seconds:

\`\`\`js
const [, t, v1] = /^t=(\\d+),v1=([0-9a-f]{64})$/.exec(request.headers['${headerPrefix.toLowerCase()}signature']);
const expected = createHmac('sha256', secret).update(t + '.').update(rawBody).digest();
const genuine = timingSafeEqual(expected, Buffer.from(v1, 'hex')) && Math.abs(Date.now() / 1000 - t) <= 300;
\`\`\`

| Event | When |
|---|---|
${types.join('\n')}`;
}
