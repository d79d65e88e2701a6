import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '@voice/shared/ids/ids';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { LEAST_ROLES, leastRoleOf, type Role, rolesFrom } from '../platform/http/roles.js';
import { actsForTenant, choosesMode, isMutating, takesSessions } from '../platform/http/route-traits.js';
import { startTestControlPlane, type TestAnswer, type TestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { WebhookReceiver } from '../testing/webhook-receiver.js';
import { acceptedBody } from './body-arbitrary.js';
import { concretePath, isId, type Operation, operationsOf } from './operations.js';
import {
  POPULATED_ENV,
  type PopulatedTenant,
  populate,
  settledSnapshot,
  snapshotOf,
} from './populated-tenant.js';

type Headers = Record<string, string>;

/** Of the sandbox: it has no powers of production; and there is no such code. */
const EXPECTED_403 = ['verification_code_wrong', 'live_mode_required', 'sandbox_number_required'];
const ISSUER = 'https://identity.example';
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };
const SANDBOX = { 'x-sandbox': 'true' };

let store: TestStore;
let connection: Connection;
let receiver: WebhookReceiver;
let identity: Server;
let plane: TestControlPlane;
let theirs: PopulatedTenant;
let cookie: string;
let jwt: string;
/** What takes a session, as the description says. */
let open: readonly Operation[];
let all: readonly Operation[];

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' };
  identity = createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] })),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => identity.once('listening', resolve));
  store = await startTestStore();
  connection = await store.connect();
  receiver = await WebhookReceiver.start();
  plane = await startTestControlPlane(store.uri, {
    env: {
      ...POPULATED_ENV,
      IDENTITY_JWKS_URL: `http://127.0.0.1:${(identity.address() as AddressInfo).port}/`,
      IDENTITY_ISSUER: ISSUER,
    },
  });
  theirs = await populate(plane, connection, receiver);
  cookie = await signIn();
  const { tenantId } = await plane.newKey();
  await connection.db!.collection<{ _id: string }>('users').insertOne({
    _id: newId(),
    ...{ tenant_id: tenantId, external_id: 'user_ada', created_at: new Date() },
  });
  jwt = await new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setSubject('user_ada')
    .setIssuer(ISSUER)
    .setExpirationTime('1 hour')
    .sign(privateKey);
  all = await operationsOf(plane);
  open = all.filter(({ route }) => takesSessions(route));
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
  await receiver?.close();
  identity?.close();
});

/** The cookie of a new tenant's session: of its owner, or of somebody who was invited. */
async function signIn(role: Role = 'owner'): Promise<string> {
  const link = await plane.internal('POST', '/internal/dashboard/login-links', {
    tenant: `t ${Math.random()}`,
  });
  const owner = await openLink(link);
  if (role === 'owner') return owner;
  const headers = { cookie: owner, ...SAME_ORIGIN };
  return openLink(
    await plane.request('POST', '/api/v1/invitations', { headers, body: { name: role, role } }),
  );
}

/** Signs in by a link that was made. */
async function openLink({ json }: TestAnswer): Promise<string> {
  const token = new URL((json as { url: string }).url).hash.slice('#token='.length);
  const answer = await plane.request('POST', '/dashboard/session', { body: { token }, headers: SAME_ORIGIN });
  return answer.headers.get('set-cookie')!.split(';')[0]!;
}

function send(operation: Operation, headers: Record<string, string>): Promise<TestAnswer> {
  const { route, method } = operation;
  const body = route.bodyType === 'stream' || !isMutating(method) ? undefined : acceptedBody(route);
  const path = concretePath(operation, (name) => theirs.ids[name] ?? name);
  return plane.request(method.toUpperCase(), path, { body, headers });
}
const code = ({ json }: TestAnswer) => (json as { code?: string } | undefined)?.code;
const named = ({ method, path }: Operation) => `${method.toUpperCase()} ${path}`;
/** Those of the operations for which the condition does not hold, with what they answered. */
async function unlike(
  operations: readonly Operation[],
  headers: Record<string, string>,
  condition: (answer: TestAnswer, operation: Operation) => boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const operation of operations) {
    const answer = await send(operation, headers);
    if (!condition(answer, operation)) {
      wrong.push(`${named(operation)}: ${answer.status} ${answer.text.slice(0, 200)}`);
    }
  }
  return wrong;
}

