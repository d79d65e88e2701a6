import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@voice/shared/clock/clock';
import { RECORDING_DURATION_HEADER } from '@voice/shared/contracts/call-events';
import { SANDBOX_CALLER_ID, TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type IntegrationsEmulator,
  startIntegrationsEmulator,
} from '../../../../loadtest/emulators/integrations/server.js';
import { comeBack, consent } from '../../integrations/testing.js';
import { CallTokens } from '../../language-model/proxy/call-token.js';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { type SimulatedCarrierProcess, startSimulatedCarrier } from '../../testing/simulated-carrier.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { signatureHolds, WebhookReceiver } from '../../testing/webhook-receiver.js';

const FIRST = 'the first key of thirty-two characters';
const SECOND = 'the second key of thirty-two characters';
const SAME_SITE = { 'sec-fetch-site': 'same-origin' };

let store: TestStore;
let carrier: SimulatedCarrierProcess;
let vendors: IntegrationsEmulator;
let receiver: WebhookReceiver;
let dataDir: string;
let plane: TestControlPlane;

/** Whether what was made under the first key is taken by a control plane. */
type Taken = (by: TestControlPlane) => Promise<boolean>;
type Made = Readonly<Record<(typeof IN_FLIGHT)[number], Taken>>;
/** Made under the key, signed or hashed by it, and brought back by somebody within minutes or hours. */
const SIGNED = [
  'an OAuth state',
  'a verification code',
  'a session of the dashboard',
  'a link to a live call',
  'the address of a recording',
  'a cursor of a list',
  "a call's token for the language model proxy",
] as const;
const IN_FLIGHT = [...SIGNED, 'a login link', "a webhook's secret", "a repeated request's answer"] as const;

/** Two of each: one for the change, one for its end. */
let forChange: Made;
let forEnd: Made;

