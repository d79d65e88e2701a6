import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { type SimulatedCarrierProcess, startSimulatedCarrier } from '../../testing/simulated-carrier.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { configuredCarriers } from '../carriers/carriers.js';
import { phoneNumberModel } from './model.js';
import { NumberService } from './number-service.js';
import type { PhoneNumberResponse } from './schemas.js';

let store: TestStore;
let carrier: SimulatedCarrierProcess;
let plane: TestControlPlane;
let key: string;

beforeAll(async () => {
  [store, carrier] = await Promise.all([startTestStore(), startSimulatedCarrier()]);
  plane = await startTestControlPlane(store.uri, {
    // The simulated carrier also stands in for Twilio: it is as strict, and the same adapter drives it.
    env: { ...carrier.env, ...carrier.twilioEnv },
  });
});
afterAll(async () => {
  await plane?.close();
  await carrier?.close();
  await store?.close();
});
beforeEach(async () => {
  ({ key } = await plane.newKey());
});

interface Available {
  phone_number: string;
  provider: string;
  region: string;
}

const search = async (query: string, as = key) =>
  plane.request('GET', `/api/v1/phones/available${query}`, { key: as });
/** One that nobody has bought yet. */
const forSale = async (as = key) => ((await search('?limit=1', as)).json as Available[])[0]!.phone_number;
const buy = (phone_number: string, as = key, headers = {}, path = '') =>
  plane.request('POST', `/api/v1/phones${path}`, { key: as, body: { phone_number }, headers });
const list = async (as = key) =>
  (
    (await plane.request('GET', '/api/v1/phones', { key: as })).json as {
      phone_numbers: PhoneNumberResponse[];
    }
  ).phone_numbers;
const ownedAtCarrier = async (number: string) => {
  const found = await carrier.rest(
    'GET',
    `IncomingPhoneNumbers.json?PhoneNumber=${encodeURIComponent(number)}`,
  );
  return (found.json as { incoming_phone_numbers: { sid: string; voice_url: string }[] })
    .incoming_phone_numbers;
};
const code = (answer: { json: unknown }) => (answer.json as { code: string }).code;

describe('GET /api/v1/phones/available', () => {
  it('has limit 10 by default, country US, provider the first carrier', async () => {
    const { key: live } = await plane.newKey({ sandbox: false });
    const found = (await search('', live)).json as Available[];
    expect(found).toHaveLength(10);
    expect(found[0]).toMatchObject({
      provider: 'twilio',
      country: 'US',
      capabilities: { voice: true, sms: true },
    });
  });

  it('searches an area code', async () => {
    const found = (await search('?area_code=212&limit=20')).json as Available[];
    expect(found).toHaveLength(20);
    for (const number of found) {
      expect(number.phone_number).toMatch(/^\+1212/);
      expect(number.region).toBe('NY');
    }
  });

  it('of a country in which nothing is sold is an empty array', async () => {
    expect((await search('?country=ZZ')).json).toEqual([]);
  });

  it.each(['?limit=0', '?limit=21', '?country=USA', '?area_code=123456', '?area_code=x', '?provider=acme'])(
    'refuses %s',
    async (query) => {
      expect((await search(query)).status).toBe(422);
    },
  );

  it('of a carrier that is not configured is 502 carrier_error', async () => {
    const { key: live } = await plane.newKey({ sandbox: false });
    const answer = await search('?provider=telnyx', live);
    expect([answer.status, code(answer)]).toEqual([502, 'carrier_error']);
  });
});

describe('what GET /api/v1/phones/available lists', () => {
  it.each([true, false])(
    'can be posted back to POST /api/v1/phones as it is (sandbox: %s)',
    async (sandbox) => {
      const { key: own } = await plane.newKey({ sandbox });
      const [offer] = (await search('?limit=1', own)).json as Available[];
      const { phone_number, provider } = offer!;
      const bought = await plane.request('POST', '/api/v1/phones', {
        key: own,
        body: { phone_number, provider },
      });
      expect(bought.status, bought.text).toBe(201);
      expect(bought.json).toMatchObject({ phone_number, provider });
      expect((await search(`?limit=1&provider=${provider}`, own)).status).toBe(200);
    },
  );

  it('of the simulated carrier is for sandbox keys alone', async () => {
    const { key: live } = await plane.newKey({ sandbox: false });
    const body = { phone_number: '+12125551234', provider: 'simulated' };
    for (const answer of [
      await plane.request('POST', '/api/v1/phones', { key: live, body }),
      await plane.request('POST', '/api/v1/phones/import', { key: live, body }),
      await search('?provider=simulated', live),
    ]) {
      expect([answer.status, code(answer)]).toEqual([422, 'validation_error']);
    }
  });
});

