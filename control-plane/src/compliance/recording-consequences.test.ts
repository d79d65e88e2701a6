import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { phoneNumberModel } from '../telephony/phones/model.js';
import type { TestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { startTestInstallation } from '../testing/installation.js';
import type { ScriptedWorker } from '../testing/scripted-worker.js';
import type { TestStore } from '../testing/store.js';

const CALLER_ID = '+12125550100';
const NEW_YORK = '+12125550123';
const CALIFORNIA = '+14155550123';
const ABROAD = '+493012345678';
const TALKS = '+15005550006';
const ANNOUNCEMENT = 'This call is recorded.';
const ALL_DAY = { start: '00:00', end: '24:00' };
const AROUND_THE_CLOCK = Object.fromEntries(
  ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => [day, ALL_DAY]),
);

let store: TestStore;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let live: string;
let sandbox: string;

beforeAll(async () => {
  const installation = await startTestInstallation({ capacity: 100, production: true });
  ({ store, plane, worker } = installation);
  return installation.close;
});
beforeEach(async () => {
  const made = await plane.newKey({ sandbox: false });
  live = made.key;
  ({ key: sandbox } = await plane.newKey());
  const now = new Date();
  await phoneNumberModel(await store.connect()).collection.insertOne({
    _id: newId(),
    tenant_id: made.tenantId,
    number: CALLER_ID,
    provider: 'twilio',
    agent_id: null,
    caller_id_verified_at: now,
    attestation: 'A',
    created_at: now,
    source: 'purchased',
    state: 'active',
    moved_at: now,
    sandbox: false,
    claim: newId(),
    carrier_number_id: null,
  } as never);
  await worker.heartbeat(plane);
});

/** The plan by which a worker runs the call of such an agent. */
async function planFor(to_number: string, recording: object, by = live) {
  const agent = await plane.request('POST', '/api/v1/agents', {
    key: by,
    body: { name: 'Ann', system_prompt: 'You call.', calling_hours: AROUND_THE_CLOCK, recording },
  });
  const from_number = by === live ? CALLER_ID : SANDBOX_CALLER_ID;
  const call = await plane.request('POST', '/api/v1/calls', {
    key: by,
    body: { agent_id: (agent.json as { id: string }).id, from_number, to_number },
  });
  expect(call.status, call.text).toBe(202);
  const { id } = call.json as { id: string };
  return (await eventually(() => worker.plans.find((plan) => plan.call_id === id)))!;
}

describe('a call into a two-party-consent state', () => {
  it('is recorded when the agent announces it: after the disclosure, before anything else', async () => {
    const plan = await planFor(CALIFORNIA, { announce: true });
    expect(plan.agent.recording.enabled).toBe(true);
    expect(plan.disclosure).toMatch(/AI assistant calling\. This call is recorded\.$/);
  });

  it('is not recorded when the agent does not announce it', async () => {
    const plan = await planFor(CALIFORNIA, {});
    expect(plan.agent.recording.enabled).toBe(false);
    expect(plan.disclosure).not.toContain(ANNOUNCEMENT);
  });

  it("is announced in the agent's words", async () => {
    const plan = await planFor(CALIFORNIA, { announce: true, announcement: 'Wir zeichnen auf.' });
    expect(plan.disclosure).toMatch(/Wir zeichnen auf\.$/);
  });
});

describe('any other call', () => {
  it("within a one-party state is recorded as the agent's settings say", async () => {
    expect((await planFor(NEW_YORK, {})).agent.recording.enabled).toBe(true);
    expect((await planFor(NEW_YORK, {})).disclosure).not.toContain(ANNOUNCEMENT);
    expect((await planFor(NEW_YORK, { announce: true })).disclosure).toContain(ANNOUNCEMENT);
    const off = await planFor(NEW_YORK, { enabled: false, announce: true });
    expect(off.agent.recording.enabled).toBe(false);
    expect(off.disclosure).not.toContain(ANNOUNCEMENT);
  });

  it('to where the law is not known is recorded only when announced', async () => {
    expect((await planFor(ABROAD, {})).agent.recording.enabled).toBe(false);
    expect((await planFor(ABROAD, { announce: true })).agent.recording.enabled).toBe(true);
  });

  it('to a carrier test number is recorded as set: nobody real is on it', async () => {
    expect((await planFor(TALKS, {}, sandbox)).agent.recording.enabled).toBe(true);
  });
});

describe('a change of the agent', () => {
  it('takes effect on the next call, and on no call before', async () => {
    const agent = await plane.request('POST', '/api/v1/agents', {
      key: sandbox,
      body: { name: 'Ann', system_prompt: 'Old words.', first_message: 'Hello.' },
    });
    const { id } = agent.json as { id: string };
    const dial = async () => {
      const call = await plane.request('POST', '/api/v1/calls', {
        key: sandbox,
        body: { agent_id: id, from_number: SANDBOX_CALLER_ID, to_number: TALKS },
      });
      expect(call.status, call.text).toBe(202);
      return (call.json as { id: string }).id;
    };
    const planOf = (call: string) => eventually(() => worker.plans.find((plan) => plan.call_id === call));
    worker.mode = 'full';
    const before = await dial();
    await plane.request('PATCH', `/api/v1/agents/${id}`, {
      key: sandbox,
      body: { system_prompt: 'New words.', disclosure: { text: 'I am a robot.' } },
    });
    const after = await dial();
    worker.mode = 'reserves';
    expect(await planOf(before)).toMatchObject({ agent: { system_prompt: 'Old words.' } });
    expect(await planOf(after)).toMatchObject({
      agent: { system_prompt: 'New words.' },
      disclosure: 'I am a robot.',
    });
    await plane.request('DELETE', `/api/v1/agents/${id}`, { key: sandbox });
    const refused = await plane.request('POST', '/api/v1/calls', {
      key: sandbox,
      body: { agent_id: id, from_number: SANDBOX_CALLER_ID, to_number: TALKS },
    });
    expect([refused.status, refused.json]).toMatchObject([409, { code: 'agent_inactive' }]);
  });
});
