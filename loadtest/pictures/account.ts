import { demoAgent } from '@voice/shared/contracts/demo-agent';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import type { APIRequestContext } from 'playwright-core';
import type { Filled } from './pages.js';

/** Books an appointment; hangs up; is busy. */
const [BOOKS, HANGS_UP, IS_BUSY] = ['+15005550006', '+15005550013', '+15005550010'];
const CALL_MS = 180_000;
const LOOK_MS = 1000;

/** The API as somebody uses it who is signed in to the dashboard. */
class SignedIn {
  constructor(
    readonly request: APIRequestContext,
    readonly origin: string,
  ) {}

  async ask<Answer>(
    method: string,
    path: string,
    data?: unknown,
    { sandbox = true, key }: { readonly sandbox?: boolean; readonly key?: string } = {},
  ): Promise<Answer> {
    const answer = await this.request.fetch(`${this.origin}/api/v1${path}`, {
      method,
      headers:
        key === undefined
          ? { 'X-Sandbox': String(sandbox), Origin: this.origin }
          : { Authorization: `Bearer ${key}` },
      ...(data === undefined ? {} : { data }),
    });
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`);
    return (answer.status() === 204 ? undefined : await answer.json()) as Answer;
  }
}

interface Named {
  readonly id: string;
}

/** Gives the account of who is signed in something of everything, through the API as anybody does. */
export async function fillAccount(request: APIRequestContext, origin: string): Promise<Filled> {
  const api = new SignedIn(request, origin);
  const { id: agentId } = await api.ask<Named>('POST', '/agents', {
    ...demoAgent,
    tools: [
      ...demoAgent.tools,
      {
        type: 'http',
        name: 'look_up_patient',
        description: 'Looks a patient up by phone number.',
        url: 'https://clinic.example.com/patients',
        parameters: { type: 'object', properties: { phone: { type: 'string' } } },
        secret_headers: { Authorization: 'Bearer of-the-pictures', 'X-Clinic': '12' },
      },
    ],
  });
  const { id: other } = await api.ask<Named>('POST', '/agents', {
    ...demoAgent,
    name: 'Night desk of the clinic, which answers when nobody else does and has a long name',
  });
  await api.ask('PATCH', `/agents/${agentId}`, { silence_timeout_seconds: 12 });
  await api.ask('DELETE', `/agents/${other}`);
  // Calls are placed by programs: a session may not.
  const { key } = await api.ask<{ key: string }>('POST', '/keys', { name: 'Backend', sandbox: true });
  const call = (to_number: string | undefined) =>
    api.ask<Named>(
      'POST',
      '/calls',
      { agent_id: agentId, from_number: SANDBOX_CALLER_ID, to_number },
      { key },
    );
  const { id: callId } = await call(BOOKS);
  await call(HANGS_UP);
  await call(IS_BUSY);
  const { id: webhookId } = await api.ask<Named>('POST', '/webhooks', {
    url: 'http://127.0.0.1:9/a-path-that-is-long/and-goes-on/voice-events',
    event_types: ['call.completed', 'call.failed'],
    description: 'Of the pictures',
  });
  await api.ask('POST', `/webhooks/${webhookId}/test`, { event_type: 'call.completed' });
  await api.ask('POST', '/compliance/dnc', {
    phone_number: '+15005550019',
    note: 'Asked at the desk, by letter and by phone, not to be called again.',
  });
  await api.ask('POST', '/invitations', { name: 'Grace Hopper', role: 'viewer' }, { sandbox: false });
  const [sale] = await api.ask<{ phone_number: string }[]>(
    'GET',
    '/phones/available?country=US&provider=twilio&limit=1',
  );
  if (sale) await api.ask('POST', '/phones', { phone_number: sale.phone_number, provider: 'twilio' });
  const campaign = (name: string) =>
    api.ask<Named>('POST', '/campaigns', {
      name,
      agent_id: agentId,
      calls_per_minute: 600,
      contacts: [
        { phone: HANGS_UP, first_name: 'Ann' },
        { phone: IS_BUSY, first_name: 'Bob' },
      ],
    });
  const { id: campaignId } = await campaign('Spring check-ups');
  const { id: begun } = await campaign('Autumn');
  await api.ask('POST', `/campaigns/${begun}/start`);
  await ended(api, callId);
  return { agentId, callId, campaignId, webhookId };
}

async function ended(api: SignedIn, callId: string): Promise<void> {
  const until = Date.now() + CALL_MS;
  for (;;) {
    const { cost } = await api.ask<{ cost: object | null }>('GET', `/calls/${callId}`);
    if (cost !== null) return;
    if (Date.now() > until) throw new Error(`call ${callId} did not end within ${CALL_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