describe('POST /api/v1/phones', () => {
  // @rule 1.6, 4.32, 4.37
  it('buys the number from the carrier and registers it: caller-ID verified, attested A', async () => {
    const number = await forSale();
    const answer = await buy(number);
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json).toMatchObject({
      phone_number: number,
      provider: 'simulated',
      source: 'purchased',
      agent_id: null,
      attestation: 'A',
      sandbox: true,
      caller_id_verified_at: expect.any(String),
    });
    expect(await ownedAtCarrier(number)).toMatchObject([
      { voice_url: `${plane.url}/internal/carriers/simulated/inbound` },
    ]);
    expect((await list()).map(({ phone_number }) => phone_number)).toContain(number);
  });

  it('with a production key buys from the first carrier', async () => {
    const { key: live } = await plane.newKey({ sandbox: false });
    const number = await forSale(live);
    expect((await buy(number, live)).json).toMatchObject({ provider: 'twilio', sandbox: false });
    expect(await ownedAtCarrier(number)).toMatchObject([
      { voice_url: `${plane.url}/internal/carriers/twilio/inbound` },
    ]);
  });

  it('has /provision as an alias', async () => {
    const number = await forSale();
    expect((await buy(number, key, {}, '/provision')).status).toBe(201);
  });

  it('of a number that is taken here, or not for sale, is 409', async () => {
    const number = await forSale();
    await buy(number);
    expect(code(await buy(number))).toBe('phone_number_taken');
    const { key: other } = await plane.newKey();
    expect(code(await buy(number, other))).toBe('phone_number_taken');
    expect(code(await buy('+14155559999'))).toBe('phone_number_unavailable');
    expect((await list()).map(({ phone_number }) => phone_number)).not.toContain('+14155559999');
  });

  it('by several at the same moment is one purchase', async () => {
    const number = await forSale();
    const keys = await Promise.all([1, 2, 3].map(async () => (await plane.newKey()).key));
    const answers = await Promise.all(keys.map((each) => buy(number, each)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await ownedAtCarrier(number)).toHaveLength(1);
  });

  it('with one Idempotency-Key is one number', async () => {
    const number = await forSale();
    const headers = { 'idempotency-key': newId() };
    const [first, second] = [await buy(number, key, headers), await buy(number, key, headers)];
    expect(second.text).toBe(first.text);
    expect(second.headers.get('x-idempotent-replay')).toBe('true');
  });
});

