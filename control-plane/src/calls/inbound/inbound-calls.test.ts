import { newId } from '@voice/shared/ids/ids';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { admissionModel } from '../../billing/admission-model.js';
import { phoneNumberModel } from '../../telephony/phones/model.js';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { createAgent, startTestInstallation } from '../../testing/installation.js';
import type { ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';
import type { TestStore } from '../../testing/store.js';
import { callModel } from '../record/model.js';
import { ended, mediaStarted } from '../testing/events.js';

const CALLER = '+15005550006';

let store: TestStore;
let carrier: ScriptedCarrier;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let key: string;
let liveKey: string;
let tenantId: string;
let agentId: string;
let number: string;
let serial = 0;

beforeAll(async () => {
  const installation = await startTestInstallation({ capacity: 100 });
  ({ store, carrier, plane, worker } = installation);
  return installation.close;
});
beforeEach(async () => {
  worker.mode = 'reserves';
  const tenant = `tenant ${newId()}`;
  ({ key, tenantId } = await plane.newKey({ tenant }));
  ({ key: liveKey } = await plane.newKey({ tenant, sandbox: false }));
  agentId = await createAgent(plane, key, {
    system_prompt: 'You answer {{caller_number}}.',
    first_message: 'Hello!',
  });
  number = `+1415555${1000 + serial++}`;
  await bought(agentId);
  await worker.heartbeat(plane);
});

async function bought(agent: string | null, { sandbox = true, owner = tenantId } = {}) {
  await phoneNumberModel(await store.connect()).findOneAndUpdate(
    { claim: number },
    {
      $set: { agent_id: agent, sandbox },
      $setOnInsert: {
        _id: newId(),
        tenant_id: owner,
        number,
        provider: 'simulated',
        caller_id_verified_at: new Date(0),
        attestation: 'A',
        created_at: new Date(0),
        source: 'purchased',
        state: 'active',
        carrier_number_id: `PN${'0'.repeat(32)}`,
      },
    },
    { upsert: true },
  );
}

const sid = () => `CA${newId().replaceAll('-', '')}`;
const callIn = (callSid: string, fields: Record<string, string> = {}) =>
  carrier.callIn(`${plane.url}/internal/carriers/simulated/inbound`, {
    CallSid: callSid,
    From: CALLER,
    To: number,
    CallStatus: 'ringing',
    Direction: 'inbound',
    ...fields,
  });
const callsOf = async () =>
  (
    (await plane.request('GET', '/api/v1/calls?direction=inbound', { key })).json as {
      calls: {
        id: string;
        status: string;
        end_reason: string | null;
        error_code: string | null;
        carrier_call_id: string;
        cost: object | null;
      }[];
    }
  ).calls;
const POLITE = /<Response><Say>Thank you for calling\..+<\/Say><Hangup\/><\/Response>/;

describe('an inbound call', () => {
  // @rule 1.4
  it("becomes a call of the number's agent, placed at a worker; the carrier gets the order to open the stream", async () => {
    const callSid = sid();
    const answer = await callIn(callSid);
    expect(answer).toMatchObject({ status: 200, contentType: expect.stringContaining('text/xml') });
    const [call] = await callsOf();
    expect(call).toMatchObject({
      direction: 'inbound',
      status: 'RINGING',
      agent_id: agentId,
      from_number: CALLER,
      to_number: number,
      carrier: 'simulated',
      carrier_call_id: callSid,
      is_test_call: true,
      worker_id: 'worker-1',
    });
    const plan = worker.plans.find(({ call_id }) => call_id === call!.id)!;
    expect(plan).toMatchObject({ direction: 'inbound', agent: { system_prompt: `You answer ${CALLER}.` } });
    expect(answer.twiml).toContain(`<Parameter name="call_id" value="${call!.id}"/>`);
    expect(answer.twiml).toContain(`<Parameter name="token" value="token-${call!.id}"/>`);
  });

  it('is in progress when its media stream begins, and ends as the worker says', async () => {
    const callSid = sid();
    await callIn(callSid);
    const [call] = await callsOf();
    await worker.send(plane, worker.number(call!.id, [mediaStarted(callSid)]));
    expect((await callsOf())[0]).toMatchObject({ status: 'IN_PROGRESS' });
    await worker.send(plane, worker.number(call!.id, [ended('caller_hangup', 4000)]));
    expect((await callsOf())[0]).toMatchObject({
      status: 'COMPLETED',
      end_reason: 'caller_hangup',
      duration_ms: 4000,
    });
  });

  it('to a number without an agent, or that is nobody’s, is answered politely and ended', async () => {
    await bought(null);
    expect((await callIn(sid())).twiml).toMatch(POLITE);
    expect((await callIn(sid(), { To: '+14155559999' })).twiml).toMatch(POLITE);
    expect(await callsOf()).toEqual([]);
  });

  it('of an agent that is switched off is answered politely and ended', async () => {
    await plane.request('PATCH', `/api/v1/agents/${agentId}`, { key, body: { is_active: false } });
    expect((await callIn(sid())).twiml).toMatch(POLITE);
  });

  // @rule 1.4
  it('that no worker has room for is answered politely and ended, and is kept as FAILED, no_capacity', async () => {
    worker.mode = 'full';
    const callSid = sid();
    const { twiml } = await callIn(callSid);
    expect(twiml).toMatch(POLITE);
    expect(twiml).toContain('busy');
    const failed = { status: 'FAILED', end_reason: 'no_capacity', carrier_call_id: callSid };
    expect(await callsOf()).toMatchObject([{ ...failed, error_code: 'no_capacity', worker_id: null }]);
    // Reported again, also when there is room: the same words, the same call.
    worker.mode = 'reserves';
    expect((await callIn(callSid)).twiml).toBe(twiml);
    expect(await callsOf()).toHaveLength(1);
    // The carrier hangs up after the words: nobody cuts them off.
    expect(carrier.hungUp).not.toContain(callSid);
  });

  it('reported again when the room is gone is ended as no_capacity', async () => {
    const callSid = sid();
    await callIn(callSid);
    worker.mode = 'full';
    expect((await callIn(callSid)).twiml).toMatch(POLITE);
    expect(await callsOf()).toMatchObject([{ status: 'FAILED', end_reason: 'no_capacity' }]);
  });

  it('reported again before its stream began is the same call, at a new place', async () => {
    const callSid = sid();
    await callIn(callSid);
    expect((await callIn(callSid)).twiml).toContain('<Stream');
    expect(await callsOf()).toHaveLength(1);
  });

  it('reported twice at the same moment is one call at one place, which is not given back', async () => {
    const callSid = sid();
    const answers = await Promise.all([callIn(callSid), callIn(callSid)]);
    for (const { twiml } of answers) expect(twiml).toContain('<Stream');
    const stored = await callsOf();
    expect(stored).toHaveLength(1);
    expect(worker.held).toContain(stored[0]!.id);
  });

  it('replayed while it is live, or over, opens no second stream', async () => {
    const callSid = sid();
    await callIn(callSid);
    const [call] = await callsOf();
    await worker.send(plane, worker.number(call!.id, [mediaStarted(callSid)]));
    expect((await callIn(callSid)).twiml).toContain('<Response><Hangup/></Response>');
    await worker.send(plane, worker.number(call!.id, [ended('caller_hangup', 1000)]));
    expect((await callIn(callSid)).twiml).toContain('<Response><Hangup/></Response>');
    expect(await callsOf()).toHaveLength(1);
  });

  it('of a caller who withholds the number is taken', async () => {
    expect((await callIn(sid(), { From: 'anonymous' })).twiml).toContain('<Stream');
    expect((await callsOf())[0]).toMatchObject({ from_number: '+266696687' });
  });

  it('that the carrier did not sign, or signed for another address, is refused', async () => {
    const form = new URLSearchParams({ CallSid: sid(), From: CALLER, To: number });
    const url = `${plane.url}/internal/carriers/simulated/inbound`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await fetch(url, { method: 'POST', headers, body: form.toString() })).status).toBe(401);
    expect((await carrier.callIn(`${url}?x=1`, {})).status).toBe(400);
    expect(await callsOf()).toEqual([]);
  });

  it('whose caller hangs up before the stream ends with that', async () => {
    const callSid = sid();
    await callIn(callSid);
    const answer = await carrier.callIn(`${plane.url}/internal/carriers/simulated/status`, {
      CallSid: callSid,
      CallStatus: 'no-answer',
    });
    expect(answer.status).toBe(204);
    await eventually(callsOf, ([call]) => call?.status === 'NO_ANSWER');
  });
});

