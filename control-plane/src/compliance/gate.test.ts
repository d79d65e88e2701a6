import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { ServiceError } from '@voice/shared/errors/service-error';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callingHours } from '../agents/calling-hours.js';
import { apiError } from '../platform/http/error-codes.js';
import type { CursorCodec } from '../platform/http/pagination.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import { callRoute, namesOf } from '../testing/call-route.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { AdmittedCheck } from './admitted-check.js';
import type { GateAgent } from './decide.js';
import { type CallToCheck, CHECK_LIFE_MS, ComplianceGate, type GateOptions } from './gate.js';
import { type ComplianceCheckModel, complianceCheckModel } from './model.js';
import type { NumberRegion } from './number-region.js';
import { complianceRoutes } from './routes.js';
import { StoredChecks } from './stored-checks.js';

/** A Monday, 10:00 in New York and 7:00 in Los Angeles. */
const MONDAY = Date.UTC(2026, 0, 5, 15);
const OPENS_IN_LOS_ANGELES = Date.UTC(2026, 0, 5, 16);
const NEW_YORK = '+12125550123';
const LOS_ANGELES = '+12135550123';
const TOLL_FREE = '+18005550123';
const RINGS_NOBODY = '+15005550006';
/** From 10:00 to 21:00. */
const HOURS_LEFT_MS = 11 * 3_600_000;
const REGIONS: Readonly<Record<string, NumberRegion>> = {
  [NEW_YORK]: { isTest: false, state: 'NY', zones: ['America/New_York'] },
  [LOS_ANGELES]: { isTest: false, state: 'CA', zones: ['America/Los_Angeles'] },
  [TOLL_FREE]: { isTest: false, state: null, zones: ['America/New_York', 'America/Los_Angeles'] },
  [RINGS_NOBODY]: { isTest: true, state: null, zones: [] },
};
const LIMIT = 1000;
/** From how many live calls on places are claimed. */
const NEAR = LIMIT - 500;

const agent: GateAgent = {
  id: newId(),
  disclosure: 'I am an AI assistant.',
  language: 'en',
  callingHours: callingHours.parse({ monday: { start: '06:00', end: '21:00' } }),
  recording: { enabled: true, announce: false },
};
const toNewYork: CallToCheck = { fromNumber: null, toNumber: NEW_YORK, agent: null };

/** A cursor names its list: it is good for no other. */
const cursors: Pick<CursorCodec, 'encode' | 'decode'> = {
  encode: (list, { createdAt, id }) => `${list} ${createdAt.getTime()} ${id}`,
  decode: (list, cursor) => {
    const [of, at, id] = cursor.split(' ');
    if (of !== list) throw apiError('invalid_cursor');
    return { createdAt: new Date(Number(at)), id: id! };
  },
};

let store: TestStore;
let checks: ComplianceCheckModel;
let clock: ScriptedClock;
let scope: TenantScope;
let listed: ('tenant' | 'operator')[];
let liveCalls: number;
let countedUpTo: number[];
/** What a claim gives: the calls before this one. */
let claimed: number;
let claims: { readonly checkId: string; readonly limit: number }[];
let gate: ComplianceGate;

beforeAll(async () => {
  store = await startTestStore();
  checks = complianceCheckModel(await store.connect());
});
afterAll(() => store?.close());
beforeEach(() => {
  clock = new ScriptedClock(MONDAY);
  scope = { tenant: newTenantId(), sandbox: false };
  [listed, liveCalls, countedUpTo, claimed, claims] = [[], 0, [], 0, []];
  const options: GateOptions = {
    checks,
    registry: { listedBy: async (_scope, number) => (number === NEW_YORK ? listed : []) },
    regions: { of: (number) => REGIONS[number]! },
    clock,
    maxConcurrentCalls: LIMIT,
    countLiveCalls: async (_scope, upTo) => {
      countedUpTo.push(upTo);
      return liveCalls;
    },
    claims: {
      claim: async (_scope, checkId, limit) => {
        claims.push({ checkId, limit });
        return claimed;
      },
    },
  };
  gate = new ComplianceGate(options);
});

