import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, type newTenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { userModel } from '../../identity/users/model.js';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { type SimulatedCarrierProcess, startSimulatedCarrier } from '../../testing/simulated-carrier.js';
import { ensureIndexes, startTestStore, type TestStore } from '../../testing/store.js';
import { configuredCarriers } from '../carriers/carriers.js';
import { type VerificationModel, verificationModel } from './model.js';
import { Verifications } from './verifications.js';

const FROM = '+14155550100';

let store: TestStore;
let carrier: SimulatedCarrierProcess;
let plane: TestControlPlane;
let key: string;
let tenantId: string;
let number: string;
let serial = 0;

beforeAll(async () => {
  [store, carrier] = await Promise.all([startTestStore(), startSimulatedCarrier()]);
  plane = await startTestControlPlane(store.uri, {
    env: { ...carrier.env, ...carrier.twilioEnv, VERIFICATION_FROM_NUMBER: FROM },
  });
});
afterAll(async () => {
  await plane?.close();
  await carrier?.close();
  await store?.close();
});
beforeEach(async () => {
  ({ key, tenantId } = await plane.newKey({ sandbox: false }));
  number = `+1212555${String(1000 + serial++)}`;
});

const start = (body: object, as = key) =>
  plane.request('POST', '/api/v1/verifications', { key: as, body: { phone_number: number, ...body } });
const confirm = (code: string, as = key) =>
  plane.request('POST', '/api/v1/verifications/confirm', { key: as, body: { phone_number: number, code } });
const codeSent = async () => /\d{6}/.exec((await carrier.messagesTo(number))[0]?.body ?? '')![0];
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
const refusal = (answer: { status: number; json: unknown }) => [
  answer.status,
  (answer.json as { code: string }).code,
];
const bring = async (as = key) =>
  (
    (await plane.request('POST', '/api/v1/phones/import', { key: as, body: { phone_number: number } }))
      .json as { id: string }
  ).id;
const usersOf = async (tenant: string) =>
  userModel(await store.connect())
    .find({ tenant_id: tenant })
    .sort({ created_at: 1 })
    .lean();
