import { newId } from '@voice/shared/ids/ids';
import { Webhook } from 'svix';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';

const SECRET = `whsec_${Buffer.from('a secret of the identity provider').toString('base64')}`;
const PATH = '/api/v1/webhooks/clerk';

let store: TestStore;
let plane: TestControlPlane;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri, { env: { CLERK_WEBHOOK_SECRET: SECRET } });
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

const created = (id: string) => ({
  object: 'event',
  type: 'user.created',
  data: {
    id,
    email_addresses: [
      { id: 'idn_1', email_address: 'second@example.com' },
      { id: 'idn_2', email_address: 'first@example.com' },
    ],
    primary_email_address_id: 'idn_2',
    first_name: 'Ada',
    last_name: 'Lovelace',
  },
});

function signed(body: string, { at = new Date(), id = `msg_${newId()}`, secret = SECRET } = {}) {
  return {
    'svix-id': id,
    'svix-timestamp': String(Math.floor(at.getTime() / 1000)),
    'svix-signature': new Webhook(secret).sign(id, at, body),
  };
}

async function send(event: unknown, headers?: Record<string, string>) {
  const body = JSON.stringify(event);
  return plane.request('POST', PATH, { body, headers: headers ?? signed(body) });
}

/** To the address of the whole event stream, outside of the public contract. */
const SYNC_PATH = '/internal/identity/clerk';
async function sync(event: unknown, headers?: Record<string, string>) {
  const body = JSON.stringify(event);
  return plane.request('POST', SYNC_PATH, { body, headers: headers ?? signed(body) });
}
const deleted = (id: string) => ({ object: 'event', type: 'user.deleted', data: { id, deleted: true } });

const usersOf = (externalId: string) =>
  plane.platform.store.collection('users').find({ external_id: externalId }).toArray();

describe('POST /api/v1/webhooks/clerk', () => {
  it('is exempt from the bearer credential; a created user becomes a user with a tenant', async () => {
    const answer = await send(created('user_ada'));
    expect([answer.status, answer.json]).toEqual([
      200,
      { status: 'created', user_id: expect.any(String), tenant_id: expect.any(String) },
    ]);
    expect(await usersOf('user_ada')).toMatchObject([
      { email: 'first@example.com', name: 'Ada Lovelace', role: 'owner' },
    ]);
  });

  it('delivered again, also at the same time, creates nobody twice', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => send(created('user_twice'))));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await usersOf('user_twice')).toHaveLength(1);
  });

  // @rule 4.45
  it('acknowledges and ignores other event types', async () => {
    const answer = await send({ ...created('user_gone'), type: 'user.deleted' });
    expect([answer.status, answer.json]).toEqual([200, { status: 'ignored', type: 'user.deleted' }]);
    expect(await usersOf('user_gone')).toEqual([]);
  });

  // @rule 4.44
  it.each(['svix-id', 'svix-timestamp', 'svix-signature'])('requires the header %s', async (name) => {
    const event = created('user_unsigned');
    const { [name]: _left, ...headers } = signed(JSON.stringify(event)) as Record<string, string>;
    const answer = await send(event, headers);
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ['header', name], type: 'missing' }] });
  });

  it.each([
    ['another body', () => signed(JSON.stringify(created('user_other')))],
    [
      'another secret',
      () =>
        signed(JSON.stringify(created('user_forged')), {
          secret: `whsec_${Buffer.from('guess').toString('base64')}`,
        }),
    ],
    [
      'an old message',
      () => signed(JSON.stringify(created('user_forged')), { at: new Date(Date.now() - 6 * 60_000) }),
    ],
  ])('refuses a signature over %s', async (_what, headers) => {
    const answer = await send(created('user_forged'), headers());
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([401, 'invalid_signature']);
    expect(await usersOf('user_forged')).toEqual([]);
  });

  // @rule 4.45
  it('looks at nothing in a body before its signature: what is no event at all is unsigned first', async () => {
    const forged = await send({ nothing: 'of the kind' }, signed('another body'));
    expect([forged.status, (forged.json as { code: string }).code]).toEqual([401, 'invalid_signature']);
    const unsigned = await send({ nothing: 'of the kind' }, {});
    expect(unsigned.json).toMatchObject({ detail: [{ loc: ['header', 'svix-id'] }, {}, {}] });
  });

  it('refuses a signed user without an id as invalid, and without a secret everything', async () => {
    expect((await send({ type: 'user.created', data: {} })).status).toBe(422);
    const closed = await startTestControlPlane(store.uri);
    const body = JSON.stringify(created('user_forged'));
    const answer = await closed.request('POST', PATH, { body, headers: signed(body) });
    await closed.close();
    expect(answer.status).toBe(401);
  });
});

