import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { asTenantId, newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../platform/http/roles.js';
import {
  startTestControlPlane,
  type TestAnswer,
  type TestControlPlane,
} from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { DashboardModule } from '../dashboard/module.js';
import type { TenantsService } from '../tenants/service.js';
import { UsersService } from '../users/service.js';
import { acceptInvitation } from './accepting.js';
import { INVITATION_LIFE_MS, Invitations } from './invitations.js';

interface Member {
  readonly id: string;
  readonly name: string | null;
  readonly role: Role;
  readonly last_seen_at: string | null;
}
type Headers = Readonly<Record<string, string>>;

let store: TestStore;
let plane: TestControlPlane;
const clock = new ScriptedClock(Date.now());

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri, { clock });
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

const code = ({ json }: TestAnswer) => (json as { code?: string }).code;
const tokenOf = ({ json }: TestAnswer) => new URL((json as { url: string }).url).hash.slice('#token='.length);
const open = (token: string) =>
  plane.request('POST', '/dashboard/session', {
    body: { token },
    headers: { 'sec-fetch-site': 'same-origin' },
  });

/** Signs in by a link; what to ask with from then on. */
async function sessionBy(made: TestAnswer): Promise<Headers> {
  const { headers } = await open(tokenOf(made));
  return { cookie: headers.get('set-cookie')!.split(';')[0]!, 'sec-fetch-site': 'same-origin' };
}

const killed = () => Promise.reject(new Error('killed'));

/** What another replica accepts invitations with. */
async function accepting() {
  const options = { store: await store.connect(), clock, cursors: plane.platform.cursors };
  const invitations = new Invitations(options);
  const users = new UsersService({ ...options, tenants: {} as TenantsService });
  return {
    invitations: {
      find: invitations.find.bind(invitations),
      use: invitations.use.bind(invitations),
      isRevoked: invitations.isRevoked.bind(invitations),
      revoke: invitations.revoke.bind(invitations),
    },
    users: {
      addInvited: users.addInvited.bind(users),
      removeInvited: users.removeInvited.bind(users),
    },
  };
}

/** A tenant with its owner signed in. */
async function tenant() {
  const name = `tenant ${Math.random()}`;
  const link = await plane.internal('POST', '/internal/dashboard/login-links', { tenant: name });
  const owner = await sessionBy(link);
  const ask = (method: string, path: string, body?: object, headers = owner) =>
    plane.request(method, `/api/v1${path}`, { headers, ...(body === undefined ? {} : { body }) });
  const invite = (role: Role, called = 'Ada') => ask('POST', '/invitations', { name: called, role });
  const members = async () => ((await ask('GET', '/members')).json as { members: Member[] }).members;
  const idOf = async (called: string) => (await members()).find((each) => each.name === called)!.id;
  return { name, owner, ask, invite, members, idOf };
}

