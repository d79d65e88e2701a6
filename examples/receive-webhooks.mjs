// Subscribes to all events, verifies each delivery, and prints it. Plain Node 22, nothing to install.
//   API_KEY=sk_test_… node examples/receive-webhooks.mjs [PORT]
// The service must reach it: WEBHOOK_URL names its public address. For a receiver on the same machine start the
// service with EGRESS_ALLOW=127.0.0.0/8. With WEBHOOK_SECRET it serves a subscription that there is already.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { API_URL = 'http://localhost:8080', API_KEY, WEBHOOK_URL, WEBHOOK_SECRET } = process.env;
const port = Number(process.argv[2] ?? 9000);
const TOLERANCE_SECONDS = 300;

/** Whether the raw bytes were signed with the secret, lately. The header is `t=<unix seconds>,v1=<hex>`. */
function isSigned(rawBody, header, secret) {
  const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header ?? '') ?? [];
  if (time === undefined || Math.abs(Date.now() / 1000 - Number(time)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(rawBody).digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}

async function api(method, path, body) {
  const response = await fetch(`${API_URL}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? undefined : response.json();
}

let secret = WEBHOOK_SECRET;
// Deliveries come at least once; a program that lives longer keeps these ids in its database.
const seen = new Set();

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const rawBody = Buffer.concat(chunks); // never what a JSON parser made of it
  if (!isSigned(rawBody, request.headers['x-service-signature'], secret)) {
    console.error('refused: the signature is not right');
    response.writeHead(401).end();
    return;
  }
  response.writeHead(204).end(); // at once: what takes longer is done afterwards
  const event = JSON.parse(rawBody);
  if (seen.has(event.event_id)) return;
  seen.add(event.event_id);
  console.log(`${event.event_type} ${JSON.stringify(event.data)}`);
});
await new Promise((resolve) => server.listen(port, resolve));

const url = WEBHOOK_URL ?? `http://127.0.0.1:${server.address().port}/`;
const subscription = WEBHOOK_SECRET ? undefined : await api('POST', '/webhooks', { url, event_types: ['*'] });
secret ??= subscription.secret; // shown this once
console.log(`listening at ${url}`);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    if (subscription) await api('DELETE', `/webhooks/${subscription.id}`);
    process.exit(0);
  });
}