describe('POST /internal/identity/clerk', () => {
  const sameOrigin = { 'sec-fetch-site': 'same-origin' };

  /** A person with a session, a login link not yet used, and two keys. */
  async function person(id: string) {
    const made = (await sync(created(id))).json as { user_id: string; tenant_id: string };
    const row = await plane.platform.store.collection('tenants').findOne({ _id: made.tenant_id as never });
    const link = async () => {
      const answer = await plane.internal('POST', '/internal/dashboard/login-links', { tenant: row!.name });
      return new URL((answer.json as { url: string }).url).hash.slice('#token='.length);
    };
    const signIn = (token: string) =>
      plane.request('POST', '/dashboard/session', { body: { token }, headers: sameOrigin });
    const cookie = (await signIn(await link())).headers.get('set-cookie')!.split(';')[0]!;
    const first = await plane.newKey({ tenant: String(row!.name) });
    await plane.request('POST', '/api/v1/keys', {
      body: { name: 'of the session', sandbox: true },
      headers: { cookie, ...sameOrigin },
    });
    return { ...made, cookie, unusedLink: await link(), signIn, key: first.key };
  }
  const session = async (cookie: string) =>
    (await plane.request('GET', '/dashboard/session', { headers: { cookie } })).status;
  const keysOf = async (key: string) =>
    ((await plane.request('GET', '/api/v1/keys', { key })).json as { keys: { review: unknown }[] }).keys;

  it('a deleted user: ends their sessions and links, and marks their keys for review', async () => {
    const gone = await person('user_leaves');
    const stays = await person('user_stays');
    expect(await keysOf(gone.key)).toMatchObject([{ review: null }, { review: null }]);

    const answer = await sync(deleted('user_leaves'));
    expect([answer.status, answer.json]).toEqual([
      200,
      { status: 'deleted', user_id: gone.user_id, tenant_id: gone.tenant_id },
    ]);
    expect(await session(gone.cookie)).toBe(401);
    expect((await gone.signIn(gone.unusedLink)).status).toBe(401);
    // Programs go on: somebody decides about their keys.
    const review = { reason: 'creator_deleted', since: expect.any(String) };
    expect(await keysOf(gone.key)).toMatchObject([{ review }, { review }]);

    expect(await session(stays.cookie)).toBe(200);
    expect(await keysOf(stays.key)).toMatchObject([{ review: null }, { review: null }]);
  });

  it('a deletion delivered again changes nothing more', async () => {
    const gone = await person('user_leaves_twice');
    await sync(deleted('user_leaves_twice'));
    const [first] = await keysOf(gone.key);
    expect((await sync(deleted('user_leaves_twice'))).json).toMatchObject({ status: 'deleted' });
    expect((await keysOf(gone.key))[0]).toEqual(first);
  });

  it('a deleted user does not come back by a creation that arrives late', async () => {
    expect((await sync(deleted('user_never_seen'))).json).toEqual({ status: 'deleted' });
    for (const send_ of [sync, send]) {
      expect((await send_(created('user_never_seen'))).json).toMatchObject({ status: 'ignored' });
    }
    expect(await usersOf('user_never_seen')).toEqual([]);
  });

  it('a created user and the other types, as the public intake', async () => {
    expect((await sync(created('user_synced'))).json).toMatchObject({ status: 'created' });
    const updated = await sync({ ...created('user_synced'), type: 'user.updated' });
    expect(updated.json).toEqual({ status: 'ignored', type: 'user.updated' });
  });

  it('takes nothing that the identity provider did not sign', async () => {
    const stays = await person('user_forged');
    const answer = await sync(deleted('user_forged'), signed('another body'));
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([401, 'invalid_signature']);
    expect(await session(stays.cookie)).toBe(200);
  });
});
