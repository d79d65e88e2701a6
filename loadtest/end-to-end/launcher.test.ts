import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LaunchedSystem } from '../system/launched-system.js';
import { runToEnd } from '../system/process.js';
import { isOver, Tenant } from '../system/tenant.js';
import { quickAgent } from './harness/quick-agent.js';
import { SharedSystem } from './harness/shared-system.js';

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

let first: SharedSystem;
/** Is harmed, stopped and started again. */
let second: LaunchedSystem;
beforeAll(async () => {
  first = new SharedSystem();
  second = await LaunchedSystem.start();
});
afterAll(() => second?.stop());

const cli = (name: 'key' | 'call' | 'migrate' | 'secrets', dataDir: string, ...args: string[]) =>
  runToEnd({ entry: `infra/dist/cli/${name}.js`, args, env: { DATA_DIR: dataDir } });

describe('two systems side by side', () => {
  it('each run their own calls', async () => {
    const tenants = await Promise.all([first, second].map((system) => Tenant.create(system)));
    const ends = tenants.map(async (tenant) => {
      const callId = await tenant.dial('busy');
      return (await tenant.untilStatus(callId, isOver, 120_000)).status;
    });
    expect(await Promise.all(ends)).toEqual(['BUSY', 'BUSY']);
  });

  it('do not share a port: the second says which variable to change, and starts nothing', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'voice-e2e-'));
    const port = new URL(first.apiUrl).port;
    const refused = LaunchedSystem.launch({ DATA_DIR: dataDir, PORT: port });
    expect(await refused.exited).toBe(1);
    expect(refused.errorLines.join('\n')).toContain(`Port ${port} (PORT) is taken.`);
    rmSync(dataDir, { recursive: true });
  });

  it('do not share a data directory', async () => {
    const refused = LaunchedSystem.launch({ DATA_DIR: first.dataDir });
    expect(await refused.exited).toBe(1);
    expect(refused.errorLines.join('\n')).toContain('Another launcher');
  });
});

describe('health', () => {
  it('is reported by both planes', async () => {
    const worker = `http://127.0.0.1:${first.process('worker').port}`;
    for (const url of [first.apiUrl, worker]) {
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    }
  });
});

describe('npm run key', () => {
  it('prints the key alone on standard output, and the key works', async () => {
    const { code, stdout } = await cli(
      'key',
      first.dataDir,
      '--name',
      'mine',
      '--sandbox',
      '--tenant',
      'acme',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^sk_test_[\w-]{32}$/);
    const answer = await fetch(`${first.apiUrl}/api/v1/agents`, {
      headers: { authorization: `Bearer ${stdout}` },
    });
    expect(answer.status).toBe(200);
  });

  it('makes a live key where no sandbox is asked for', async () => {
    expect((await cli('key', first.dataDir, '--name', 'mine')).stdout).toMatch(/^sk_live_[\w-]{32}$/);
  });

  it('says what to do when nothing runs', async () => {
    const { code, stdout, stderr } = await cli('key', join(tmpdir(), 'voice-nothing-here'), '--name', 'mine');
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('npm start');
  });
});

describe('npm run migrate', () => {
  it('finds the store of the running system, whose start has brought it up to date', async () => {
    const { code, stdout } = await cli('migrate', first.dataDir, '--dry-run');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/Indexes\n {2}are as declared\.\nThe store is up to date\.$/),
    ]);
  });
});

describe('npm run call', () => {
  it('follows a call to its end', async () => {
    const { code, stdout, stderr } = await cli('call', first.dataDir, '--person', 'busy');
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/Calling \+15005550010[\s\S]*· busy/);
  });
});

describe('a process that dies', () => {
  it.each(['store', 'control-plane', 'carrier', 'worker'])(
    'is started again at its place: calls are taken again after a %s was killed, and what was stored is there',
    async (role) => {
      const tenant = await Tenant.create(second, quickAgent);
      const before = await tenant.dial('busy');
      await tenant.untilStatus(before, isOver, 120_000);
      const { pid, name } = second.process(role);
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => second.process(role).pid, { timeout: 90_000 }).not.toBe(pid);
      expect(second.launcher.errorLines.join('\n')).toContain(
        `!!! ${name} ended unexpectedly (SIGKILL); it is started again`,
      );
      const readyz = async () => (await (await fetch(`${second.apiUrl}/readyz`)).json()) as object;
      await vi.waitFor(
        async () => expect(await readyz()).toMatchObject({ status: 'ready', workers: { with_room: 1 } }),
        { timeout: 120_000, interval: 200 },
      );
      const after = await tenant.dial('busy');
      expect((await tenant.untilStatus(after, isOver, 120_000)).status).toBe('BUSY');
      expect(await tenant.detail(before)).toMatchObject({ id: before, status: 'BUSY' });
    },
  );
});

