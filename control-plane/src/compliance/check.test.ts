import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';

/** A Monday, 10:00 in New York and 7:00 in Los Angeles. */
const clock = new ScriptedClock(Date.UTC(2026, 0, 5, 15));
const NEW_YORK = '+12125550123';
const LOS_ANGELES = '+12135550123';
const TALKS = '+15005550006';

let store: TestStore;
let plane: TestControlPlane;
let key: string;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri, {
    clock,
    env: {
      SIMULATED_CARRIER_URL: 'http://127.0.0.1:9',
      SIMULATED_CARRIER_ACCOUNT_SID: 'AC00000000000000000000000000000000',
      SIMULATED_CARRIER_AUTH_TOKEN: 'a token for tests',
    },
  });
});
beforeEach(async () => {
  ({ key } = await plane.newKey());
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

async function agentWith(settings: object = {}): Promise<string> {
  const answer = await plane.request('POST', '/api/v1/agents', {
    key,
    body: { name: 'Ann', system_prompt: 'You call.', ...settings },
  });
  expect(answer.status, answer.text).toBe(201);
  return (answer.json as { id: string }).id;
}
const check = async (body: object, by = key) =>
  plane.request('POST', '/api/v1/compliance/check', { key: by, body });
const dial = (agent_id: string, body: object = {}) =>
  plane.request('POST', '/api/v1/calls', {
    key,
    body: { agent_id, from_number: SANDBOX_CALLER_ID, to_number: TALKS, ...body },
  });
const IN_NEW_YORK_FROM_11 = { calling_hours: { timezone: 'America/New_York' } };
const opensAt = (start: string) => ({
  calling_hours: { ...IN_NEW_YORK_FROM_11.calling_hours, monday: { start, end: '21:00' } },
});

describe('POST /api/v1/compliance/check', () => {
  // @rule 4.25
  it('checks one number; no call is placed', async () => {
    const answer = await check({ to_number: NEW_YORK });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      decision: 'allowed',
      reasons: [],
      checks: {
        dnc: { outcome: 'passed', reason: null },
        calling_hours: { outcome: 'passed' },
        recording_consent: { outcome: 'not_evaluated' },
        capacity: { outcome: 'passed' },
        disclosure: { outcome: 'not_evaluated' },
      },
      to_number: NEW_YORK,
      from_number: null,
      agent_id: null,
      state: 'NY',
      timezone: 'America/New_York',
      timezones: ['America/New_York'],
      requires_two_party_consent: false,
      recording: null,
      next_open_at: null,
      checked_at: '2026-01-05T15:00:00.000Z',
    });
    const calls = await plane.request('GET', '/api/v1/calls', { key });
    expect(calls.json).toMatchObject({ calls: [] });
  });

  // @rule 1.8
  it("judges calling hours in the callee's time zone and says when they open", async () => {
    expect((await check({ to_number: LOS_ANGELES })).json).toMatchObject({
      decision: 'denied',
      reasons: ['outside_calling_hours'],
      checks: { calling_hours: { outcome: 'failed', reason: 'outside_calling_hours' } },
      state: 'CA',
      timezone: 'America/Los_Angeles',
      requires_two_party_consent: true,
      next_open_at: '2026-01-05T16:00:00.000Z',
    });
  });

  it('takes the strictest hours where the region is unknown', async () => {
    const { json } = await check({ to_number: '+18005550123' });
    expect(json).toMatchObject({
      decision: 'denied',
      state: null,
      timezone: null,
      requires_two_party_consent: true,
      // 8:00 in Hawaii.
      next_open_at: '2026-01-05T18:00:00.000Z',
    });
    expect((json as { timezones: string[] }).timezones.length).toBeGreaterThan(20);
    expect((await check({ to_number: '+99912345678' })).json).toMatchObject({
      reasons: ['region_unknown'],
      timezones: [],
      next_open_at: null,
    });
  });

  // @rule 1.8
  it('judges the call of an agent: its hours, disclosure and recording', async () => {
    const agent_id = await agentWith({
      calling_hours: { monday: { start: '06:00', end: '21:00' } },
      disclosure: { text: 'Hi, this is Ann.' },
      recording: { announce: true },
    });
    expect((await check({ to_number: LOS_ANGELES, agent_id })).json).toMatchObject({
      decision: 'denied',
      reasons: ['disclosure_names_no_ai'],
      agent_id,
      recording: 'announced',
      checks: { calling_hours: { outcome: 'passed' }, recording_consent: { outcome: 'passed' } },
    });
  });

  it('finds no agent of another tenant', async () => {
    const agent_id = await agentWith();
    const { key: other } = await plane.newKey();
    expect((await check({ to_number: NEW_YORK, agent_id }, other)).status).toBe(404);
  });

  it('asks of a carrier test number neither hours nor consent: it rings nobody', async () => {
    const agent_id = await agentWith();
    expect((await check({ to_number: TALKS, agent_id })).json).toMatchObject({
      decision: 'allowed',
      state: null,
      timezone: null,
      requires_two_party_consent: false,
      recording: 'unannounced',
    });
  });

  it.each([
    [{}, 'to_number'],
    [{ to_number: '2125550123' }, 'to_number'],
    [{ to_number: NEW_YORK, from_number: 'me' }, 'from_number'],
    [{ to_number: NEW_YORK, agent_id: 'nobody' }, 'agent_id'],
  ])('refuses %j', async (body, field) => {
    const answer = await check(body);
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ['body', field] }] });
  });
});