describe('a session of the dashboard or of the identity provider', () => {
  // @rule 5.15
  it('is a credential of everything but what dials for programs', () => {
    const keyOnly = all.filter(({ route, guarded }) => guarded && !takesSessions(route));
    expect(keyOnly.map(named)).toEqual(['POST /api/v1/calls']);
  });

  it("is accepted everywhere else, and reaches nothing of another tenant's", async () => {
    const before = await settledSnapshot(connection, theirs.tenantId);
    const sessions: Headers[] = [{ cookie, ...SAME_ORIGIN }, { authorization: `Bearer ${jwt}` }];
    for (const session of sessions) {
      const isOfId = ({ parameters }: Operation) => parameters.some(isId);
      // What is production's alone has nothing in the sandbox that it could find.
      const isInSandbox = (each: Operation) => !isOfId(each) || each.route.auth !== 'tenant_live';
      const accepted = (answer: TestAnswer, each: Operation) =>
        isOfId(each)
          ? answer.status === 404 || code(answer) === 'validation_error'
          : ![401, 403].includes(answer.status) || EXPECTED_403.includes(code(answer) ?? '');
      expect(await unlike(open.filter(isInSandbox), { ...session, ...SANDBOX }, accepted)).toEqual([]);
      expect(
        await unlike(
          open.filter((each) => !isInSandbox(each)),
          session,
          accepted,
        ),
      ).toEqual([]);
    }
    expect(await snapshotOf(connection, theirs.tenantId)).toBe(before);
  });

  // @rule 5.15
  it('in a cookie changes nothing for a request of another site (CSRF); a bearer token needs no origin', async () => {
    const mutating = open.filter(({ method }) => isMutating(method));
    const origins: Headers[] = [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }];
    for (const origin of origins) {
      const wrong = await unlike(mutating, { cookie, ...SANDBOX, ...origin }, (answer) => {
        return answer.status === 403 && code(answer) === 'cross_site_request';
      });
      expect(wrong).toEqual([]);
    }
    const bearer = await unlike(mutating, { authorization: `Bearer ${jwt}`, ...SANDBOX }, (answer) => {
      return code(answer) !== 'cross_site_request';
    });
    expect(bearer).toEqual([]);
  });

  // @rule 5.15
  it('in a cookie opens a WebSocket for our own pages alone; a bearer token needs no origin', async () => {
    const open = (headers: Headers) =>
      new Promise<number | undefined>((resolve, reject) => {
        const url = `${plane.url.replace(/^http/, 'ws')}/api/v1/webhooks/listen`;
        const socket = new WebSocket(url, { headers: { ...headers, ...SANDBOX } });
        socket.once('open', () => {
          resolve(101);
          socket.close();
        });
        socket.once('unexpected-response', (_request, answer) => resolve(answer.statusCode));
        socket.once('error', reject);
      });
    const origins: Headers[] = [
      {},
      { origin: 'https://evil.example' },
      // From a neighbouring domain, which SameSite lets in; the site alone says nothing here.
      { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-origin' },
    ];
    for (const origin of origins) expect(await open({ cookie, ...origin })).toBe(403);
    expect(await open({ cookie, origin: new URL(plane.url).origin })).toBe(101);
    expect(await open({ authorization: `Bearer ${jwt}` })).toBe(101);
  });

  // @rule 5.15
  it('chooses the mode wherever sandbox and production differ; production when it does not', async () => {
    const [inMode, alike] = [true, false].map((differs) =>
      open.filter(({ route }) => choosesMode(route) === differs),
    );
    expect(inMode!.length).toBeGreaterThan(15);
    const asksForMode = (answer: TestAnswer) =>
      answer.status === 422 && /"loc":\["header","X-Sandbox"\]/.test(answer.text);
    const session = { cookie, ...SAME_ORIGIN };
    expect(await unlike(inMode!, session, (answer) => !asksForMode(answer))).toEqual([]);
    expect(await unlike(inMode!, { ...session, 'x-sandbox': 'maybe' }, asksForMode)).toEqual([]);
    expect(await unlike(alike!, session, (answer) => !asksForMode(answer))).toEqual([]);
  });
});

