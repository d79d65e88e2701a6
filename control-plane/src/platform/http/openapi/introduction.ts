import { ERROR_CODES } from '../error-codes.js';

function errorTable(): string {
  const rows = Object.entries(ERROR_CODES)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, description }]) => `| ${status} | \`${code}\` | ${description} |`);
  return ['| Status | Code | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** Writes the description's opening text: what holds for every endpoint, then the sections of the resources. */
export function introduction(sections: readonly string[]): string {
  return `AI voice agents that place and receive phone calls.

## Conventions
JSON in snake_case; ids are UUIDs; timestamps are RFC 3339 in UTC; phone numbers are E.164; money is USD.
Send \`Authorization: Bearer <API_KEY>\`. A key that begins with \`sk_test_\` works in the sandbox: only carrier
test numbers are dialed and nothing is billed. Most operations take a session of the dashboard or of the
identity provider as well; where sandbox and production differ, it chooses the sandbox by \`X-Sandbox: true\`.

**Sandbox and production** do not reach into each other. API keys, calls, campaigns, compliance checks and the
do-not-call list, phone numbers and verifications, webhooks and their deliveries, test sessions, analytics and
usage belong to one mode: a key sees, makes and removes those of its own mode alone, and an id of the other one is
a 404 (\`x-mode: own\`). Agents and agent templates belong to the tenant and are the same in both
(\`x-mode: shared\`): what a sandbox key changes in an agent holds for its next production call, too. Billing and
connected integrations are production's: a sandbox key gets 403 \`live_mode_required\` (\`x-mode: live\`), and an
agent's integration tools are not run in sandbox calls. A production key, or a session in production, may make keys
and webhooks for the sandbox (\`sandbox: true\`), never the reverse.

**Roles.** Who is signed in is a member of the tenant: an \`owner\`, a \`developer\`, an \`operator\` or a \`viewer\`.
\`x-roles\` of an operation names those that may ask for it; others get 403 \`role_insufficient\` with
\`required_role\`. API keys have no role, but manage members only while who made them is an owner.

**Idempotency.** Every POST, PATCH, PUT and DELETE takes an \`Idempotency-Key\`. For 24 hours the first answer is
replayed byte for byte with \`X-Idempotent-Replay: true\`. Answers that a retry may heal (5xx, 429) are not kept.

**Rate limits.** Each tenant has a budget a minute for each rate class (\`x-rate-class\` of the operation). People who
are signed in have one of their own in place of the default class, so that the dashboard takes nothing of a program's.
\`X-RateLimit-Reset\` is in Unix seconds. Requests without a valid credential count against their address.
Answers that count against no limit (health, \`/docs\`, the dashboard) carry a whole window of the default class.

**Bodies** have at most 1 MiB, 100 levels and 10,000 members and items where an operation does not say otherwise; a
body over a limit is refused (413, or 400 for its depth) before it is read to its end.

**Lists** are newest first. \`next_cursor\` is opaque; pass it as \`cursor\` where the list takes one.

${sections.join('\n\n')}

## Errors
Every error answer is \`{"detail", "code", "request_id"}\`. Codes are stable.

${errorTable()}
`;
}