describe('an invitation', () => {
  it('makes a member of who opens its link, once, and signs them in', async () => {
    const { ask, invite, members } = await tenant();
    const made = await invite('operator');
    expect(made.status).toBe(201);
    expect((await ask('GET', '/invitations')).json).toMatchObject({ invitations: [{ name: 'Ada' }] });
    const opened = await Promise.all([open(tokenOf(made)), open(tokenOf(made))]);
    expect(opened.map(({ status }) => status).sort()).toEqual([201, 401]);
    const signedIn = opened.find(({ status }) => status === 201)!;
    expect(signedIn.json).toMatchObject({ member: { name: 'Ada' }, role: 'operator' });
    expect((await ask('GET', '/invitations')).json).toMatchObject({ invitations: [] });
    const roles = Object.fromEntries((await members()).map(({ name, role }) => [name, role]));
    expect(roles).toEqual({ Ada: 'operator', null: 'owner' });
  });

  it('cannot be accepted after a week, nor once it is revoked', async () => {
    const { ask, invite } = await tenant();
    const [old, revoked, foreign] = [await invite('viewer'), await invite('viewer'), await tenant()];
    const path = `/invitations/${(revoked.json as { id: string }).id}`;
    expect((await foreign.ask('DELETE', path)).status).toBe(404);
    expect((await ask('DELETE', path)).status).toBe(204);
    clock.advance(INVITATION_LIFE_MS);
    for (const made of [old, revoked]) expect(code(await open(tokenOf(made)))).toBe('login_link_invalid');
  });

  it('is accepted by the same link where that was cut short, before or after its member was written', async () => {
    const { invite, members, idOf } = await tenant();
    const [before, after] = [await invite('operator'), await invite('viewer', 'Grace')];
    const dying = await accepting();
    const users = { ...dying.users, addInvited: killed };
    await expect(acceptInvitation({ ...dying, users }, tokenOf(before))).rejects.toThrow('killed');
    expect(await members()).toHaveLength(1);
    expect(await open(tokenOf(before))).toMatchObject({ status: 201, json: { member: { name: 'Ada' } } });

    const invitations = { ...dying.invitations, use: killed };
    await expect(acceptInvitation({ ...dying, invitations }, tokenOf(after))).rejects.toThrow('killed');
    expect((await open(tokenOf(after))).json).toMatchObject({ member: { id: await idOf('Grace') } });
    expect(await members()).toHaveLength(3);
    expect((await open(tokenOf(after))).status).toBe(401);
  });

  it('makes no member once it is revoked, also where it is being accepted', async () => {
    const { ask, invite, members } = await tenant();
    const dying = await accepting();
    const [cutShort, raced] = [await invite('owner'), await invite('owner', 'Grace')];
    const revoke = ({ json }: TestAnswer) => ask('DELETE', `/invitations/${(json as { id: string }).id}`);
    const invitations = { ...dying.invitations, use: killed };
    await expect(acceptInvitation({ ...dying, invitations }, tokenOf(cutShort))).rejects.toThrow('killed');
    expect((await revoke(cutShort)).status).toBe(204);
    expect((await revoke(cutShort)).status).toBe(404);
    const { addInvited } = dying.users;
    const users = {
      ...dying.users,
      addInvited: async (...invited: Parameters<typeof addInvited>) => {
        await revoke(raced);
        return addInvited(...invited);
      },
    };
    expect(await acceptInvitation({ ...dying, users }, tokenOf(raced))).toBeNull();
    expect(await members()).toHaveLength(1);
    expect((await ask('GET', '/invitations')).json).toMatchObject({ invitations: [] });
  });

  it('is stored without its token', async () => {
    const made = await (await tenant()).invite('viewer');
    const rows = await (await store.connect()).db!.collection('invitations').find().toArray();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(tokenOf(made));
  });
});

