import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complianceCheckModel } from '../compliance/model.js';
import { phoneNumberModel } from '../telephony/phones/model.js';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { CARRIER_ACCOUNT_SID, CARRIER_AUTH_TOKEN } from '../testing/scripted-carrier.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { campaignModel } from './model.js';
import { AnsweringCarrier } from './testing/answering-carrier.js';
import { CampaignsClient } from './testing/campaigns-client.js';

const SECRET = 'an internal secret for tests';
const CALLER_ID = '+12125550100';
const NEW_YORK = '+1212555';
const LOS_ANGELES = '+1213555';
const HOUR_MS = 3_600_000;
const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** A Monday, 10:00 in New York and 7:00 in Los Angeles. */
const MONDAY = Date.UTC(2030, 0, 7, 15);
const OPENS_IN_LOS_ANGELES = new Date(MONDAY + HOUR_MS).toISOString();

const clock = new ScriptedClock(MONDAY);
let store: TestStore;
let carrier: AnsweringCarrier;
let worker: ScriptedWorker;
let plane: TestControlPlane;
let client: CampaignsClient;
let pump: NodeJS.Timeout;

beforeAll(async () => {
  store = await startTestStore();
  worker = await ScriptedWorker.start({ id: 'w', secret: SECRET, capacity: 1000, now: () => clock.now() });
  carrier = await AnsweringCarrier.start({ worker, plane: () => plane });
  plane = await startTestControlPlane(store.uri, {
    clock,
    env: {
      ...carrier.env,
      TWILIO_ACCOUNT_SID: CARRIER_ACCOUNT_SID,
      TWILIO_AUTH_TOKEN: CARRIER_AUTH_TOKEN,
      TWILIO_API_URL: carrier.env.SIMULATED_CARRIER_URL!,
      RATE_LIMIT_CAMPAIGN_DISPATCH: '100000',
    },
  });
  client = await CampaignsClient.create(plane, { sandbox: false });
  await beginCallingAt('08:00');
  const now = new Date(clock.now());
  await phoneNumberModel(await store.connect()).collection.insertOne({
    _id: newId(),
    tenant_id: client.tenantId,
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
  // The scripted time of the service, moved on about as fast as the real one that the carrier lives in.
  pump = setInterval(() => clock.advance(50), 50);
});
afterAll(async () => {
  clearInterval(pump);
  pump = setInterval(() => clock.advance(1000), 10);
  await plane?.close();
  clearInterval(pump);
  await worker?.close();
  await carrier?.close();
  await store?.close();
});

/** Changes the agent's hours, on every day. */
async function beginCallingAt(start: string): Promise<void> {
  const calling_hours = Object.fromEntries(WEEK.map((day) => [day, { start, end: '21:00' }]));
  const path = `/api/v1/agents/${client.agentId}`;
  const answer = await plane.request('PATCH', path, { key: client.key, body: { calling_hours } });
  expect(answer.status, answer.text).toBe(200);
}
const dialedTo = (area: string) => carrier.dialedAt.filter(({ to }) => to.startsWith(area)).length;

describe('a campaign with contacts in two time zones, one of which is closed', () => {
  // @rule 2.17
  it('calls the open ones at its full rate; the closed ones wait, and are called when their hours open', {
    timeout: 240_000,
  }, async () => {
    const { id } = await client.create({
      calls_per_minute: 600,
      max_concurrent: 50,
      contacts: Array.from({ length: 16 }, (_, n) => ({
        phone: `${n % 4 === 3 ? NEW_YORK : LOS_ANGELES}${2000 + n}`,
      })),
    });
    expect((await client.move(id, 'start')).status).toBe(200);

    await eventually(
      () => dialedTo(NEW_YORK),
      (dialed) => dialed === 4,
    );
    // Four slots of 100 ms, and none for the others.
    const { started_at, next_slot_at } = await campaignModel(await store.connect())
      .findOne({ _id: id })
      .orFail()
      .lean();
    expect(next_slot_at - started_at!.getTime()).toBe(4 * 100);
    expect(dialedTo(LOS_ANGELES)).toBe(0);
    expect(await client.get(id)).toMatchObject({ status: 'running', contact_counts: { pending: 12 } });
    const waiting = await client.contacts(id, '?status=pending&limit=100');
    expect(waiting).toHaveLength(12);
    for (const contact of waiting) {
      expect(contact).toMatchObject({
        phone: expect.stringContaining(LOS_ANGELES),
        attempts: 0,
        last_call_id: null,
        next_retry_at: OPENS_IN_LOS_ANGELES,
      });
    }
    // Nothing was checked for a dispatch that was not due.
    const checks = complianceCheckModel(await store.connect());
    expect(await checks.countDocuments({ to_number: /^\+1213555/ })).toBe(0);

    clock.jump(MONDAY + HOUR_MS - 1000 - clock.now());
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(dialedTo(LOS_ANGELES)).toBe(0);
    await eventually(
      () => dialedTo(LOS_ANGELES),
      (dialed) => dialed === 12,
    );
    expect(dialedTo(NEW_YORK)).toBe(4);
    const admitted = await checks.find({ to_number: /^\+1213555/ }).lean();
    expect(admitted.map(({ decision }) => decision)).toEqual(Array(12).fill('allowed'));
    expect(JSON.parse(admitted[0]!.inputs)).toMatchObject({ callee: { zones: ['America/Los_Angeles'] } });
  });

  // @rule 2.10
  it('calls those that wait as soon as its agent has hours that are open', { timeout: 240_000 }, async () => {
    carrier.dialedAt.length = 0;
    await beginCallingAt('20:00');
    const { id } = await client.create({
      calls_per_minute: 600,
      contacts: [{ phone: `${LOS_ANGELES}3000` }],
    });
    await client.move(id, 'start');
    await eventually(async () => (await client.contacts(id))[0]!.next_retry_at !== null);
    await beginCallingAt('07:00');
    await eventually(
      () => dialedTo(LOS_ANGELES),
      (dialed) => dialed === 1,
    );
    expect(clock.now()).toBeLessThan(MONDAY + 2 * HOUR_MS);
  });
});
