import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callModel } from '../calls/record/model.js';
import type { TestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { createAgent, startTestInstallation } from '../testing/installation.js';
import type { ScriptedCarrier } from '../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../testing/scripted-worker.js';
import type { TestStore } from '../testing/store.js';

const SOURCES = fileURLToPath(new URL('..', import.meta.url));

/** Every source file that runs in production, by its path. */
const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/(^|\/)testing\//.test(path))
  .map((path) => ({
    path: relative(SOURCES, join(SOURCES, path)),
    text: readFileSync(join(SOURCES, path), 'utf8'),
  }));
const filesWith = (pattern: RegExp) =>
  sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

describe('in the code, there is no path to a carrier around the gate', () => {
  // @rule 1.7
  it('one place asks a carrier to dial', () => {
    // A carrier's adapter also writes `<Dial>`, the verb by which a caller is put through to a human.
    const asking = filesWith(/\.dial\(/).filter((path) => path !== 'telephony/carriers/twilio/twiml.ts');
    expect(asking).toEqual(['calls/outbound/dialer.ts']);
  });

  // @rule 1.7
  it('every carrier that dials asks for the check that allowed it', () => {
    const dialing = filesWith(/^\s+(?:async )?dial\(/m);
    expect(dialing).toContain('telephony/carriers/port.ts');
    for (const { path, text } of sources.filter(({ path }) => dialing.includes(path))) {
      const signature = /^\s+(?:async )?dial\(([^{]*?)\)(?=[:;\s])/m.exec(text)?.[1] ?? '';
      expect.soft(signature, path).toContain('AllowedCheck');
    }
  });

  it('only the gate makes such checks', () => {
    expect(filesWith(/AdmittedCheck\.admit\(/)).toEqual(['compliance/gate.ts']);
    expect(filesWith(/\bas (?:unknown as )?(?:Admitted|Allowed)Check\b/)).toEqual([]);
    expect(filesWith(/new AdmittedCheck\(/)).toEqual(['compliance/admitted-check.ts']);
    expect(filesWith(/extends AllowedCheck\b/)).toEqual(['compliance/admitted-check.ts']);
  });

  it("only the carriers' adapters speak to a carrier's calls", () => {
    const outside = filesWith(/Calls\.json|from 'twilio'|\/v2\/calls\b/).filter(
      (path) => !path.startsWith('telephony/carriers/'),
    );
    expect(outside).toEqual([]);
  });

  it('an outbound call is made in one place, which takes an allowed check', () => {
    const making = filesWith(/status: 'QUEUED',[^}]*direction: 'outbound'/s);
    expect(making).toEqual(['calls/outbound/create-call.ts']);
    const maker = sources.find(({ path }) => path === 'calls/outbound/create-call.ts')!;
    expect(maker.text).toMatch(/#document\(\s*admitted: AdmittedCheck,/);
  });
});

describe('in a running service, nothing is dialed around the gate', () => {
  const TALKS = '+15005550006';
  let store: TestStore;
  let plane: TestControlPlane;
  let carrier: ScriptedCarrier;
  let worker: ScriptedWorker;
  let key: string;
  let agentId: string;

  beforeAll(async () => {
    const installation = await startTestInstallation();
    ({ store, carrier, plane, worker } = installation);
    return installation.close;
  });
  beforeEach(async () => {
    ({ key } = await plane.newKey());
    agentId = await createAgent(plane, key);
    worker.held.clear();
    worker.mode = 'reserves';
    await worker.heartbeat(plane);
  });

  const dial = (body: object = {}) =>
    plane.request('POST', '/api/v1/calls', {
      key,
      body: { agent_id: agentId, from_number: SANDBOX_CALLER_ID, to_number: TALKS, ...body },
    });
  const check = async (body: object) =>
    ((await plane.request('POST', '/api/v1/compliance/check', { key, body })).json as { id: string }).id;
  const statusOf = async (id: string) =>
    (await plane.request('GET', `/api/v1/calls/${id}`, { key })).json as {
      status: string;
      error_code: string | null;
    };

  /** A stored call as an attacker or a fault would leave it: waiting, with this for a check. */
  async function forgedCall(compliance_check_id: string | null): Promise<string> {
    const made = await dial();
    const { id } = made.json as { id: string };
    await eventually(() => carrier.callOf(id));
    const calls = callModel(await store.connect());
    const original = await calls.findById(id).orFail().lean();
    const forged = newId();
    const past = new Date(0);
    await calls.collection.insertOne({
      ...original,
      _id: forged,
      status: 'QUEUED',
      compliance_check_id,
      dispatch_stage: 'waiting',
      dispatch_lease_owner: null,
      dispatch_lease_until: past,
      dispatch_deadline_at: new Date(Date.now() + 60_000),
      carrier_call_id: null,
      worker_id: null,
      placed_at: null,
      ring_deadline_at: null,
      timeline: [],
    } as never);
    return forged;
  }

  it.each([
    ['a denied check', () => check({ to_number: '+99912345678' })],
    ['a check for another number', () => check({ to_number: '+15005550010' })],
    ['a check that does not exist', async () => newId()],
  ])('a queued call with %s is never rung and ends as FAILED', async (_, checkId) => {
    const id = await forgedCall(await checkId());
    const call = await eventually(
      () => statusOf(id),
      ({ status }) => status === 'FAILED',
    );
    expect(call).toMatchObject({ status: 'FAILED', error_code: 'compliance_denied' });
    expect(carrier.callOf(id)).toBeUndefined();
  });

  it('a number that is put on the list while its call waits is not rung', async () => {
    worker.mode = 'full';
    const { id } = (await dial()).json as { id: string };
    await plane.request('POST', '/api/v1/compliance/dnc', { key, body: { phone_number: TALKS } });
    worker.mode = 'reserves';
    await eventually(
      () => statusOf(id),
      ({ status }) => status === 'FAILED',
    );
    expect(carrier.callOf(id)).toBeUndefined();
  });

  it('a call that is refused leaves nothing behind that could be dialed', async () => {
    await plane.request('POST', '/api/v1/compliance/dnc', { key, body: { phone_number: TALKS } });
    const dialedBefore = carrier.dialed.length;
    expect((await dial()).json).toMatchObject({ code: 'compliance_denied', reasons: ['do_not_call'] });
    expect((await plane.request('GET', '/api/v1/calls', { key })).json).toMatchObject({ calls: [] });
    expect(carrier.dialed.length).toBe(dialedBefore);
  });
});