const stored = (id: string) => checks.findOne({ _id: id }).lean();
const passed = { outcome: 'passed', reason: null };
const notEvaluated = { outcome: 'not_evaluated', reason: null };

describe('a check of a number', () => {
  it('is stored whole, with what it was decided from', async () => {
    const made = await gate.check(scope, toNewYork);
    expect(made).toEqual({
      _id: expect.any(String),
      tenant_id: scope.tenant,
      sandbox: false,
      decision: 'allowed',
      reasons: [],
      checks: {
        dnc: passed,
        calling_hours: passed,
        recording_consent: notEvaluated,
        capacity: passed,
        disclosure: notEvaluated,
      },
      inputs: expect.any(String),
      from_number: null,
      to_number: NEW_YORK,
      agent_id: null,
      state: 'NY',
      timezone: 'America/New_York',
      timezones: ['America/New_York'],
      requires_two_party_consent: false,
      recording: null,
      next_open_at: null,
      created_at: new Date(MONDAY),
    });
    expect(JSON.parse(made.inputs)).toEqual({
      evaluated_at: '2026-01-05T15:00:00.000Z',
      callee: { is_test: false, state: 'NY', zones: ['America/New_York'] },
      caller: null,
      listed_by: [],
      // Without an agent the default hours count.
      calling_hours: callingHours.parse({}),
      agent: null,
      live_calls: 0,
      max_concurrent_calls: LIMIT,
    });
    expect(await stored(made._id)).toEqual(made);
    expect(countedUpTo).toEqual([LIMIT]);
  });

  it('for an agent is judged by its hours, and from the number that it would call from', async () => {
    const made = await gate.check(scope, { fromNumber: NEW_YORK, toNumber: LOS_ANGELES, agent });
    expect(made).toMatchObject({
      // At 7:00: the default hours are closed, the agent's are open.
      decision: 'allowed',
      from_number: NEW_YORK,
      agent_id: agent.id,
      requires_two_party_consent: true,
      recording: 'off',
    });
    expect(JSON.parse(made.inputs)).toMatchObject({
      caller: { is_test: false, state: 'NY', zones: ['America/New_York'] },
      calling_hours: agent.callingHours,
      agent: {
        id: agent.id,
        disclosure: agent.disclosure,
        language: 'en',
        recording: { enabled: true, announce: false },
      },
    });
    expect(made.checks).toMatchObject({ recording_consent: passed, disclosure: passed });
  });

  it('says when the hours open where they are closed, and names a zone only where it is one for sure', async () => {
    expect(await gate.check(scope, { ...toNewYork, toNumber: LOS_ANGELES })).toMatchObject({
      decision: 'denied',
      reasons: ['outside_calling_hours'],
      timezone: 'America/Los_Angeles',
      next_open_at: new Date(OPENS_IN_LOS_ANGELES),
    });
    expect(await gate.check(scope, { ...toNewYork, toNumber: TOLL_FREE })).toMatchObject({
      state: null,
      timezone: null,
      timezones: ['America/New_York', 'America/Los_Angeles'],
    });
  });

  it('takes no place, however near the limit is', async () => {
    liveCalls = LIMIT - 1;
    expect(await gate.check(scope, toNewYork)).toMatchObject({ decision: 'allowed' });
    expect(claims).toEqual([]);
  });

  it('is found by its tenant, in its mode, alone', async () => {
    const made = await gate.check(scope, toNewYork);
    expect(await gate.find(scope, made._id)).toEqual(made);
    for (const stranger of [
      { ...scope, sandbox: true },
      { ...scope, tenant: newTenantId() },
    ]) {
      await expect(gate.find(stranger, made._id)).rejects.toMatchObject({
        code: 'compliance_check_not_found',
      });
    }
  });
});

