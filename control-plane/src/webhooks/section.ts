import { EVENT_TYPES } from '../events/event-types.js';

/** What the API's description says of webhooks as a whole. */
export function webhooksSection(headerPrefix: string): string {
  const types = Object.entries(EVENT_TYPES).map(
    ([type, { description }]) => `| \`${type}\` | ${description} |`,
  );
  return `## Webhooks
A subscription is one URL, the event types that it opts into (or \`*\`), and a mode: sandbox subscriptions hear of
what \`sk_test_\` keys cause, the others of production; there is no crossover.

Events are sent by POST as JSON, at least once: deduplicate on \`event_id\`. Answer with any 2xx within 10 seconds.
Everything else is retried with exponential backoff and jitter, 10 attempts over 24 hours; \`Retry-After\` is
honoured. Redirects are not followed. Events may arrive in another order than they happened: \`occurred_at\` tells.

| Header | |
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