/** The cookie of a session in the tenant's dashboard. */
async function signIn(tenant: string): Promise<string> {
  const tenants = (await store.connect()).db!.collection<{ _id: string; name: string }>('tenants');
  const { name } = (await tenants.findOne({ _id: tenant }))!;
  const link = await plane.internal('POST', '/internal/dashboard/login-links', { tenant: name });
  const token = new URL((link.json as { url: string }).url).hash.slice('#token='.length);
  const answer = await plane.request('POST', '/dashboard/session', {
    body: { token },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  return answer.headers.get('set-cookie')!.split(';')[0]!;
}
/** A further person of the tenant; their id. */
async function newPerson(tenant: string): Promise<string> {
  const _id = newId();
  const users = userModel(await store.connect());
  await users.create({ _id, tenant_id: tenant, external_id: newId(), created_at: new Date() });
  return _id;
}
const phone = async (id: string, as = key) =>
  (
    (await plane.request('GET', '/api/v1/phones', { key: as })).json as {
      phone_numbers: { id: string; caller_id_verified_at: string | null; attestation: string | null }[];
    }
  ).phone_numbers.find((row) => row.id === id);

describe('bring your own number', () => {
  // @rule 1.6, 5.12, 5.14
  it('start a verification, confirm with the code: the matching number is stamped and may be dialed with', async () => {
    const id = await bring();
    const started = await start({ channel: 'sms' });
    expect(started.status, started.text).toBe(200);
    expect(started.json).toMatchObject({ phone_number: number, channel: 'sms', status: 'pending' });
    expect((await carrier.messagesTo(number))[0]).toMatchObject({ from: FROM, to: number });
    expect(await phone(id)).toMatchObject({ caller_id_verified_at: null, attestation: null });

    const confirmed = await confirm(await codeSent());
    expect(confirmed.status, confirmed.text).toBe(200);
    expect(confirmed.json).toMatchObject({ status: 'approved', phone_number_ids: [id] });
    // How calls from it are signed is the carrier's to say.
    expect(await phone(id)).toMatchObject({ caller_id_verified_at: expect.any(String), attestation: null });
  });

  // @rule 4.36
  it("stamps the user's record; a number that is no row of the tenant stamps only that", async () => {
    await start({ channel: 'sms' });
    expect((await confirm(await codeSent())).json).toMatchObject({
      phone_number_ids: [],
      user_verified: true,
    });
    // The key came from the operator: it speaks for the tenant's owner, who has no account elsewhere.
    expect(await usersOf(tenantId)).toMatchObject([
      { external_id: `local/${tenantId}`, verified_numbers: [number] },
    ]);
  });

  // @rule 4.35
  it("stamps the caller's own record: of who created the key, also when a key was made by a key", async () => {
    const ada = await newPerson(tenantId);
    const keys = (await store.connect()).db!.collection<{ _id: string }>('api_keys');
    const createKey = async (as: string) => {
      const made = await plane.request('POST', '/api/v1/keys', { key: as, body: { name: 'n' } });
      return made.json as { id: string; key: string };
    };
    const hers = await createKey(key);
    await keys.updateOne({ _id: hers.id }, { $set: { created_by: ada } });
    const made = await createKey(hers.key);
    await start({ channel: 'sms' }, made.key);
    expect((await confirm(await codeSent(), made.key)).json).toMatchObject({ user_verified: true });
    const stamped = (await usersOf(tenantId)).filter(({ verified_numbers }) => verified_numbers.length > 0);
    expect(stamped).toMatchObject([{ _id: ada, verified_numbers: [number] }]);
  });

  // @rule 4.35
  it('takes a session as well, and stamps the person who is signed in', async () => {
    const { db } = await store.connect();
    const ada = await newPerson(tenantId);
    const cookie = await signIn(tenantId);
    await db!
      .collection('dashboard_sessions')
      .updateMany({ tenant_id: tenantId }, { $set: { user_id: ada } });
    const headers = { cookie, 'sec-fetch-site': 'same-origin', 'x-sandbox': 'false' };
    const ask = (path: string, body: object) =>
      plane.request('POST', `/api/v1/verifications${path}`, { headers, body });
    expect((await ask('', { phone_number: number })).status).toBe(200);
    const confirmed = await ask('/confirm', { phone_number: number, code: await codeSent() });
    expect(confirmed.json).toMatchObject({ status: 'approved', user_verified: true });
    const stamped = (await usersOf(tenantId)).filter(({ verified_numbers }) => verified_numbers.length > 0);
    expect(stamped.map(({ _id }) => _id)).toEqual([ada]);
  });

  it("with a key from before creators were noted, stamps the tenant's first person", async () => {
    const keys = (await store.connect()).db!.collection<{ tenant_id: string }>('api_keys');
    await keys.updateMany({ tenant_id: tenantId }, { $unset: { created_by: '' } });
    const [owner] = await usersOf(tenantId);
    await newPerson(tenantId);
    await start({ channel: 'sms' });
    await confirm(await codeSent());
    const stamped = (await usersOf(tenantId)).filter(({ verified_numbers }) => verified_numbers.length > 0);
    expect(stamped.map(({ _id }) => _id)).toEqual([owner!._id]);
  });

  // @rule 4.34
  it('sends the code by voice too', async () => {
    const { key: test } = await plane.newKey();
    number = '+15005550006';
    expect((await start({ channel: 'voice' }, test)).status).toBe(200);
    expect(await carrier.messagesTo(number)).toEqual([]);
  });

  it('in the sandbox calls nobody who is not simulated, says so, and may be asked for by SMS at once', async () => {
    const { key: test } = await plane.newKey();
    expect(refusal(await start({ channel: 'voice' }, test))).toEqual([403, 'sandbox_number_required']);
    expect((await start({ channel: 'sms' }, test)).status).toBe(200);
    expect((await start({ phone_number: '+15005550006', channel: 'voice' }, test)).status).toBe(200);
  });

  it('in the sandbox asks the simulated carrier, and unblocks nothing outside of it', async () => {
    const tenant = `both ${newId()}`;
    const [live, test] = [await plane.newKey({ sandbox: false, tenant }), await plane.newKey({ tenant })];
    const id = await bring(live.key);
    await start({ channel: 'sms' }, test.key);
    const code = await codeSent();
    expect(refusal(await confirm(code, live.key))).toEqual([404, 'verification_not_found']);
    expect((await confirm(code, test.key)).json).toMatchObject({
      phone_number_ids: [],
      user_verified: false,
    });
    expect(await phone(id, live.key)).toMatchObject({ caller_id_verified_at: null });
  });
});

describe('the code', () => {
  it('is stored as a hash only', async () => {
    await start({ channel: 'sms' });
    const code = await codeSent();
    const rows = await verificationModel(await store.connect())
      .find({ tenant_id: tenantId })
      .lean();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows).replaceAll(number, '')).not.toContain(code);
  });

  it('that is wrong is refused, five times; then the right one is too', async () => {
    await start({ channel: 'sms' });
    const code = await codeSent();
    for (let left = 4; left >= 0; left--) {
      const answer = await confirm(wrong(code));
      expect(refusal(answer)).toEqual([403, 'verification_code_wrong']);
      expect(answer.json).toMatchObject({ attempts_left: left });
    }
    expect(refusal(await confirm(code))).toEqual([409, 'verification_attempts_exceeded']);
  });

  it('is tried five times and no more, also by many at the same moment', async () => {
    await start({ channel: 'sms' });
    const code = await codeSent();
    const tried = await Promise.all(Array.from({ length: 20 }, () => confirm(wrong(code))));
    expect(tried.filter((answer) => answer.status === 403)).toHaveLength(5);
  });

  it('works once, for its own tenant and number', async () => {
    await start({ channel: 'sms' });
    const code = await codeSent();
    const { key: other } = await plane.newKey({ sandbox: false });
    expect(refusal(await confirm(code, other))).toEqual([404, 'verification_not_found']);
    expect((await confirm(code)).status).toBe(200);
    expect(refusal(await confirm(code))).toEqual([404, 'verification_not_found']);
  });

  it('of a number for which none was asked is 404', async () => {
    expect(refusal(await confirm('123456'))).toEqual([404, 'verification_not_found']);
  });

  it.each(['12345', '1234567', 'abcdef', ''])('%j is none', async (code) => {
    expect((await confirm(code)).status).toBe(422);
  });

  it('is not sent again within 30 seconds', async () => {
    await start({ channel: 'sms' });
    const again = await start({ channel: 'sms' });
    expect(refusal(again)).toEqual([429, 'rate_limited']);
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await carrier.messagesTo(number)).toHaveLength(1);
  });

  it('asked for by many at the same moment is sent once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => start({ channel: 'sms' })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await carrier.messagesTo(number)).toHaveLength(1);
  });
});