describe('a call that begins', () => {
  it('is only counted while the limit is far away, and claims its place where it is near', async () => {
    liveCalls = NEAR - 1;
    await gate.admit(scope, toNewYork, undefined);
    expect(claims).toEqual([]);
    liveCalls = NEAR;
    const { id } = await gate.admit(scope, toNewYork, undefined);
    expect(claims).toEqual([{ checkId: id, limit: LIMIT }]);
  });

  it('is denied where its claim shows that the last place is taken', async () => {
    [liveCalls, claimed] = [NEAR, LIMIT];
    const refused = await gate.admit(scope, toNewYork, undefined).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'compliance_denied',
      fields: { reasons: ['concurrent_calls_limit'], next_open_at: null },
    });
    const { check_id: id } = (refused as { fields: { check_id: string } }).fields;
    expect(claims).toEqual([{ checkId: id, limit: LIMIT }]);
    expect(JSON.parse((await stored(id))!.inputs).live_calls).toBe(LIMIT);
    claimed = LIMIT - 1;
    await expect(gate.admit(scope, toNewYork, undefined)).resolves.toBeDefined();
  });

  it('claims no place where it is denied anyway', async () => {
    liveCalls = NEAR;
    await expect(gate.admit(scope, { ...toNewYork, toNumber: LOS_ANGELES }, undefined)).rejects.toMatchObject(
      {
        code: 'compliance_denied',
        fields: { next_open_at: new Date(OPENS_IN_LOS_ANGELES).toISOString() },
      },
    );
    expect(claims).toEqual([]);
  });
});

describe('a call that names an earlier check', () => {
  const call: CallToCheck = { fromNumber: LOS_ANGELES, toNumber: NEW_YORK, agent };

  it.each<[string, Partial<CallToCheck>]>([
    ['of the number alone', { fromNumber: null, agent: null }],
    ['of the number and the caller', { agent: null }],
    ['of the whole call', {}],
  ])('%s is admitted by it, after a fresh one', async (_which, checked) => {
    const earlier = await gate.check(scope, { ...call, ...checked });
    const admitted = await gate.admit(scope, call, earlier._id);
    expect(admitted).toMatchObject({
      id: earlier._id,
      scope,
      toNumber: NEW_YORK,
      // By the fresh check, which knows the agent: recording is not announced, and Californians must consent.
      recording: 'off',
    });
    expect(await checks.countDocuments({ tenant_id: scope.tenant })).toBe(2);
  });

  it.each<[string, Partial<CallToCheck>]>([
    ['another number', { toNumber: TOLL_FREE, agent }],
    ['another caller', { fromNumber: NEW_YORK }],
    ['another agent', { agent: { ...agent, id: newId() } }],
  ])('of %s is refused', async (_which, checked) => {
    clock.jump(2 * 3_600_000);
    const earlier = await gate.check(scope, { ...call, ...checked });
    expect(earlier.decision).toBe('allowed');
    await expect(gate.admit(scope, call, earlier._id)).rejects.toMatchObject({
      code: 'compliance_check_mismatch',
    });
  });

  it('of an agent is refused for a call without one', async () => {
    const earlier = await gate.check(scope, call);
    await expect(gate.admit(scope, { ...call, agent: null }, earlier._id)).rejects.toMatchObject({
      code: 'compliance_check_mismatch',
    });
  });

  it('is admitted for 15 minutes, and not a moment longer', async () => {
    const earlier = await gate.check(scope, call);
    clock.jump(15 * 60_000);
    expect(CHECK_LIFE_MS).toBe(15 * 60_000);
    expect((await gate.admit(scope, call, earlier._id)).id).toBe(earlier._id);
    clock.jump(1);
    await expect(gate.admit(scope, call, earlier._id)).rejects.toMatchObject({
      code: 'compliance_check_mismatch',
    });
  });

  it('that was denied is refused by it; by the fresh one where that denies', async () => {
    listed = ['operator'];
    const denied = await gate.check(scope, call);
    listed = [];
    for (const toNumber of [NEW_YORK, TOLL_FREE]) {
      await expect(gate.admit(scope, { ...call, toNumber }, denied._id)).rejects.toMatchObject({
        code: 'compliance_denied',
        fields: { check_id: denied._id, reasons: ['do_not_call'] },
      });
    }
    // Nothing was judged anew for them.
    expect(await checks.countDocuments({ tenant_id: scope.tenant })).toBe(1);
    const other = await gate.check(scope, call);
    expect(() => AdmittedCheck.admit(denied, other)).toThrow(ServiceError);
    const allowed = await gate.check(scope, call);
    listed = ['tenant'];
    const refused = await gate.admit(scope, call, allowed._id).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'compliance_denied', fields: { reasons: ['do_not_call'] } });
    expect((refused as { fields: { check_id: string } }).fields.check_id).not.toBe(allowed._id);
  });
});

