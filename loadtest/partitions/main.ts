import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';
import { type CallDetail, isOver, Tenant } from '../system/tenant.js';
import { NoNamespaces } from './network.js';
import { PartitionedSystem } from './partitioned-system.js';

const USAGE = `Usage: npm run chaos:partitions

Cuts the network between a worker and the control plane while calls are live, in a network namespace of the worker's
own, for less time than a worker is given up after. Shows that the calls go on, and that their events arrive once when
the cable is mended. Needs Linux, the rights of root and iproute2; skipped otherwise.
`;

/** Shorter than a worker may be silent before its calls are given up (8 s). */
const CUTS = [{ name: 'a short cut', seconds: 5, person: 'talks' }] as const;
const WITHIN_MS = 60_000;

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Returns what a call's record shows twice, or lacks. */
function problemsOf(call: CallDetail): string[] {
  const problems: string[] = [];
  const ids = call.events.map(({ id }) => id);
  if (new Set(ids).size !== ids.length) problems.push('an event is there twice');
  const spoken = call.transcript.map((turn) => JSON.stringify(turn));
  if (new Set(spoken).size !== spoken.length) problems.push('a turn is there twice');
  if (spoken.length === 0) problems.push('nothing of what was said has arrived');
  if (call.status !== 'COMPLETED') problems.push(`it ended as ${call.status} (${call.end_reason})`);
  return problems;
}

async function run(
  system: PartitionedSystem,
  { name, seconds, person }: (typeof CUTS)[number],
): Promise<boolean> {
  const tenant = await Tenant.create(system);
  const callId = await tenant.dial(person);
  await tenant.until(callId, ({ status }) => status === 'IN_PROGRESS', WITHIN_MS);
  system.cutPlanes();
  const cutAt = performance.now();
  let mostSpooled = 0;
  while (performance.now() - cutAt < seconds * 1000) {
    mostSpooled = Math.max(mostSpooled, await system.spooled());
    await sleep(250);
  }
  const meanwhile = await tenant.detail(callId);
  system.mendPlanes();
  await tenant.until(callId, isOver, WITHIN_MS);
  const deadline = performance.now() + WITHIN_MS;
  const isSettled = async () =>
    (await system.spooled()) === 0 && (await tenant.detail(callId)).status === 'COMPLETED';
  while (!(await isSettled()) && performance.now() < deadline) await sleep(250);
  const left = await system.spooled();
  const call = await tenant.detail(callId);
  const problems = [
    ...problemsOf(call),
    ...(mostSpooled === 0 ? ['nothing waited at the worker: the cut was none'] : []),
    ...(left > 0 ? [`${left} events never arrived`] : []),
  ];
  say(
    `${name} of ${seconds} s: the call was ${meanwhile.status} meanwhile, up to ${mostSpooled} events waited; ` +
      `then ${call.status} (${call.events.map(({ type }) => type).join(', ')}): ${problems.length === 0 ? 'ok' : problems.join('; ')}`,
  );
  return problems.length === 0;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h', default: false } } });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  let system: PartitionedSystem;
  try {
    system = await PartitionedSystem.start();
  } catch (error) {
    if (!(error instanceof NoNamespaces)) throw error;
    say(`SKIPPED: this machine has no network namespaces for us: ${error.message}`);
    return 0;
  }
  try {
    let passed = true;
    for (const cut of CUTS) passed = (await run(system, cut)) && passed;
    return passed ? 0 : 1;
  } finally {
    await system.stop();
  }
}

runProgram(main, { lingers: true });