describe('a member', () => {
  it('has a role that holds from their next request on', async () => {
    const { ask, invite, idOf } = await tenant();
    const ada = await sessionBy(await invite('viewer'));
    const create = () => ask('POST', '/agents', { name: 'A', system_prompt: 'x' }, ada);
    expect(await create()).toMatchObject({
      status: 403,
      json: { code: 'role_insufficient', required_role: 'developer', role: 'viewer' },
    });
    await ask('PATCH', `/members/${await idOf('Ada')}`, { role: 'developer' });
    expect((await create()).status).toBe(201);
  });

  it('who is removed is signed out at once, and cannot sign in by a link from before', async () => {
    const { ask, invite, idOf } = await tenant();
    const ada = await sessionBy(await invite('developer'));
    const key = await ask('POST', '/keys', { name: 'hers' }, ada);
    const id = await idOf('Ada');
    const link = await ask('POST', `/members/${id}/login-link`);
    expect((await ask('DELETE', `/members/${id}`)).status).toBe(204);
    expect(code(await ask('GET', '/agents', undefined, ada))).toBe('session_expired');
    expect(code(await open(tokenOf(link)))).toBe('login_link_invalid');
    expect((await ask('GET', `/members/${id}`)).status).toBe(404);
    const { keys } = (await ask('GET', '/keys')).json as { keys: { id: string; review: unknown }[] };
    expect(keys.find((each) => each.id === (key.json as { id: string }).id)?.review).not.toBeNull();
  });

  it('whose removal was cut short has their keys marked when it is asked for again', async () => {
    const { ask, invite, idOf } = await tenant();
    const ada = await sessionBy(await invite('developer'));
    const { json: made } = await ask('POST', '/keys', { name: 'hers' }, ada);
    const id = await idOf('Ada');
    const rows = plane.platform.store.collection<{ _id: string }>('users');
    await rows.updateOne({ _id: id }, { $set: { deleted_at: new Date() } });
    expect((await ask('DELETE', `/members/${id}`)).status).toBe(404);
    const { keys } = (await ask('GET', '/keys')).json as { keys: { id: string; review: unknown }[] };
    expect(keys.find((key) => key.id === (made as { id: string }).id)?.review).not.toBeNull();
  });

  it('who is removed, lowered or signed out is recalled so: streams that they opened end', async () => {
    const { ask, owner, invite, idOf } = await tenant();
    const { tenantSessions } = plane.modules.find(({ name }) => name === 'dashboard') as DashboardModule;
    const sessionOf = async ({ cookie }: Headers) => {
      const header = (name: string) => ({ cookie })[name];
      return (await tenantSessions.find({ method: 'GET', header }))!;
    };
    const ada = await sessionBy(await invite('operator'));
    const [hers, mine] = [await sessionOf(ada), await sessionOf(owner)];
    const recalled = ({ keyId, tenant } = hers) => tenantSessions.recall({ keyId, tenant, sandbox: true });
    expect(await recalled()).toEqual({ role: 'operator' });
    await ask('PATCH', `/members/${hers.userId}`, { role: 'viewer' });
    expect(await recalled()).toEqual({ role: 'viewer' });
    expect(await recalled({ ...hers, tenant: asTenantId(newId()) })).toBeNull();
    await ask('DELETE', `/members/${await idOf('Ada')}`);
    expect(await recalled()).toBeNull();
    expect(await recalled(mine)).toEqual({ role: 'owner' });
    await plane.request('DELETE', '/dashboard/session', { headers: owner });
    expect(await recalled(mine)).toBeNull();
  });

  it('comes back by a link that an owner makes', async () => {
    const { ask, invite, idOf } = await tenant();
    await sessionBy(await invite('operator'));
    const opened = await open(tokenOf(await ask('POST', `/members/${await idOf('Ada')}/login-link`)));
    expect(opened.json).toMatchObject({ member: { name: 'Ada' }, role: 'operator' });
  });

  it('is not replayed the link of another by a key of their own', async () => {
    const { owner, ask, invite, idOf, members } = await tenant();
    const ada = await sessionBy(await invite('developer'));
    const { key } = (await ask('POST', '/keys', { name: 'hers', sandbox: false }, ada)).json as {
      key: string;
    };
    const me = (await members()).find(({ role }) => role === 'owner')!.id;
    expect(await idOf('Ada')).not.toBe(me);
    const again = { 'idempotency-key': 'link' };
    const path = `/members/${me}/login-link`;
    const link = await ask('POST', path, undefined, { ...owner, ...again });
    const same = await ask('POST', path, undefined, { ...owner, ...again });
    expect([link.status, same.json]).toEqual([201, link.json]);
    const replayed = await plane.request('POST', `/api/v1${path}`, { key, headers: again });
    expect([replayed.status, code(replayed)]).toEqual([422, 'idempotency_key_reused']);
  });

  it('is not replayed the key that an owner has made, which would speak for the owner', async () => {
    const { owner, ask, invite } = await tenant();
    const ada = await sessionBy(await invite('developer'));
    const again = { 'idempotency-key': 'deploy' };
    const make = (who: Record<string, string>) =>
      ask('POST', '/keys', { name: 'deploy', sandbox: false }, { ...who, ...again });
    const made = await make(owner);
    expect([made.status, (await make(owner)).json]).toEqual([201, made.json]);
    const replayed = await make(ada);
    expect([replayed.status, code(replayed)]).toEqual([422, 'idempotency_key_reused']);
  });

  it('is seen when they sign in and ask for something, to five minutes', async () => {
    const { ask, invite, members } = await tenant();
    const ada = await sessionBy(await invite('viewer'));
    const seen = async () => (await members()).find(({ name }) => name === 'Ada')!.last_seen_at;
    const signedInAt = new Date(clock.now()).toISOString();
    clock.advance(5 * 60_000 - 1);
    await ask('GET', '/agents', undefined, ada);
    expect(await seen()).toBe(signedInAt);
    clock.advance(1);
    await ask('GET', '/agents', undefined, ada);
    expect(await seen()).toBe(new Date(clock.now()).toISOString());
  });

  it('is the author of what they save', async () => {
    const { ask, invite, idOf } = await tenant();
    const ada = await sessionBy(await invite('developer'));
    const { json } = await ask('POST', '/agents', { name: 'A', system_prompt: 'x' }, ada);
    const path = `/agents/${(json as { id: string }).id}`;
    await ask('PATCH', path, { name: 'B' });
    const { versions } = (await ask('GET', `${path}/versions`)).json as { versions: { author: unknown }[] };
    expect(versions.map(({ author }) => author)).toMatchObject([
      { type: 'member', name: 'owner' },
      { type: 'member', id: await idOf('Ada'), name: 'Ada' },
    ]);
  });
});