describe('a stored call that is about to be dialed', () => {
  it('is admitted by its check, for that number alone', async () => {
    const { _id: id } = await gate.check(scope, toNewYork);
    expect(await gate.admitted(scope, id, NEW_YORK)).toMatchObject({ id, toNumber: NEW_YORK, scope });
    await expect(gate.admitted(scope, id, LOS_ANGELES)).rejects.toMatchObject({
      code: 'compliance_check_mismatch',
    });
  });

  it('is refused without a check, and with one that denied', async () => {
    await expect(gate.admitted(scope, null, NEW_YORK)).rejects.toMatchObject({
      code: 'compliance_check_not_found',
    });
    const denied = await gate.check(scope, { ...toNewYork, toNumber: LOS_ANGELES });
    await expect(gate.admitted(scope, denied._id, LOS_ANGELES)).rejects.toMatchObject({
      code: 'compliance_denied',
    });
  });

  it('is refused where its number was put on a do-not-call list since', async () => {
    const { _id: id } = await gate.check(scope, toNewYork);
    listed = ['operator'];
    await expect(gate.admitted(scope, id, NEW_YORK)).rejects.toMatchObject({
      code: 'compliance_denied',
      fields: { check_id: id, reasons: ['do_not_call'], next_open_at: null },
    });
  });

  it('is refused where its calling hours have closed since', async () => {
    const { _id: id } = await gate.check(scope, toNewYork);
    const admitted = await gate.admitted(scope, id, NEW_YORK);
    clock.advance(HOURS_LEFT_MS - 1);
    await expect(gate.confirm(scope, admitted, NEW_YORK)).resolves.toBeUndefined();
    clock.advance(1);
    const refused = {
      code: 'compliance_denied',
      fields: { check_id: id, reasons: ['outside_calling_hours'], next_open_at: '2026-01-06T13:00:00.000Z' },
    };
    await expect(gate.confirm(scope, admitted, NEW_YORK)).rejects.toMatchObject(refused);
    await expect(gate.admitted(scope, id, NEW_YORK)).rejects.toMatchObject(refused);
  });

  it('may be dialed at any hour where its number rings nobody', async () => {
    const { _id: id } = await gate.check(scope, { ...toNewYork, toNumber: RINGS_NOBODY });
    clock.advance(HOURS_LEFT_MS);
    expect(await gate.admitted(scope, id, RINGS_NOBODY)).toMatchObject({ id });
  });
});

it('the recording of a call is by the law of both ends and the settings of its agent', () => {
  const recorded = { enabled: true, announce: false };
  expect([
    gate.recordingOf({ other: NEW_YORK, own: NEW_YORK }, recorded),
    gate.recordingOf({ other: NEW_YORK, own: LOS_ANGELES }, recorded),
    gate.recordingOf({ other: LOS_ANGELES, own: NEW_YORK }, recorded),
    gate.recordingOf({ other: LOS_ANGELES, own: NEW_YORK }, { enabled: true, announce: true }),
  ]).toEqual(['unannounced', 'off', 'off', 'announced']);
});