beforeAll(async () => {
  [store, carrier, vendors, receiver, dataDir] = await Promise.all([
    startTestStore(),
    startSimulatedCarrier(),
    startIntegrationsEmulator({ clock: systemClock }),
    WebhookReceiver.start(),
    mkdtemp(join(tmpdir(), 'in-flight-test-')),
  ]);
  plane = await startWith(FIRST);
  forChange = await makeAll();
  forEnd = await makeAll();
  await plane.close();
  plane = await startWith(SECOND, FIRST);
});
afterAll(async () => {
  await plane?.close();
  await receiver?.close();
  await vendors?.close();
  await carrier?.close();
  await store?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const startWith = (key: string, old = '') =>
  startTestControlPlane(store.uri, {
    env: {
      ...carrier.env,
      ...vendors.env,
      DATA_DIR: dataDir,
      EGRESS_ALLOW: '127.0.0.0/8',
      PUBLIC_URL: 'http://127.0.0.1:65000',
      SECRETS_KEY: key,
      SECRETS_KEYS_OLD: old,
    },
  });

/** Whether an address that another control plane has given out is served; a stream is not read to its end. */
async function opens(by: TestControlPlane, address: string): Promise<boolean> {
  const { pathname, search } = new URL(address);
  const answer = await fetch(`${by.url}${pathname}${search}`);
  await answer.body?.cancel();
  return answer.status === 200;
}

async function makeAll(): Promise<Made> {
  const made = plane;
  const tenant = `tenant ${newId()}`;
  const { key } = await made.newKey({ tenant });
  const { key: live } = await made.newKey({ tenant, sandbox: false });
  const ask = async (method: string, path: string, body?: unknown, headers = {}) => {
    const answer = await made.request(method, path, { key, body, headers });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json as Record<string, string>;
  };
  const loginToken = async () => {
    const link = await made.internal('POST', '/internal/dashboard/login-links', { tenant });
    return new URLSearchParams(new URL((link.json as { url: string }).url).hash.slice(1)).get('token');
  };
  const signIn = async (by: TestControlPlane, token: string | null) =>
    by.request('POST', '/dashboard/session', { body: { token }, headers: SAME_SITE });

  const { id: agentId } = await ask('POST', '/api/v1/agents', { name: 'Ann', system_prompt: 'Help.' });
  const dial = () =>
    ask('POST', '/api/v1/calls', {
      agent_id: agentId,
      from_number: SANDBOX_CALLER_ID,
      to_number: TEST_NUMBERS[0]!.number,
    });
  const [{ id: callId }] = [await dial(), await dial()];

  const consented = await consent(made, live, 'slack');

  const number = `+1212555${String(1000 + Math.floor(Math.random() * 9000))}`;
  await ask('POST', '/api/v1/verifications', { phone_number: number, channel: 'sms' });
  const code = /\d{6}/.exec((await carrier.messagesTo(number))[0]!.body)![0];

  const session = await signIn(made, await loginToken());
  const cookie = session.headers.get('set-cookie')!.split(';')[0]!;

  const { live_url } = await ask('POST', `/api/v1/calls/${callId}/live-link`);

  const uploaded = await made.upload(`/internal/calls/${callId}/recording`, Buffer.alloc(1000, 1), {
    'content-type': 'audio/mpeg',
    [RECORDING_DURATION_HEADER]: '1000',
  });
  if (!uploaded.ok) throw new Error(`upload: ${uploaded.status}`);
  const recording = await ask('GET', `/api/v1/calls/${callId}/recording`);

  const { next_cursor } = await ask('GET', '/api/v1/calls?limit=1');
  const callToken = new CallTokens(made.platform.config.secretsKeys).issue(callId!, Date.now());
  const login = await loginToken();
  const webhook = await ask('POST', '/api/v1/webhooks', { url: receiver.url(`/${newId()}`) });
  const again = { 'idempotency-key': newId() };
  const first = await ask('POST', '/api/v1/keys', { name: 'second', sandbox: true }, again);

  return {
    'an OAuth state': async (by) => (await comeBack(by, consented)).status === 200,
    'a verification code': async (by) =>
      (
        await by.request('POST', '/api/v1/verifications/confirm', {
          key,
          body: { phone_number: number, code },
        })
      ).status === 200,
    'a session of the dashboard': async (by) =>
      (await by.request('GET', '/api/v1/keys', { headers: { cookie, ...SAME_SITE } })).status === 200,
    'a link to a live call': (by) => opens(by, live_url!),
    'the address of a recording': (by) => opens(by, recording.url!),
    'a cursor of a list': async (by) =>
      (await by.request('GET', `/api/v1/calls?cursor=${next_cursor}`, { key })).status === 200,
    "a call's token for the language model proxy": async (by) =>
      new CallTokens(by.platform.config.secretsKeys).verify(callToken, Date.now()) === callId,
    'a login link': async (by) => (await signIn(by, login)).status === 201,
    "a webhook's secret": async (by) => {
      const event = { event_type: 'agent.activated', payload: {} };
      await by.request('POST', `/api/v1/webhooks/${webhook.id}/test`, { key, body: event });
      const path = new URL(webhook.url!).pathname;
      const received = await eventually(() => receiver.received.find((one) => one.path === path));
      return signatureHolds(received!, webhook.secret!, Date.now());
    },
    "a repeated request's answer": async (by) => {
      const body = { name: 'second', sandbox: true };
      const answer = await by.request('POST', '/api/v1/keys', { key, body, headers: again });
      return (
        answer.headers.get('x-idempotent-replay') === 'true' &&
        (answer.json as { key: string }).key === first.key
      );
    },
  };
}

describe('a change of SECRETS_KEY', () => {
  it.each(IN_FLIGHT)('is survived by %s that is on its way', async (what) => {
    expect(await forChange[what](plane)).toBe(true);
  });

  it('ends what was signed under the old key when that is named no more', async () => {
    await plane.close();
    plane = await startWith(SECOND);
    const taken = await Promise.all(SIGNED.map((what) => forEnd[what](plane)));
    expect(Object.fromEntries(SIGNED.map((what, i) => [what, taken[i]]))).toEqual(
      Object.fromEntries(SIGNED.map((what) => [what, false])),
    );
  });
});