describe('the last owner', () => {
  it('is neither removed nor lowered', async () => {
    const { ask, members } = await tenant();
    const { id } = (await members())[0]!;
    expect(await ask('PATCH', `/members/${id}`, { role: 'developer' })).toMatchObject({
      status: 409,
      json: { code: 'last_owner' },
    });
    expect(code(await ask('DELETE', `/members/${id}`))).toBe('last_owner');
    expect((await ask('PATCH', `/members/${id}`, { name: 'Grace' })).json).toMatchObject({ role: 'owner' });
  });

  it('is made anew by the operator’s link where the identity provider has deleted them all', async () => {
    const { name, invite } = await tenant();
    await sessionBy(await invite('developer'));
    const users = (await store.connect()).db!.collection('users');
    const { tenantId } = await plane.newKey({ tenant: name });
    await users.updateMany({ tenant_id: tenantId, role: 'owner' }, { $set: { deleted_at: new Date() } });
    const link = await plane.internal('POST', '/internal/dashboard/login-links', { tenant: name });
    expect((await open(tokenOf(link))).json).toMatchObject({ role: 'owner' });
  });

  it('stays also when two owners remove each other at the same moment', async () => {
    const { ask, invite, members, owner, idOf } = await tenant();
    const ada = await sessionBy(await invite('owner'));
    const [hers, mine] = [await idOf('Ada'), (await members()).find(({ name }) => name === null)!.id];
    await Promise.all([
      ask('PATCH', `/members/${mine}`, { role: 'viewer' }, ada),
      ask('PATCH', `/members/${hers}`, { role: 'viewer' }, owner),
    ]);
    expect((await members()).filter(({ role }) => role === 'owner').length).toBeGreaterThanOrEqual(1);
  });
});

describe('an API key', () => {
  it('manages members only while an owner made it, and in production', async () => {
    const { name, ask, invite } = await tenant();
    const body = { name: 'B', role: 'owner' };
    const by = (key: string) => plane.request('POST', '/api/v1/invitations', { key, body });
    const [live, test] = [
      await plane.newKey({ tenant: name, sandbox: false }),
      await plane.newKey({ tenant: name }),
    ];
    expect((await by(live.key)).status).toBe(201);
    expect(code(await by(test.key))).toBe('live_mode_required');
    const developer = await sessionBy(await invite('developer'));
    const made = await ask('POST', '/keys', { name: 'theirs' }, developer);
    expect(await by((made.json as { key: string }).key)).toMatchObject({
      status: 403,
      json: { code: 'role_insufficient', required_role: 'owner', role: 'developer' },
    });
  });
});