describe('POST /api/v1/phones/import', () => {
  it('registers a number that the tenant has, not verified and not attested', async () => {
    const answer = await plane.request('POST', '/api/v1/phones/import', {
      key,
      body: { phone_number: '+14155550001' },
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json).toMatchObject({ source: 'imported', caller_id_verified_at: null, attestation: null });
  });

  it('may be done by two tenants: only a verification says whose it is', async () => {
    const { key: other } = await plane.newKey();
    for (const each of [key, other]) {
      const body = { phone_number: '+14155550002' };
      expect((await plane.request('POST', '/api/v1/phones/import', { key: each, body })).status).toBe(201);
    }
  });
});

describe('the two modes of a tenant', () => {
  const bring = (by: string, phone_number: string) =>
    plane.request('POST', '/api/v1/phones/import', { key: by, body: { phone_number } });

  // @rule 5.3
  it('a number that was tried out in the sandbox is brought along for production, once', async () => {
    const name = `both ${newId()}`;
    const { key: live } = await plane.newKey({ sandbox: false, tenant: name });
    const { key: test } = await plane.newKey({ tenant: name });
    expect((await bring(test, '+14155550003')).status).toBe(201);
    expect((await bring(live, '+14155550003')).json).toMatchObject({ provider: 'twilio', sandbox: false });
    expect(code(await bring(live, '+14155550003'))).toBe('phone_number_taken');
    expect(code(await bring(test, '+14155550003'))).toBe('phone_number_taken');
  });

  it('what the simulated carrier sold to one tenant is for sale to another for real', async () => {
    const number = await forSale();
    expect((await buy(number)).status).toBe(201);
    await carrier.rest('DELETE', `IncomingPhoneNumbers/${(await ownedAtCarrier(number))[0]!.sid}.json`);
    const { key: live } = await plane.newKey({ sandbox: false });
    expect((await buy(number, live)).json).toMatchObject({ provider: 'twilio', sandbox: false });
  });
});

describe('PATCH /api/v1/phones/{phone_id}', () => {
  const assign = (id: string, agent_id: string | null, as = key) =>
    plane.request('PATCH', `/api/v1/phones/${id}`, { key: as, body: { agent_id } });

  it('assigns and unassigns the agent', async () => {
    const { id } = (await buy(await forSale())).json as PhoneNumberResponse;
    const agent = await plane.request('POST', '/api/v1/agents', {
      key,
      body: { name: 'Ann', system_prompt: 'You answer.' },
    });
    const agentId = (agent.json as { id: string }).id;
    expect((await assign(id, agentId)).json).toMatchObject({ id, agent_id: agentId });
    expect((await list()).find((number) => number.id === id)).toMatchObject({ agent_id: agentId });
    expect((await assign(id, null)).json).toMatchObject({ agent_id: null });
  });

  it("refuses another tenant's agent and number, and a production number with a sandbox key", async () => {
    const { id } = (await buy(await forSale())).json as PhoneNumberResponse;
    const { key: other, tenantId } = await plane.newKey();
    expect(code(await assign(id, newId()))).toBe('agent_not_found');
    expect(code(await assign(id, null, other))).toBe('phone_number_not_found');
    expect(tenantId).toBeDefined();
    const name = `both ${newId()}`;
    const [live, test] = [
      await plane.newKey({ sandbox: false, tenant: name }),
      await plane.newKey({ tenant: name }),
    ];
    const real = (await buy(await forSale(live.key), live.key)).json as PhoneNumberResponse;
    expect(code(await assign(real.id, null, test.key))).toBe('phone_number_not_found');
    expect((await assign(real.id, null, live.key)).status).toBe(200);
  });
});

describe('DELETE /api/v1/phones/{phone_id}', () => {
  const release = (id: string, as = key) => plane.request('DELETE', `/api/v1/phones/${id}`, { key: as });

  // @rule 4.33
  it('also releases the number at the carrier, which can then be bought again', async () => {
    const number = await forSale();
    const { id } = (await buy(number)).json as PhoneNumberResponse;
    expect((await release(id)).status).toBe(204);
    expect(await ownedAtCarrier(number)).toEqual([]);
    expect((await list()).map(({ phone_number }) => phone_number)).not.toContain(number);
    expect(code(await release(id))).toBe('phone_number_not_found');
    expect((await buy(number)).status).toBe(201);
  });

  it('of a number that the carrier has released before is no failure', async () => {
    const number = await forSale();
    const { id } = (await buy(number)).json as PhoneNumberResponse;
    const [owned] = await ownedAtCarrier(number);
    await carrier.rest('DELETE', `IncomingPhoneNumbers/${owned!.sid}.json`);
    expect((await release(id)).status).toBe(204);
  });

  it("of another tenant's number is 404 and changes nothing", async () => {
    const number = await forSale();
    const { id } = (await buy(number)).json as PhoneNumberResponse;
    const { key: other } = await plane.newKey();
    expect((await release(id, other)).status).toBe(404);
    expect(await ownedAtCarrier(number)).toHaveLength(1);
  });

  it('of the sandbox caller id is refused', async () => {
    const own = (await list()).find(({ phone_number }) => phone_number === SANDBOX_CALLER_ID)!;
    expect(code(await release(own.id))).toBe('phone_number_not_releasable');
  });
});

describe('what a crash leaves open', () => {
  it('is a purchase that is found at the carrier, or a row that goes; and a release that is done', async () => {
    const numbers = phoneNumberModel(await store.connect());
    const clock = new ScriptedClock();
    const service = new NumberService({
      numbers,
      carriers: configuredCarriers(plane.platform.config.carriers),
      requireAgent: async () => {},
      admitSpending: async () => {},
      publicUrl: () => plane.url,
      clock,
      log: silentLog,
    });
    const bought = (await buy(await forSale())).json as PhoneNumberResponse;
    const left = (await buy(await forSale())).json as PhoneNumberResponse;
    const never = newId();
    const row = await numbers.findOne({ _id: bought.id }).lean();
    await numbers.create({ ...row!, _id: never, number: '+15125550188', claim: '+15125550188' });
    // Killed between the carrier's answer and the note of it, before the carrier was asked, and in a release.
    const open = { state: 'buying', moved_at: new Date(0), carrier_number_id: null } as const;
    await numbers.updateMany({ _id: { $in: [bought.id, never] } }, { $set: open });
    await numbers.updateOne({ _id: left.id }, { $set: { state: 'releasing', moved_at: new Date(0) } });

    await clock.advance(120_000);
    await service.resume();

    expect(await numbers.findOne({ _id: bought.id }).lean()).toMatchObject({
      state: 'active',
      attestation: 'A',
      carrier_number_id: expect.stringMatching(/^PN/),
    });
    expect(await numbers.countDocuments({ _id: { $in: [never, left.id] } })).toBe(0);
    expect(await ownedAtCarrier(left.phone_number)).toEqual([]);
  });
});