describe('an inbound call to a production number', () => {
  const account = (path: string, body: object) =>
    plane.internal(path === 'credit' ? 'POST' : 'PUT', `/internal/billing/tenants/${tenantId}/${path}`, body);
  const grant = (usd: number) => account('credit', { id: newId(), amount_usd: usd });
  beforeEach(async () => {
    await bought(agentId, { sandbox: false });
    key = liveKey;
  });

  // @rule 6.27
  it('of a tenant whose credit is held by other calls is answered politely and ended, and kept as refused', async () => {
    await grant(0.01);
    expect((await callIn(sid())).twiml).toContain('<Stream');
    const plans = worker.plans.length;
    const callSid = sid();
    const { twiml } = await callIn(callSid);
    expect(twiml).toMatch(POLITE);
    expect(twiml).not.toMatch(/credit|paid|spend/i);
    expect(worker.plans).toHaveLength(plans);
    const refused = (await callsOf()).find(({ carrier_call_id }) => carrier_call_id === callSid)!;
    expect(refused).toMatchObject({
      status: 'FAILED',
      end_reason: 'rejected',
      error_code: 'credit_exhausted',
      error_message: 'The credit of the tenant is used up.',
      from_number: CALLER,
    });
    const sent = await eventually(() =>
      plane.platform.store.collection('events').findOne({ tenant_id: tenantId, type: 'call.failed' }),
    );
    expect(JSON.parse(String(sent!.body))).toMatchObject({
      data: { call_id: refused.id, direction: 'inbound', error_code: 'credit_exhausted' },
    });
    // Nobody cuts the sentence short, and what was refused costs nothing.
    await eventually(callsOf, (calls) => calls.find(({ id }) => id === refused.id)?.cost !== null);
    expect((await callsOf()).find(({ id }) => id === refused.id)?.cost).toMatchObject({ total: 0 });
    expect(carrier.hungUp).not.toContain(callSid);
  });

  it('that is refused and reported again hears the same, and is one call', async () => {
    await account('daily-cap', { limit_usd: 0 });
    const callSid = sid();
    expect((await callIn(callSid)).twiml).toMatch(POLITE);
    expect((await callIn(callSid)).twiml).toMatch(POLITE);
    expect(await callsOf()).toMatchObject([{ status: 'FAILED', error_code: 'daily_cap_reached' }]);
  });

  it('at the last cent, 10 at the same time: one is taken, the others are kept as refused', async () => {
    await grant(0.01);
    const answers = await Promise.all(Array.from({ length: 10 }, () => callIn(sid())));
    expect(answers.filter(({ twiml }) => twiml.includes('<Stream'))).toHaveLength(1);
    expect(answers.filter(({ twiml }) => POLITE.test(twiml))).toHaveLength(9);
    expect((await callsOf()).filter(({ status }) => status === 'FAILED')).toHaveLength(9);
  });

  it('near a limit is made after its admission, whose place it takes: it is held once', async () => {
    await grant(0.5);
    expect((await callIn(sid())).twiml).toContain('<Stream');
    const connection = await store.connect();
    const admissions = await admissionModel(connection).findById(tenantId).orFail().lean();
    const call = await callModel(connection).findOne({ tenant_id: tenantId }).orFail().lean();
    expect(admissions.entries).toHaveLength(1);
    expect(call.created_at.getTime()).toBeGreaterThanOrEqual(admissions.entries[0]!.at.getTime());
  });

  it('of a tenant with nothing left is none of the sandbox’s business', async () => {
    await account('daily-cap', { limit_usd: 0 });
    await bought(agentId);
    expect((await callIn(sid())).twiml).toContain('<Stream');
  });
});