describe('the API of checks', () => {
  const routes = () =>
    complianceRoutes({
      gate,
      checks: new StoredChecks({ checks, cursors }),
      agentOf: async (tenant, id) => ({
        ...agent,
        id,
        disclosure: tenant === scope.tenant ? 'A bot.' : null,
      }),
    });

  it('has these operations', () => {
    expect(namesOf(routes())).toEqual([
      'post /api/v1/compliance/check checkCompliance (Compliance, tenant_in_mode) agent_not_found',
      'get /api/v1/compliance/checks listComplianceChecks (Compliance, tenant_in_mode) invalid_cursor',
      'get /api/v1/compliance/checks/{check_id} getComplianceCheck (Compliance, tenant_in_mode) compliance_check_not_found',
    ]);
  });

  it('shows a check as it is stored, when it is made and when it is read', async () => {
    const { body, status } = await callRoute(routes(), 'checkCompliance', {
      scope,
      body: { to_number: LOS_ANGELES, from_number: NEW_YORK },
    });
    expect([status, body]).toEqual([
      200,
      {
        id: expect.any(String),
        decision: 'denied',
        reasons: ['outside_calling_hours'],
        checks: {
          dnc: passed,
          calling_hours: { outcome: 'failed', reason: 'outside_calling_hours' },
          recording_consent: notEvaluated,
          capacity: passed,
          disclosure: notEvaluated,
        },
        to_number: LOS_ANGELES,
        from_number: NEW_YORK,
        agent_id: null,
        state: 'CA',
        timezone: 'America/Los_Angeles',
        timezones: ['America/Los_Angeles'],
        requires_two_party_consent: true,
        recording: null,
        next_open_at: '2026-01-05T16:00:00.000Z',
        inputs: expect.objectContaining({ live_calls: 0, caller: expect.objectContaining({ state: 'NY' }) }),
        checked_at: '2026-01-05T15:00:00.000Z',
      },
    ]);
    const { id: check_id } = body as { id: string };
    const read = await callRoute(routes(), 'getComplianceCheck', { scope, params: { check_id } });
    expect(read).toEqual({ status: 200, body });
  });

  it('lists the checks of a tenant and mode, by decision, reason and number, page by page', async () => {
    type Query = Readonly<Record<string, string>>;
    const list = async (query: Query, as = scope) =>
      (await callRoute(routes(), 'listComplianceChecks', { scope: as, query })).body as {
        checks: { id: string }[];
        next_cursor: string;
      };
    const ids = async (query: Query, as = scope) => (await list(query, as)).checks.map(({ id }) => id);
    const made: string[] = [];
    for (const toNumber of [NEW_YORK, LOS_ANGELES, NEW_YORK]) {
      clock.jump(1);
      made.unshift((await gate.check(scope, { ...toNewYork, toNumber }))._id);
    }
    listed = ['tenant'];
    clock.jump(1);
    const [last, denied] = [(await gate.check(scope, toNewYork))._id, made[1]];
    await gate.check({ ...scope, sandbox: true }, toNewYork);
    expect(await ids({})).toEqual([last, ...made]);
    expect(await ids({ decision: 'denied' })).toEqual([last, denied]);
    expect(await ids({ decision: 'allowed', to_number: NEW_YORK })).toEqual([made[0], made[2]]);
    expect(await ids({ reason: 'outside_calling_hours', decision: 'allowed' })).toEqual([denied]);
    expect(await ids({}, { ...scope, tenant: newTenantId() })).toEqual([]);
    const page = await list({ limit: '2', include_total: 'true' });
    expect(page).toMatchObject({ has_more: true, total: 4 });
    expect(page.checks[0]).not.toHaveProperty('inputs');
    expect(await ids({ limit: '2', cursor: page.next_cursor })).toEqual(made.slice(1));
  });

  it('judges the call of an agent where one is named', async () => {
    const agent_id = newId();
    const { body } = await callRoute(routes(), 'checkCompliance', {
      scope,
      body: { to_number: NEW_YORK, agent_id },
    });
    expect(body).toMatchObject({
      agent_id,
      from_number: null,
      next_open_at: null,
      recording: 'unannounced',
      inputs: { agent: { disclosure: 'A bot.' }, listed_by: [] },
    });
  });

  it('names the lists that a number is on', async () => {
    listed = ['tenant', 'operator'];
    const { body } = await callRoute(routes(), 'checkCompliance', { scope, body: { to_number: NEW_YORK } });
    expect(body).toMatchObject({ decision: 'denied', inputs: { listed_by: ['tenant', 'operator'] } });
  });
});
