import { demoAgent } from '@voice/shared/contracts/demo-agent';
import { SANDBOX_CALLER_ID, TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import type { Route } from '../platform/http/route.js';
import type { TestControlPlane, TestRequest } from '../testing/control-plane.js';
import type { WebhookReceiver } from '../testing/webhook-receiver.js';

/** A tenant that has one of everything that a path may name. */
export interface PopulatedTenant {
  /** Of the sandbox, in which everything is. */
  readonly key: string;
  /** The key by which the route can be asked: a production key for what is production's alone. */
  readonly keyFor: (route: Pick<Route, 'auth'>) => string;
  readonly tenantId: string;
  /** By the name of the path parameter. */
  readonly ids: Readonly<Record<string, string>>;
}

/** What the environment of the control plane must say for `populate` to work. */
export const POPULATED_ENV = {
  EGRESS_ALLOW: '127.0.0.0/8',
  // Nobody listens there: calls stay queued.
  SIMULATED_CARRIER_URL: 'http://127.0.0.1:1',
  SIMULATED_CARRIER_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
  SIMULATED_CARRIER_AUTH_TOKEN: 'a token',
  // Nor there: no vendor is asked about a made-up key.
  DEEPGRAM_URL: 'ws://127.0.0.1:1',
};

/** Makes the tenant through the API itself. Its webhook goes to `receiver`, which must take what it is sent. */
export async function populate(
  plane: TestControlPlane,
  store: Connection,
  receiver: WebhookReceiver,
  name = `populated ${newId()}`,
): Promise<PopulatedTenant> {
  const { key, tenantId } = await plane.newKey({ tenant: name });
  const { key: live } = await plane.newKey({ tenant: name, sandbox: false });
  const ask = async (method: string, path: string, body?: unknown, more: Partial<TestRequest> = {}) => {
    const answer = await plane.request(method, path, { key, body, ...more });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const idOf = (answer: { json: unknown }) => (answer.json as { id: string }).id;

  // Another than the one that asks: what deletes it leaves the tenant its voice.
  const keyId = idOf(await ask('POST', '/api/v1/keys', { name: 'second', sandbox: true }));
  const agentId = idOf(await ask('POST', '/api/v1/agents', demoAgent));
  const webhookId = idOf(
    await ask('POST', '/api/v1/webhooks', {
      url: receiver.url(),
      event_types: ['agent.activated'],
    }),
  );
  const deliveryId = idOf(
    await ask('POST', `/api/v1/webhooks/${webhookId}/test`, { event_type: 'agent.activated', payload: {} }),
  );
  const numbers = { from_number: SANDBOX_CALLER_ID, to_number: TEST_NUMBERS[0]!.number };
  const checkId = idOf(await ask('POST', '/api/v1/compliance/check', { ...numbers, agent_id: agentId }));
  const callId = idOf(await ask('POST', '/api/v1/calls', { ...numbers, agent_id: agentId }));
  await ask('POST', `/api/v1/calls/${callId}/hangup`, {});
  const campaignId = idOf(
    await ask('POST', '/api/v1/campaigns', {
      name: 'campaign',
      agent_id: agentId,
      contacts: [{ phone: TEST_NUMBERS[0]!.number }],
    }),
  );
  const contacts = await ask('GET', `/api/v1/campaigns/${campaignId}/contacts`);
  const contactId = (contacts.json as { contacts: { id: string }[] }).contacts[0]!.id;
  const entryId = idOf(await ask('POST', '/api/v1/compliance/dnc', { phone_number: '+12025550123' }));
  const text = await ask('POST', `/api/v1/agents/${agentId}/test/text`, { message: 'hello' });
  const invite = () => ask('POST', '/api/v1/invitations', { name: 'Ada', role: 'viewer' }, { key: live });
  const invitationId = idOf(await invite());
  const { url } = (await invite()).json as { url: string };
  await ask(
    'POST',
    '/dashboard/session',
    { token: new URL(url).hash.slice('#token='.length) },
    {
      headers: { 'sec-fetch-site': 'same-origin' },
    },
  );
  const { json: people } = await ask('GET', '/api/v1/members');
  const memberId = (people as { members: { id: string; role: string }[] }).members.find(
    ({ role }) => role === 'viewer',
  )!.id;
  const phone = await store.db!.collection('phone_numbers').findOne({ tenant_id: tenantId });

  return {
    key,
    keyFor: ({ auth }) => (auth === 'tenant_live' ? live : key),
    tenantId,
    ids: {
      key_id: keyId,
      agent_id: agentId,
      webhook_id: webhookId,
      delivery_id: deliveryId,
      check_id: checkId,
      call_id: callId,
      campaign_id: campaignId,
      contact_id: contactId,
      entry_id: entryId,
      session_id: text.headers.get('x-session-id')!,
      phone_id: String(phone?._id),
      member_id: memberId,
      invitation_id: invitationId,
    },
  };
}

/** Counters and locks: they move whenever the tenant or the service does anything. */
const MOVING = new Set(['rate_windows', 'idempotency_keys', 'agendaJobs', 'workers']);

/** What is made of other rows in rounds of its own, long after a request: sums, and the marks of what is in them. */
export const isSum = (collection: string): boolean => collection.startsWith('rollup');
/** A row without the mark that says in which sums it is. */
export function unmarked({ rollup_seq: _, ...row }: Record<string, unknown>): Record<string, unknown> {
  return row;
}

/** Everything that the store has of the tenant, as text. */
export async function snapshotOf(store: Connection, tenantId: string): Promise<string> {
  const names = (await store.db!.listCollections().toArray()).map(({ name }) => name).sort();
  const found: Record<string, unknown> = {};
  for (const name of names.filter((each) => !MOVING.has(each) && !isSum(each))) {
    const rows = await store.db!.collection(name).find({ tenant_id: tenantId }).sort({ _id: 1 }).toArray();
    if (rows.length > 0) found[name] = rows.map(unmarked);
  }
  return JSON.stringify(found, null, 1);
}

/** Takes the snapshot once nothing moves any more: what the requests before have started has come to its end. */
export function settledSnapshot(store: Connection, tenantId: string): Promise<string> {
  return settled(() => snapshotOf(store, tenantId));
}

/** Returns what is read once it does not change any more. */
export async function settled<Read>(read: () => Promise<Read>): Promise<Read> {
  for (let before = ''; ; ) {
    const now = await read();
    const text = JSON.stringify(now);
    if (text === before) return now;
    before = text;
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
}
