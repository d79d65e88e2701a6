import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';
import { stillRuns } from '../installation/process-identity.js';
import { type RuntimeFile, readRuntime } from '../installation/runtime-file.js';
import { readConfig } from './config.js';

const USAGE = `Usage: npm run restart

Replaces the workers and the control planes of the system that “npm start” runs on this machine, one after another,
and waits until all are new; where one does not come up, the others are left as they are. A worker that is replaced takes no new calls, and its live ones finish first: with
WORKERS=2 or more the others take the new ones, with one they wait. REPLICAS=2 or more let the API answer all the while.

Environment: DATA_DIR of the running system (./data).
`;

const LOOK_MS = 250;

/** Lists the planes' processes. */
const planesOf = ({ processes }: RuntimeFile) =>
  processes.filter(({ role }) => role === 'worker' || role === 'control-plane');

runProgram(async () => {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h', default: false } } });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { dataDir } = readConfig();
  const before = readRuntime(dataDir);
  const old = before ? planesOf(before) : [];
  if (!before || !old.some(stillRuns)) {
    throw new Error(`Nothing runs on ${dataDir}. Name its DATA_DIR, or start the system with “npm start”.`);
  }
  process.kill(before.pid, 'SIGUSR2');
  const waiting = new Map(old.map((process) => [process.name, process]));
  while (waiting.size > 0) {
    await sleep(LOOK_MS);
    const now = readRuntime(dataDir);
    if (!now || now.pid !== before.pid) throw new Error('The system ended meanwhile; its output says why.');
    const { last_restart: last } = now;
    const isOver = last !== undefined && last.ended_at !== before.last_restart?.ended_at;
    if (isOver && last.failure !== null) throw new Error(last.failure);
    for (const { name, pid, birth } of planesOf(now)) {
      const then = waiting.get(name);
      if (!then || (then.pid === pid && then.birth === birth)) continue;
      waiting.delete(name);
      process.stdout.write(`${name} is new (process ${pid})\n`);
    }
  }
  return 0;
});
