import { spawn, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { demoAgent } from '@voice/shared/contracts/demo-agent';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../system/process.js';
import { isOver, Tenant } from '../system/tenant.js';
import { SharedSystem } from './harness/shared-system.js';

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) console.warn('!!! no curl: the requests of the guides are SKIPPED; apt-get install curl');

interface Sample {
  readonly guide: string;
  readonly first: string;
  readonly command: string;
  /** The status that the guide announces; undefined for any of success. */
  readonly status: string | undefined;
}

/** The commands of all pages that ask the API, each as a reader copies it. */
const SAMPLES: readonly Sample[] = globSync('docs/*.md', { cwd: ROOT })
  .flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^```sh ?(\d*)\n(curl[\s\S]*?)^```$/gm)].map(
      ([, status, command]) => ({
        guide: basename(file),
        first: command!.split('\n')[0]!.replace(' \\', ''),
        command: command!,
        status: status === '' ? undefined : status,
      }),
    ),
  )
  // An operator's, in the runbook, ask other addresses.
  .filter(({ command }) => command.includes('$API_URL'));

let system: SharedSystem;
let tenant: Tenant;
let live: Tenant;
let callId: string;
beforeAll(async () => {
  system = new SharedSystem();
  tenant = await Tenant.create(system, { ...demoAgent, first_message: 'Hello, how are you?' });
  live = await Tenant.create(system, demoAgent, { sandbox: false });
  callId = await tenant.dial('hangs_up');
});
afterAll(async () => {
  await tenant.until(callId, isOver, 60_000);
});

const idOf = async (path: string, body: unknown) =>
  String((await tenant.request('POST', path, body)).json.id);

/** What a reader has made before this command, by the page's own words. */
async function made(command: string): Promise<NodeJS.ProcessEnv> {
  const ids: Record<string, string> = { AGENT_ID: tenant.agentId, CALL_ID: callId };
  if (/\$(WEBHOOK|DELIVERY)_ID/.test(command)) {
    const webhook = { url: 'https://example.com/voice', event_types: ['call.completed'] };
    ids.WEBHOOK_ID = await idOf('/api/v1/webhooks', webhook);
    ids.DELIVERY_ID = await idOf(`/api/v1/webhooks/${ids.WEBHOOK_ID}/test`, {
      event_type: 'call.completed',
      payload: {},
    });
  }
  if (command.includes('-X DELETE') && command.includes('$CALL_ID')) {
    // One that is over.
    ids.CALL_ID = await tenant.dial('busy');
    await tenant.untilStatus(ids.CALL_ID, isOver, 60_000);
  }
  if (command.includes('$CAMPAIGN_ID')) {
    const contacts = [{ phone: '+15005550013' }];
    ids.CAMPAIGN_ID = await idOf('/api/v1/campaigns', { name: 'Guide', agent_id: tenant.agentId, contacts });
    // Only what runs can be paused, and it must not be over before that.
    if (command.includes('/pause')) {
      await tenant.request('POST', `/api/v1/campaigns/${ids.CAMPAIGN_ID}/start`);
    }
  }
  return ids;
}

/** Runs a command in a shell, as it stands on the page; the status of the answer, and its body. */
async function run(command: string) {
  const keys = { API_KEY: tenant.key, LIVE_KEY: live.key };
  const env = { ...process.env, API_URL: system.apiUrl, ...keys, ...(await made(command)) };
  const child = spawn('sh', ['-c', `${command.trim()} -sS -w '\n%{http_code}'`], { cwd: ROOT, env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => (stdout += data));
  child.stderr.on('data', (data) => (stderr += data));
  await new Promise((resolve) => {
    child.once('close', resolve);
  });
  return { status: stdout.slice(stdout.lastIndexOf('\n') + 1), text: `${stdout}${stderr}` };
}

it('docs/campaigns.md: its file becomes a contact with all that its columns say', async () => {
  const [, file] = /^```csv\n([\s\S]*?)^```$/m.exec(readFileSync(join(ROOT, 'docs/campaigns.md'), 'utf8'))!;
  const form = new FormData();
  form.append('file', new Blob([file!], { type: 'text/csv' }), 'contacts.csv');
  const query = new URLSearchParams({ agent_id: tenant.agentId, campaign_name: 'Of the guide' });
  const answer = await fetch(`${system.apiUrl}/api/v1/campaigns/upload?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}` },
    body: form,
  });
  const { id, errors } = (await answer.json()) as { id: string; errors: unknown };
  expect([answer.status, errors]).toEqual([201, []]);
  const { json } = await tenant.request('GET', `/api/v1/campaigns/${id}/contacts`);
  expect(json.contacts).toMatchObject([
    {
      phone: '+15005550013',
      first_name: 'Ann',
      contact_data: { company: 'Acme', last_visit: '2025-11-03' },
    },
  ]);
});

it('there are requests in the guides', () => expect(SAMPLES.length).toBeGreaterThan(15));

describe.runIf(hasCurl)('the requests of the guides', () => {
  it.concurrent.each(SAMPLES)('$guide: $first', async ({ command, status: announced }) => {
    const { status, text } = await run(command);
    if (announced === undefined) expect(status, text).toMatch(/^2\d\d$/);
    else expect(status, text).toBe(announced);
  });
});
