// Places a call and waits for its end. Plain Node 22, nothing to install.
//   API_KEY=sk_test_… AGENT_ID=… node examples/place-call.mjs [TO_NUMBER]
import { randomUUID } from 'node:crypto';

const { API_URL = 'http://localhost:8080', API_KEY, AGENT_ID, FROM_NUMBER = '+15005550100' } = process.env;
const [to = '+15005550006'] = process.argv.slice(2);
if (!API_KEY || !AGENT_ID) {
  console.error('Set API_KEY and AGENT_ID first: “Your own agent” in the README shows how to make both.');
  process.exit(2);
}
const LIVE = ['QUEUED', 'RINGING', 'IN_PROGRESS'];
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks the API; waits where it says so, and throws what it refuses. */
async function api(method, path, body, headers = {}) {
  const response = await fetch(`${API_URL}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
  });
  if (response.status === 429) {
    await sleep(1000 * Number(response.headers.get('retry-after') ?? 1));
    return api(method, path, body, headers);
  }
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

// The key makes a repeated request the same call: a lost answer dials nobody twice.
const placed = await api(
  'POST',
  '/calls',
  { agent_id: AGENT_ID, from_number: FROM_NUMBER, to_number: to },
  { 'idempotency-key': randomUUID() },
);

let call = await api('GET', `/calls/${placed.id}`);
console.log(call.status);
while (LIVE.includes(call.status)) {
  await sleep(1000);
  const before = call.status;
  call = await api('GET', `/calls/${placed.id}`);
  if (call.status !== before) console.log(call.status);
}

const { transcript } = await api('GET', `/calls/${placed.id}/detail`);
for (const { role, text, heard_text } of transcript) console.log(`${role.padEnd(8)}${heard_text || text}`);
const seconds = Math.round((call.duration_ms ?? 0) / 1000);
console.log(`${call.status} (${call.end_reason}) after ${seconds} s`);
process.exitCode = call.status === 'COMPLETED' ? 0 : 1;
