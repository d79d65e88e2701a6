import { beforeAll, describe, expect, it } from 'vitest';
import { runToEnd } from '../system/process.js';
import { SharedSystem } from './harness/shared-system.js';

let system: SharedSystem;
beforeAll(() => {
  system = new SharedSystem();
});

/** As a browser sends it from one of the service's own pages. */
const fromOwnPage = () => ({ origin: system.apiUrl, 'content-type': 'application/json' });

/** What the page does with a link: it takes the token out of the fragment and signs in by it. */
function signIn(link: string): Promise<Response> {
  const token = new URLSearchParams(new URL(link).hash.slice(1)).get('token');
  return fetch(`${system.apiUrl}/dashboard/session`, {
    method: 'POST',
    headers: fromOwnPage(),
    body: JSON.stringify({ token }),
  });
}
const cookieOf = (signedIn: Response) => signedIn.headers.get('set-cookie')!.split(';')[0]!;

const login = (...args: string[]) =>
  runToEnd({ entry: 'infra/dist/cli/login.js', args, env: { DATA_DIR: system.dataDir } });

describe('a start whose output is no terminal', () => {
  it('prints no link that signs in, and says how to get one', async () => {
    const lines = await bannerLines();
    expect(lines.find((line) => line.startsWith('Dashboard'))).toMatch(/^Dashboard +npm run login/);
    expect(lines.filter((line) => line.includes('token='))).toEqual([]);
  });
});

describe('a login link', () => {
  it('opens the dashboard, where the first key is created; it works once', async () => {
    const { stdout: link } = await login();
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dashboard#token=[\w-]{43}$/);

    const page = await fetch(link);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const script = /<script[^>]* src="([^"]+)"/.exec(await page.text())?.[1];
    expect((await fetch(new URL(script!, link))).status).toBe(200);

    const signedIn = await signIn(link);
    expect([signedIn.status, await signedIn.json()]).toMatchObject([201, { tenant_name: 'default' }]);
    const made = await fetch(`${system.apiUrl}/api/v1/keys`, {
      method: 'POST',
      headers: { ...fromOwnPage(), cookie: cookieOf(signedIn) },
      body: JSON.stringify({ name: 'first', sandbox: true }),
    });
    expect(made.status).toBe(201);
    const { key } = (await made.json()) as { key: string };
    const agents = await fetch(`${system.apiUrl}/api/v1/agents`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect([agents.status, await agents.json()]).toMatchObject([200, { agents: expect.any(Array) }]);

    const again = await signIn(link);
    expect([again.status, await again.json()]).toMatchObject([401, { code: 'login_link_invalid' }]);
  });
});

describe('npm run login', () => {
  it('prints a link alone on standard output; it signs in to the tenant that was named', async () => {
    const { code, stdout, stderr } = await login('--tenant', 'acme');
    expect([code, stderr]).toEqual([0, 'Open it within 15 minutes. Tenant: acme.']);
    const signedIn = await signIn(stdout);
    expect([signedIn.status, await signedIn.json()]).toMatchObject([201, { tenant_name: 'acme' }]);
    expect((await signIn(stdout)).status).toBe(401);
  });

  it('lets in to a session that ends by signing out', async () => {
    const cookie = cookieOf(await signIn((await login()).stdout));
    const session = () => fetch(`${system.apiUrl}/dashboard/session`, { headers: { cookie } });
    expect((await session()).status).toBe(200);
    const out = await fetch(`${system.apiUrl}/dashboard/session`, {
      method: 'DELETE',
      headers: { ...fromOwnPage(), cookie },
    });
    expect(out.status).toBe(204);
    expect((await session()).status).toBe(401);
  });
});

const END_OF_BANNER = 'Ctrl-C drains';

/** What the start has written, to both outputs. The banner comes with the readiness, though by another pipe. */
async function bannerLines(): Promise<string[]> {
  const endOf = (lines: readonly string[]) => lines.findIndex((line) => line.includes(END_OF_BANNER));
  await expect.poll(() => endOf(system.lines)).toBeGreaterThan(0);
  const { lines } = system;
  return lines.slice(0, endOf(lines) + 1).map((line) => line.trim());
}