describe('npm run restart', () => {
  it('replaces both planes, and neither a live call nor one that is placed meanwhile fails', async () => {
    const tenant = await Tenant.create(second, quickAgent);
    const planes = () =>
      second.runtime.processes.filter(({ role }) => role === 'worker' || role === 'control-plane');
    const old = planes().map(({ pid }) => pid);
    const live = await tenant.dial('hangs_up');
    await tenant.untilStatus(live, ({ status }) => status === 'IN_PROGRESS', 120_000);
    const restarted = runToEnd({
      entry: 'infra/dist/cli/restart.js',
      args: [],
      env: { DATA_DIR: second.dataDir },
    });
    // The only worker drains: this call waits for its successor.
    await expect.poll(() => second.launcher.errorLines.join(), { timeout: 60_000 }).toContain('restarting');
    const waiting = await tenant.dial('busy');
    const { code, stdout } = await restarted;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^worker-1 is new .*\ncontrol-plane is new /);
    expect(planes().filter(({ pid }) => old.includes(pid))).toEqual([]);
    expect((await tenant.untilStatus(live, isOver, 120_000)).end_reason).toBe('caller_hangup');
    expect((await tenant.untilStatus(waiting, isOver, 120_000)).status).toBe('BUSY');
  });
});

const secrets = (command: string) => cli('secrets', second.dataDir, command);
/** The key of secrets that the installation gets when it is stopped and started again, and who had a secret before. */
const newKey = randomBytes(32).toString('hex');
let earlier: Tenant;

describe('stopping', () => {
  it('lets a live call finish, then ends every process and exits 0', async () => {
    const { launcher, dataDir } = second;
    const pids = second.runtime.processes.map(({ pid }) => pid);
    const tenant = await Tenant.create(second, quickAgent);
    earlier = tenant;
    const webhook = await tenant.request('POST', '/api/v1/webhooks', { url: 'https://example.com/' });
    expect(webhook.status).toBe(201);
    const callId = await tenant.dial('hangs_up');
    await tenant.untilStatus(callId, ({ status }) => status === 'IN_PROGRESS', 120_000);
    launcher.signal('SIGINT');
    const call = await tenant.untilStatus(callId, isOver, 120_000).catch(() => undefined);
    expect(await launcher.exited).toBe(0);
    expect(pids.filter(alive)).toEqual([]);
    // The end may come with the end of the control plane; it is in the store all the same.
    const kept = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as { secrets_key: string };
    const keys = { SECRETS_KEY: newKey, SECRETS_KEYS_OLD: kept.secrets_key };
    second = await LaunchedSystem.start({ DATA_DIR: dataDir, ...keys });
    const stored = call ?? (await read(tenant, `/api/v1/calls/${callId}`));
    expect(stored).toMatchObject({ status: 'COMPLETED', end_reason: 'caller_hangup' });
  });
});

describe('npm run secrets', () => {
  it('changes the key of a running installation', async () => {
    expect((await secrets('status')).stdout).toMatch(/^Nothing was sealed anew/);
    const rotated = await secrets('rotate');
    expect([rotated.code, rotated.stdout]).toEqual([
      0,
      expect.stringMatching(/^All is sealed under the key [0-9a-f]{8} \([1-9]\d* anew\)/),
    ]);
  });

  it('prints a new key alone on standard output', async () => {
    expect((await secrets('new-key')).stdout).toMatch(/^[0-9a-f]{64}$/);
  });

  it('says what it does not know', async () => {
    const { code, stderr } = await secrets('rotat');
    expect(code).toBe(2);
    expect(stderr).toContain('there is no command “rotat”');
  });
});

describe('a launcher that is killed', () => {
  it('takes every process along, and starts again on the same data, without the earlier key of its secrets', async () => {
    const { launcher, dataDir } = second;
    const pids = second.runtime.processes.map(({ pid }) => pid);
    launcher.signal('SIGKILL');
    await launcher.exited;
    // Without the earlier key: all was sealed anew.
    second = await LaunchedSystem.start({ DATA_DIR: dataDir, SECRETS_KEY: newKey });
    expect(pids.filter(alive)).toEqual([]);
    expect((await secrets('rotate')).stdout).toMatch(/\(0 anew\)/);
    expect(await read(earlier, `/api/v1/agents/${earlier.agentId}`)).toMatchObject({ id: earlier.agentId });
  });
});

/** Reads as a tenant of the system before it was started again, under another port. */
async function read({ key }: Tenant, path: string): Promise<unknown> {
  const answer = await fetch(second.apiUrl + path, { headers: { authorization: `Bearer ${key}` } });
  return answer.json();
}
