import { newId } from '@voice/shared/ids/ids';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { createAgent, startTestInstallation } from '../../testing/installation.js';
import type { ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';
import type { TestStore } from '../../testing/store.js';
import { phoneNumberModel } from './model.js';
import type { PhoneNumberResponse } from './schemas.js';

let store: TestStore;
let carrier: ScriptedCarrier;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let key: string;
let tenantId: string;
let agentId: string;
/** Of the tenant: brought along and verified. */
let own: PhoneNumberResponse;
let serial = 0;

beforeAll(async () => {
  const installation = await startTestInstallation({ capacity: 100 });
  ({ store, carrier, plane, worker } = installation);
  return installation.close;
});
beforeEach(async () => {
  ({ key, tenantId } = await plane.newKey());
  agentId = await createAgent(plane, key);
  own = await brought();
  await worker.heartbeat(plane);
});

/** A number that the tenant has brought along and verified. */
async function brought(as = key): Promise<PhoneNumberResponse> {
  const answer = await plane.request('POST', '/api/v1/phones/import', {
    key: as,
    body: { phone_number: `+1415555${String(4000 + serial++)}` },
  });
  const number = answer.json as PhoneNumberResponse;
  await numbers().then((rows) =>
    rows.updateOne({ _id: number.id }, { $set: { caller_id_verified_at: new Date() } }),
  );
  return number;
}
const numbers = async () => phoneNumberModel(await store.connect());
const dial = (from = own) =>
  plane.request('POST', '/api/v1/calls', {
    key,
    body: { agent_id: agentId, from_number: from.phone_number, to_number: '+15005550006' },
  });
const refusal = async (from = own) => {
  const { status, json } = await dial(from);
  return [status, (json as { code?: string }).code];
};
const INSUFFICIENT = [403, 'attestation_insufficient'];
const shown = async (id = own.id) => {
  const { json } = await plane.request('GET', '/api/v1/phones', { key });
  const row = (json as { phone_numbers: PhoneNumberResponse[] }).phone_numbers.find((one) => one.id === id);
  return [row?.attestation, row?.attestation_source];
};
/** A call from the number, and what the carrier says of how it was signed. */
async function signed(status: string): Promise<void> {
  const { id } = (await dial()).json as { id: string };
  const line = (await eventually(async () => carrier.callOf(id)))!;
  expect(await carrier.report(line, 'ringing', { StirStatus: status })).toBe(204);
}
const setBy = (attestation: string | null, id = own.id) =>
  plane.internal('PUT', `/internal/phones/${id}/attestation`, { attestation });
/** Somebody calls the tenant from its own number, as another carrier has signed it. */
const callIn = async (verstat: string, from = own.phone_number) => {
  const called = await brought();
  const answer = await carrier.callIn(`${plane.url}/internal/carriers/simulated/inbound`, {
    CallSid: `CA${newId().replaceAll('-', '')}`,
    From: from,
    To: called.phone_number,
    StirVerstat: verstat,
  });
  expect(answer.status).toBe(200);
};

describe('the attestation of a number that was brought along', () => {
  it('is unknown until the carrier reports it, and does not block a verified number', async () => {
    expect(await shown()).toEqual([null, null]);
    expect((await dial()).status).toBe(202);
  });

  it.each(['B', 'C'])(
    'is %s when the carrier has signed a call so; the next call is refused',
    async (level) => {
      await signed(level);
      expect(await shown()).toEqual([level, 'carrier']);
      expect(await refusal()).toEqual(INSUFFICIENT);
    },
  );

  it('is A when the carrier has signed a call so', async () => {
    await signed('A');
    expect(await shown()).toEqual(['A', 'carrier']);
    expect((await dial()).status).toBe(202);
  });

  it('stays unknown when the carrier says something else', async () => {
    await signed('null');
    expect(await shown()).toEqual([null, null]);
  });

  it.each(['B', 'C'])('is %s by the signalling of a call that comes from it', async (level) => {
    await callIn(`TN-Validation-Passed-${level}`);
    expect(await shown()).toEqual([level, 'inbound']);
    expect(await refusal()).toEqual(INSUFFICIENT);
    // The number's owner calls, too.
    await callIn('TN-Validation-Passed-A');
    expect(await shown()).toEqual(['A', 'inbound']);
    expect((await dial()).status).toBe(202);
  });

  it.each(['TN-Validation-Failed-B', 'No-TN-Validation', 'x'])('stays unknown by %s', async (verstat) => {
    await callIn(verstat);
    expect(await shown()).toEqual([null, null]);
  });

  it("is not lowered by callers once the carrier has reported it for the tenant's own calls", async () => {
    await signed('A');
    await callIn('TN-Validation-Passed-C');
    expect(await shown()).toEqual(['A', 'carrier']);
  });

  it("is not touched by a call to another tenant's number", async () => {
    const { key: other } = await plane.newKey();
    const mine = key;
    key = other;
    await callIn('TN-Validation-Passed-C', own.phone_number);
    key = mine;
    expect(await shown()).toEqual([null, null]);
  });
});

describe("the operator's setting", () => {
  it.each(['B', 'C'])('%s: calls from the number are refused, whatever the carrier says', async (level) => {
    const answer = await setBy(level);
    expect([answer.status, (answer.json as PhoneNumberResponse).attestation]).toEqual([200, level]);
    expect(await shown()).toEqual([level, 'operator']);
    expect(await refusal()).toEqual(INSUFFICIENT);
    await callIn('TN-Validation-Passed-A');
    expect(await refusal()).toEqual(INSUFFICIENT);
  });

  it('A lets a number call that the carrier had signed lower, and null asks the carrier again', async () => {
    await signed('B');
    await setBy('A');
    expect((await dial()).status).toBe(202);
    await signed('B');
    expect(await shown()).toEqual(['A', 'operator']);
    await setBy(null);
    expect(await shown()).toEqual([null, null]);
    await signed('B');
    expect(await refusal()).toEqual(INSUFFICIENT);
  });

  it('is of numbers that there are, and of A, B and C', async () => {
    expect((await setBy('A', newId())).status).toBe(404);
    expect((await setBy('D')).status).toBe(422);
  });

  it('is out of reach of tenants', async () => {
    const path = `/internal/phones/${own.id}/attestation`;
    expect((await plane.request('PUT', path, { key, body: { attestation: 'A' } })).status).toBe(404);
    expect(tenantId).toBeDefined();
  });
});