describe('every result is stored', () => {
  // @rule 1.9
  it('with its inputs, and can be read again', async () => {
    const made = await check({ to_number: LOS_ANGELES, from_number: NEW_YORK });
    const { id } = made.json as { id: string };
    const read = await plane.request('GET', `/api/v1/compliance/checks/${id}`, { key });
    expect(read.json).toEqual(made.json);
    expect((read.json as { inputs: object }).inputs).toMatchObject({
      evaluated_at: new Date(clock.now()).toISOString(),
      callee: { is_test: false, state: 'CA', zones: ['America/Los_Angeles'] },
      caller: { state: 'NY' },
      listed_by: [],
      calling_hours: { timezone: null, monday: { start: '08:00', end: '21:00' } },
      agent: null,
      live_calls: 0,
      max_concurrent_calls: expect.any(Number),
    });
  });

  it('and the agent that would have spoken, in snake_case like all that the API returns', async () => {
    const agent_id = await agentWith();
    const { inputs } = (await check({ to_number: NEW_YORK, agent_id })).json as { inputs: object };
    expect(inputs).toMatchObject({
      agent: { id: agent_id, language: 'en-US', recording: { enabled: true } },
    });
    expect(JSON.stringify(inputs)).not.toMatch(/"[a-z]+[A-Z]\w*":/);
  });

  it('is not found by another tenant', async () => {
    const { id } = (await check({ to_number: NEW_YORK })).json as { id: string };
    const { key: other } = await plane.newKey();
    const read = await plane.request('GET', `/api/v1/compliance/checks/${id}`, { key: other });
    expect(read.status).toBe(404);
    expect(read.json).toMatchObject({ code: 'compliance_check_not_found' });
  });

  it('also when a call is refused: 403 with check_id, reasons and the next opening', async () => {
    const refused = await dial(await agentWith(opensAt('11:00')));
    expect(refused.status).toBe(403);
    expect(refused.json).toMatchObject({
      code: 'compliance_denied',
      reasons: ['outside_calling_hours'],
      next_open_at: '2026-01-05T16:00:00.000Z',
    });
    const { check_id } = refused.json as { check_id: string };
    const read = await plane.request('GET', `/api/v1/compliance/checks/${check_id}`, { key });
    expect(read.json).toMatchObject({ decision: 'denied', to_number: TALKS });
  });
});

describe('a call that references a check', () => {
  // @rule 1.10
  it('that was denied cannot be created', async () => {
    const late = await agentWith(opensAt('11:00'));
    const { id } = (await check({ to_number: TALKS, agent_id: late })).json as { id: string };
    const refused = await dial(await agentWith(), { compliance_check_id: id });
    expect(refused.status).toBe(403);
    expect(refused.json).toMatchObject({ code: 'compliance_denied', check_id: id });
    const calls = await plane.request('GET', '/api/v1/calls', { key });
    expect(calls.json).toMatchObject({ calls: [] });
  });

  it('that was allowed is judged anew: what changed since counts', async () => {
    const agent = await agentWith();
    const { id } = (await check({ to_number: TALKS })).json as { id: string };
    await plane.request('POST', '/api/v1/compliance/dnc', { key, body: { phone_number: TALKS } });
    const refused = await dial(agent, { compliance_check_id: id });
    expect(refused.json).toMatchObject({ code: 'compliance_denied', reasons: ['do_not_call'] });
    expect((refused.json as { check_id: string }).check_id).not.toBe(id);
  });

  it.each([
    ['for another number', { to_number: '+15005550010' }],
    ['for another caller ID', { to_number: TALKS, from_number: NEW_YORK }],
  ])('%s is refused', async (_, body) => {
    const { id } = (await check(body)).json as { id: string };
    const refused = await dial(await agentWith(), { compliance_check_id: id });
    expect([refused.status, refused.json]).toMatchObject([422, { code: 'compliance_check_mismatch' }]);
  });

  it('for another agent is refused', async () => {
    const { id } = (await check({ to_number: TALKS, agent_id: await agentWith() })).json as { id: string };
    const refused = await dial(await agentWith(), { compliance_check_id: id });
    expect(refused.json).toMatchObject({ code: 'compliance_check_mismatch' });
  });

  it('of another tenant is not found', async () => {
    const { key: other } = await plane.newKey();
    const { id } = (await check({ to_number: TALKS }, other)).json as { id: string };
    const refused = await dial(await agentWith(), { compliance_check_id: id });
    expect([refused.status, refused.json]).toMatchObject([404, { code: 'compliance_check_not_found' }]);
  });

  it('not older than 15 minutes is accepted, an older one is refused', async () => {
    const agent = await agentWith();
    const { id } = (await check({ to_number: TALKS })).json as { id: string };
    clock.jump(15 * 60_000);
    expect((await dial(agent, { compliance_check_id: id })).status).toBe(202);
    clock.jump(1);
    expect((await dial(agent, { compliance_check_id: id })).json).toMatchObject({
      code: 'compliance_check_mismatch',
    });
  });
});