describe('the role of who is signed in', () => {
  // Each operation once: by the highest role that may not do it.
  it.each([
    ['viewer', 'operator'],
    ['operator', 'developer'],
    ['developer', 'owner'],
  ] as const)('%s may not do what needs %s', async (role, least) => {
    const session = { cookie: await signIn(role), ...SAME_ORIGIN };
    const forbidden = open.filter(({ route }) => leastRoleOf(route) === least);
    expect(forbidden.length).toBeGreaterThan(5);
    const refused = await unlike(forbidden, session, ({ status, json }) => {
      const refusal = json as { code?: string; required_role?: string };
      return status === 403 && refusal.code === 'role_insufficient' && refusal.required_role === least;
    });
    expect(refused).toEqual([]);
  });

  it('viewer may read everything else', async () => {
    const session = { cookie: await signIn('viewer'), ...SAME_ORIGIN };
    const reads = open.filter(({ route }) => leastRoleOf(route) === 'viewer');
    expect(reads.filter(({ method }) => isMutating(method)).map(named)).toEqual([]);
    expect(await unlike(reads, session, (answer) => code(answer) !== 'role_insufficient')).toEqual([]);
  });

  it('is decided for every operation, and described', async () => {
    const routes = plane.modules.flatMap((module) => module.routes ?? []).filter(actsForTenant);
    const names = routes.map(({ operationId }) => operationId).sort();
    expect(names, 'decide it in platform/http/roles.ts').toEqual([...LEAST_ROLES.keys()].sort());
    const { json } = await plane.request('GET', '/v1/openapi.json');
    const { paths } = json as { paths: Record<string, Record<string, { 'x-roles'?: readonly string[] }>> };
    for (const { route, path, method, guarded } of all) {
      const described = paths[path]![method]!['x-roles'];
      expect([route.operationId, described]).toEqual([
        route.operationId,
        guarded ? rolesFrom(leastRoleOf(route)) : undefined,
      ]);
    }
  });
});

describe('the mode', () => {
  const numbers = async (headers: Record<string, string>, key?: string) => {
    const request = { headers, ...(key === undefined ? {} : { key }) };
    const { json } = await plane.request('GET', '/api/v1/phones', request);
    return (json as { phone_numbers: unknown[] }).phone_numbers.length;
  };

  it('of a session is what the request says, and production where it says nothing', async () => {
    const mine = await signIn();
    // The sandbox has its caller id, production nothing yet.
    expect(await numbers({ cookie: mine, 'x-sandbox': 'true' })).toBe(1);
    expect(await numbers({ cookie: mine, 'x-sandbox': 'false' })).toBe(0);
    expect(await numbers({ cookie: mine })).toBe(0);
  });

  // @rule 5.3
  it('of a key is that of its prefix, whatever the request says', async () => {
    const tenant = `both ${Math.random()}`;
    const [test, live] = [await plane.newKey({ tenant }), await plane.newKey({ tenant, sandbox: false })];
    expect(await numbers({ 'x-sandbox': 'false' }, test.key)).toBe(1);
    expect(await numbers({ 'x-sandbox': 'true' }, live.key)).toBe(0);
  });

  it('is never what is no mode: the request is refused, with a key as well', async () => {
    const { key: live } = await plane.newKey({ sandbox: false });
    for (const value of ['maybe', '1', '']) {
      const answer = await plane.request('GET', '/api/v1/phones', {
        key: live,
        headers: { 'x-sandbox': value },
      });
      expect([value, answer.status]).toEqual([value, 422]);
      expect(answer.text).toContain('"loc":["header","X-Sandbox"]');
    }
  });
});
