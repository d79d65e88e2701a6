import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from '@voice/shared/process/run-program';
import { ReplicasClient } from '../chaos/replicas-client.js';
import { LaunchedSystem } from '../system/launched-system.js';
import { runToEnd } from '../system/process.js';
import { Tenant } from '../system/tenant.js';
import { Callers } from './callers.js';
import { type RollingRestartOptions, readOptions, USAGE } from './options.js';

/** So long the people are on the phone before the first restart, between two, and after the last, in ms. */
const AROUND_MS = 10_000;
/** Problems that are printed one by one. */
const SHOWN_PROBLEMS = 20;

const say = (line: string) =>
  void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

/** Restarts everything that may be restarted, and says what took how long. */
async function restart(system: LaunchedSystem, problems: string[]): Promise<void> {
  const planes = () =>
    system.runtime.processes.filter(({ role }) => role === 'worker' || role === 'control-plane');
  const old = new Set(planes().map(({ pid }) => pid));
  const since = performance.now();
  const { code, stderr } = await runToEnd({
    entry: 'infra/dist/cli/restart.js',
    args: [],
    env: { DATA_DIR: system.dataDir },
  });
  if (code !== 0) problems.push(`npm run restart exited with ${code}: ${stderr}`);
  const left = planes().filter(({ pid }) => old.has(pid));
  if (left.length > 0) problems.push(`${left.map(({ name }) => name).join(', ')} was not replaced`);
  say(`${planes().length} processes replaced in ${((performance.now() - since) / 1000).toFixed(0)} s`);
}

async function run(system: LaunchedSystem, { calls, restarts }: RollingRestartOptions): Promise<boolean> {
  const tenant = await Tenant.create(system);
  const apiUrls = () =>
    system.runtime.processes
      .filter(({ role }) => role === 'control-plane')
      .map(({ port }) => `http://127.0.0.1:${port}`);
  const callers = new Callers(new ReplicasClient(apiUrls, tenant.key), tenant.agentId, calls);
  const { counts } = callers;
  for (let n = 1; n <= restarts; n++) {
    await sleep(AROUND_MS);
    say(`restart ${n} of ${restarts}: ${counts.calls} calls and ${counts.requests} requests so far`);
    await restart(system, counts.problems);
  }
  await sleep(AROUND_MS);
  say('waiting for the last calls');
  await callers.finish();
  const { problems } = counts;
  for (const problem of problems.slice(0, SHOWN_PROBLEMS)) say(`PROBLEM ${problem}`);
  if (problems.length > SHOWN_PROBLEMS) say(`and ${problems.length - SHOWN_PROBLEMS} more`);
  say(
    `${restarts} restarts: ${counts.asTheyShould} of ${counts.calls} calls ended as they should, ` +
      `${counts.requests} requests, ${problems.length} problems`,
  );
  return problems.length === 0;
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const system = await LaunchedSystem.start({ WORKERS: '2', REPLICAS: '2' });
  try {
    return (await run(system, options)) ? 0 : 1;
  } finally {
    await system.stop();
  }
}

runProgram(main, { lingers: true });
