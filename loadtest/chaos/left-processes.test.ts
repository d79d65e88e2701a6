import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { leftProcesses, processesOf } from './left-processes.js';

const LIVES = 'process.stdout.write("up"); setInterval(() => {}, 1000)';

async function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, ['-e', LIVES, '--', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  return { pid: child.pid!, exited };
}

describe.skipIf(process.platform !== 'linux')('processes that are left of a system', () => {
  it('are those that have its directory in their environment or among their arguments', async () => {
    const dir = `/tmp/system-${process.pid}`;
    const byArgument = await start(['--data', `${dir}/data/store`]);
    const byEnvironment = await start([], { DATA_DIR: `${dir}/data` });
    const another = await start(['--data', '/tmp/another']);
    const pids = () => processesOf(dir).map(({ pid }) => pid);
    expect(pids().sort()).toEqual([byArgument.pid, byEnvironment.pid].sort());

    const findings = await leftProcesses(dir, 0);

    expect(findings).toHaveLength(2);
    expect(findings[0]).toMatch(/ still ran 0 s after the system had ended\.$/);
    await Promise.all([byArgument.exited, byEnvironment.exited]);
    expect(pids()).toEqual([]);
    process.kill(another.pid, 0);
    process.kill(another.pid, 'SIGKILL');
    await another.exited;
  });

  it('are none when the last of them has ended in time', async () => {
    const dir = `/tmp/ending-system-${process.pid}`;
    const ending = await start(['--data', dir]);

    const findings = leftProcesses(dir);
    process.kill(ending.pid, 'SIGTERM');

    expect(await findings).toEqual([]);
    await ending.exited;
  });
});
