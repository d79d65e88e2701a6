// Calls everybody in a CSV file, and prints how it went. Plain Node 22, nothing to install.
//   API_KEY=sk_test_… AGENT_ID=… node examples/run-campaign.mjs examples/contacts.csv
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const { API_URL = 'http://localhost:8080', API_KEY, AGENT_ID } = process.env;
const [file = 'examples/contacts.csv'] = process.argv.slice(2);
if (!API_KEY || !AGENT_ID) {
  console.error('Set API_KEY and AGENT_ID first: “Your own agent” in the README shows how to make both.');
  process.exit(2);
}
const PAGE = 100;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks the API; waits where it says so, and throws what it refuses. */
async function api(method, path, body) {
  const response = await fetch(`${API_URL}/api/v1/campaigns${path}`, {
    method,
    headers: { authorization: `Bearer ${API_KEY}` },
    body,
  });
  if (response.status === 429) {
    await sleep(1000 * Number(response.headers.get('retry-after') ?? 1));
    return api(method, path, body);
  }
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

const form = new FormData();
form.append('file', new Blob([readFileSync(file)], { type: 'text/csv' }), basename(file));
const query = new URLSearchParams({
  agent_id: AGENT_ID,
  campaign_name: basename(file),
  calls_per_minute: '60',
});
const draft = await api('POST', `/upload?${query}`, form);
console.log(`${draft.total_contacts} contacts of ${draft.total_rows} rows`);
for (const { line, message } of draft.errors) console.log(`line ${line} is left out: ${message}`);

await api('POST', `/${draft.id}/start`);
for (let shown = ''; ; await sleep(1000)) {
  const { status, contact_counts } = await api('GET', `/${draft.id}`);
  const counts = Object.entries(contact_counts).filter(([, count]) => count > 0);
  const line = counts.map(([name, count]) => `${count} ${name}`).join(', ');
  if (line !== shown) console.log(line);
  shown = line;
  if (status === 'completed' || status === 'cancelled') break;
}

for (let offset = 0, more = true; more; offset += PAGE) {
  const { contacts, has_more } = await api('GET', `/${draft.id}/contacts?limit=${PAGE}&offset=${offset}`);
  for (const { phone, first_name, status } of contacts)
    console.log(`${phone} ${first_name ?? ''}: ${status}`);
  more = has_more;
}
