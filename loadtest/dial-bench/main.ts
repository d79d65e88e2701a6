import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SANDBOX_CALLER_ID, TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { parseOption } from '@voice/shared/environment/environment';
import { wholeNumber } from '@voice/shared/environment/parsers';
import type { BuiltProgram } from '@voice/shared/process/built-program';
import { runProgram } from '@voice/shared/process/run-program';
import { percentiles } from '../bench/report.js';
import type { SignallingSystem } from '../system/signalling-system.js';
import { DialWitness } from './dial-witness.js';

const USAGE = `Usage: npm run bench:dials [-- --rates 10,50 --seconds 20 --idle 60]

Places calls by POST /api/v1/calls at a steady rate, on one control plane with the simulated carrier without media.
Set-up is the time from the request to the moment in which the carrier is asked to dial.

  --rates LIST  calls a second, by comma: one run each (10,50)
  --seconds N   how long each run lasts (20)
  --idle N      before, what control plane and store take without calls, over N seconds and a minute after their start
`;
const REQUEST_ID = /"request_id":"[^"]*"/;
const TALKS = TEST_NUMBERS.find(({ behavior }) => behavior === 'talks')!.number;
/** Start and first collections of garbage are no part of idling, in ms. */
const SETTLES_WITHIN_MS = 60_000;
/** Calls at once are limited by tenant. */
const TENANTS = 20;
/** How long the last calls of a run have to be dialed and to end, in ms. */
const ENDS_WITHIN_MS = 15_000;

interface Load {
  readonly system: SignallingSystem;
  readonly witness: DialWitness;
  readonly tenants: readonly { readonly key: string; readonly agentId: string }[];
}

/** Places calls at a rate; returns how long each took until it was dialed, in ms, and how many never were. */
async function place({ system, witness, tenants }: Load, perSecond: number, seconds: number) {
  const sentAt = new Map<string, number>();
  const refusals = new Map<string, number>();
  const requests: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 0; n < perSecond * seconds; n++) {
    await sleep(Math.max(0, began + (n * 1000) / perSecond - performance.now()));
    const { key, agentId } = tenants[n % tenants.length]!;
    const at = performance.now();
    requests.push(
      system
        .request('POST', '/api/v1/calls', key, {
          agent_id: agentId,
          from_number: SANDBOX_CALLER_ID,
          to_number: TALKS,
        })
        .then(
          ({ id }) => void sentAt.set(String(id), at),
          (error: unknown) => {
            const reason = String(error).replace(REQUEST_ID, '');
            refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
          },
        ),
    );
  }
  await Promise.all(requests);
  const until = performance.now() + ENDS_WITHIN_MS;
  while ([...sentAt.keys()].some((id) => !witness.dialedAt.has(id)) && performance.now() < until) {
    await sleep(50);
  }
  const setUps = [...sentAt].flatMap(([id, at]) => {
    const dialedAt = witness.dialedAt.get(id);
    return dialedAt === undefined ? [] : [dialedAt - at];
  });
  return { setUps, placed: sentAt.size, refusals };
}

/** Prints what processes take of a core while there are no calls, a worker's heartbeats included. */
async function printIdle(parts: Readonly<Record<string, BuiltProgram>>, seconds: number): Promise<void> {
  await sleep(SETTLES_WITHIN_MS);
  const before = Object.values(parts).map((part) => part.threadTimeMs());
  await sleep(seconds * 1000);
  const shares = Object.entries(parts).map(([name, part], at) => {
    const ms = part.threadTimeMs() - before[at]!;
    return `${name} ${(ms / seconds / 10).toFixed(2)} % of a core`;
  });
  process.stdout.write(`without calls: ${shares.join(', ')}\n`);
}

async function run(rates: readonly number[], seconds: number, idleSeconds: number): Promise<void> {
  let witness: DialWitness | undefined;
  // Not loaded for help, or for an option that is none.
  const { SignallingSystem } = await import('../system/signalling-system.js');
  const system = await SignallingSystem.start({
    replicas: 1,
    carrierUrl: async (url) => {
      witness = await DialWitness.start(url);
      return witness.url;
    },
  });
  try {
    const tenants = [];
    for (let n = 0; n < TENANTS; n++) {
      const key = await system.tenant(`bench-${n}`);
      const agent = await system.request('POST', '/api/v1/agents', key, {
        name: 'Bench',
        system_prompt: 'You call.',
      });
      tenants.push({ key, agentId: String(agent.id) });
    }
    const load = { system, witness: witness!, tenants };
    const parts = { 'control plane': system.replicas[0]!, store: system.store! };
    if (idleSeconds > 0) await printIdle(parts, idleSeconds);
    // What is compiled and cached once is no part of a call.
    await place(load, 10, 3);
    for (const perSecond of rates) {
      const before = Object.values(parts).map((part) => part.usage().cpuMs);
      const { setUps, placed, refusals } = await place(load, perSecond, seconds);
      await sleep(ENDS_WITHIN_MS / 3);
      const { p50, p95, p99 } = percentiles(setUps);
      const ms = (value: number | null) => (value === null ? '–' : `${Math.round(value)} ms`);
      process.stdout.write(
        `${perSecond} calls a second: ${placed} placed, ${setUps.length} dialed; set-up ${ms(p50)} p50, ${ms(p95)} p95, ${ms(p99)} p99\n`,
      );
      Object.entries(parts).forEach(([name, part], at) => {
        const { cpuMs, memory } = part.usage();
        const aCall = (cpuMs - before[at]!) / Math.max(1, placed);
        process.stdout.write(
          `  ${name}: ${aCall.toFixed(1)} ms of CPU a call, ${Math.round(memory / 1e6)} MB\n`,
        );
      });
      for (const [reason, count] of refusals) process.stdout.write(`  ${count} refused: ${reason}\n`);
    }
  } finally {
    await system.stop();
    witness?.close();
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rates: { type: 'string', default: '10,50' },
      seconds: { type: 'string', default: '20' },
      idle: { type: 'string', default: '0' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const rate = wholeNumber({ min: 1, max: 1000 });
  await run(
    values.rates.split(',').map((text) => parseOption('--rates', rate, text)),
    parseOption('--seconds', wholeNumber({ min: 1, max: 3600 }), values.seconds),
    parseOption('--idle', wholeNumber({ min: 0, max: 3600 }), values.idle),
  );
  return 0;
}

runProgram(main, { name: 'bench:dials' });