describe('a recording status of the carrier', () => {
  it('is shown in the timeline, once', async () => {
    const callSid = sid();
    await callIn(callSid);
    const [call] = await callsOf();
    const recording = { CallSid: callSid, RecordingSid: `RE${'0'.repeat(32)}`, RecordingStatus: 'completed' };
    const url = `${plane.url}/internal/carriers/simulated/recording?call_id=${call!.id}`;
    expect((await carrier.callIn(url, recording)).status).toBe(204);
    await carrier.callIn(url, recording);
    const detail = await plane.request('GET', `/api/v1/calls/${call!.id}/detail`, { key });
    const entries = (detail.json as { events: { type: string }[] }).events;
    expect(entries.filter(({ type }) => type === 'carrier.recording')).toHaveLength(1);
  });
});

describe('the recording of an inbound call', () => {
  const CALIFORNIAN = '+12135550123';
  const planFrom = async (From: string, recording: object) => {
    await plane.request('PATCH', `/api/v1/agents/${agentId}`, { key, body: { recording } });
    await callIn(sid(), { From });
    const [call] = await callsOf();
    return worker.plans.find(({ call_id }) => call_id === call!.id)!;
  };

  it('from a two-party-consent state is announced, or there is none', async () => {
    expect((await planFrom(CALIFORNIAN, { announce: false })).agent.recording.enabled).toBe(false);
    const announced = await planFrom(CALIFORNIAN, { announce: true });
    expect(announced.agent.recording.enabled).toBe(true);
    expect(announced.disclosure).toMatch(/This call is recorded\.$/);
  });

  it("of a carrier's test number is as the agent's settings say", async () => {
    expect((await planFrom(CALLER, { announce: false })).agent.recording.enabled).toBe(true);
  });
});