describe('with time', () => {
  let clock: ScriptedClock;
  let rows: VerificationModel;
  let verifications: Verifications;
  const owner = () => ({
    tenant: tenantId as ReturnType<typeof newTenantId>,
    sandbox: true,
    userId: null,
  });

  beforeEach(async () => {
    const connection = await store.connect();
    rows = verificationModel(connection);
    await ensureIndexes(connection);
    clock = new ScriptedClock();
    verifications = new Verifications({
      verifications: rows,
      carriers: configuredCarriers(plane.platform.config.carriers),
      admitSpending: async () => {},
      quota: { take: async () => ({ giveBack: async () => {} }) },
      allowedCountries: async () => 'all' as const,
      from: undefined,
      secretsKeys: 'a key for tests',
      stamp: async () => ({ phoneIds: [], user: false }),
      clock,
      log: silentLog,
    });
  });

  it('a code expires after 10 minutes', async () => {
    await verifications.start(owner(), number, 'sms');
    await clock.advance(10 * 60_000);
    await expect(verifications.confirm(owner(), number, await codeSent())).rejects.toMatchObject({
      status: 410,
      code: 'verification_expired',
    });
  });

  it('at most 5 codes an hour go to one number; a new one replaces the one before', async () => {
    const codes: string[] = [];
    for (let i = 0; i < 5; i++) {
      await verifications.start(owner(), number, 'sms');
      codes.push(await codeSent());
      await clock.advance(60_000);
    }
    await expect(verifications.start(owner(), number, 'sms')).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 3300,
    });
    if (codes[3] !== codes[4]) {
      await expect(verifications.confirm(owner(), number, codes[3]!)).rejects.toMatchObject({
        code: 'verification_code_wrong',
      });
    }
    await clock.advance(3_300_000);
    await verifications.start(owner(), number, 'sms');
  });
});
