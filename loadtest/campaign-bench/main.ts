import { parseArgs } from 'node:util';
import { TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { parseOption } from '@voice/shared/environment/environment';
import { wholeNumber } from '@voice/shared/environment/parsers';
import { runProgram } from '@voice/shared/process/run-program';
import { paceMany } from './many.js';
import { type MeasuredCall, measure } from './measure.js';

const USAGE = `Runs one campaign on two control-plane replicas against the simulated carrier without media, kills one
replica half-way, and fails unless the rate is within 2 %, max_concurrent was never exceeded and nobody was
called twice.

  --contacts N       default 10000
  --per-minute N     calls_per_minute, default 900
  --lines N          max_concurrent, default 100

  --campaigns N      instead: N active campaigns at 1 call a minute each, on two replicas, one killed half-way. A call
                     is one document that has ended: measured is the pacing. Prints how late slots were, the rate's
                     error, and commands and processor time of each replica.
  --seconds N        how long they are paced, default 240
`;
const count = wholeNumber({ min: 1, max: 1_000_000 });
const TALKS = TEST_NUMBERS.find(({ behavior }) => behavior === 'talks')!.number;

interface CallRow {
  readonly contact_id: string;
  readonly status: string;
  readonly queued_at: string;
  readonly ended_at: string | null;
}

async function run(contacts: number, perMinute: number, lines: number): Promise<boolean> {
  // Not loaded for help, or for an option that is none.
  const { SignallingSystem } = await import('../system/signalling-system.js');
  const system = await SignallingSystem.start({ replicas: 2 });
  try {
    const key = await system.tenant('bench');
    const send = system.request.bind(system);
    const agent = await send('POST', '/api/v1/agents', key, { name: 'Bench', system_prompt: 'You call.' });
    const campaign = await send('POST', '/api/v1/campaigns', key, {
      name: 'Bench',
      agent_id: agent.id,
      contacts: Array.from({ length: contacts }, () => ({ phone: TALKS })),
      calls_per_minute: perMinute,
      max_concurrent: lines,
      retry_policy: { max_attempts: 1 },
    });
    const url = `/api/v1/campaigns/${String(campaign.id)}`;
    await send('POST', `${url}/start`, key);
    let killed = false;
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const now = await send('GET', url, key);
      const counts = now.contact_counts as Record<string, number>;
      process.stdout.write(`\r${String(now.status)}: ${contacts - (counts.pending ?? 0)} of ${contacts} `);
      if (!killed && (counts.pending ?? 0) <= contacts / 2) {
        killed = true;
        system.kill(system.replicas[0]!);
        process.stdout.write('\none replica killed\n');
      }
      if (now.status === 'completed') break;
    }
    const calls: MeasuredCall[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Record<string, unknown> = await send(
        'GET',
        `/api/v1/calls?limit=500${cursor ? `&cursor=${cursor}` : ''}`,
        key,
      );
      for (const call of page.calls as CallRow[]) {
        calls.push({
          contactId: call.contact_id,
          status: call.status,
          queuedAt: Date.parse(call.queued_at),
          endedAt: Date.parse(call.ended_at ?? ''),
        });
      }
      cursor = page.next_cursor as string | null;
    }
    const result = measure(calls, { perMinute });
    process.stdout.write(
      `\n${JSON.stringify({ asked: { contacts, perMinute, lines }, ...result }, null, 2)}\n`,
    );
    return (
      result.calls === contacts &&
      result.calledTwice === 0 &&
      result.mostAtOnce <= lines &&
      Math.abs(result.deviation) <= 0.02
    );
  } finally {
    await system.stop();
  }
}

function readOptions() {
  return parseArgs({
    options: {
      contacts: { type: 'string', default: '10000' },
      'per-minute': { type: 'string', default: '900' },
      lines: { type: 'string', default: '100' },
      campaigns: { type: 'string', default: '0' },
      seconds: { type: 'string', default: '240' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;
}

async function main(): Promise<number> {
  const values = readOptions();
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const campaigns = parseOption('--campaigns', wholeNumber({ min: 0, max: 100_000 }), values.campaigns);
  const held =
    campaigns > 0
      ? await paceMany({ campaigns, perMinute: 1, seconds: parseOption('--seconds', count, values.seconds) })
      : await run(
          parseOption('--contacts', count, values.contacts),
          parseOption('--per-minute', count, values['per-minute']),
          parseOption('--lines', count, values.lines),
        );
  process.stdout.write(held ? 'held\n' : 'NOT held\n');
  return held ? 0 : 1;
}

runProgram(main, { name: 'bench:campaign' });
