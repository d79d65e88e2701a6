import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../dist/simulated-carrier/main.js', import.meta.url));
const ENVIRONMENT = {
  PATH: process.env.PATH,
  SIMULATED_CARRIER_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
  SIMULATED_CARRIER_AUTH_TOKEN: 'a-token-of-a-test-account',
};

describe.runIf(existsSync(MAIN))('the process of the simulated carrier', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  function start(environment: NodeJS.ProcessEnv) {
    const child = spawn(process.execPath, [MAIN], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    children.push(child);
    let stderr = '';
    child.stderr!.on('data', (part) => {
      stderr += part;
    });
    child.stdout!.resume();
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const ready = new Promise<{ type: string; port: number }>((resolve) => {
      child.once('message', (message) => resolve(message as { type: string; port: number }));
    });
    return { child, exit, ready, stderr: () => stderr };
  }

  it.each([
    ['SIGTERM', (child: ChildProcess) => child.kill('SIGTERM')],
    ['the end of its parent', (child: ChildProcess) => child.disconnect()],
  ])('reports its port when it serves, and ends cleanly by %s', async (_, stop) => {
    const { child, exit, ready } = start(ENVIRONMENT);
    const { type, port } = await ready;
    expect(type).toBe('ready');
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    stop(child);
    expect(await exit).toBe(0);
  });

  it('names the port and the variable when the port is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', () => resolve()));
    const { port } = taken.address() as AddressInfo;
    const { exit, stderr } = start({ ...ENVIRONMENT, SIMULATED_CARRIER_PORT: String(port) });
    expect(await exit).toBe(1);
    await expect.poll(stderr).toMatch(new RegExp(`port ${port} is taken.*SIMULATED_CARRIER_PORT`));
    expect(stderr().trim().split('\n')).toHaveLength(1);
    taken.close();
  });

  it('names the variable that is wrong', async () => {
    const { exit, stderr } = start({ PATH: process.env.PATH, SIMULATED_CARRIER_AUTH_TOKEN: 'short' });
    expect(await exit).toBe(1);
    await expect
      .poll(stderr)
      .toMatch(/SIMULATED_CARRIER_ACCOUNT_SID is missing\nSIMULATED_CARRIER_AUTH_TOKEN: expected/);
  });
});
