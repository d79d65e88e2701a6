import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { runningStoreUri } from '@voice/shared/embedded-store/access';
import { parseOption } from '@voice/shared/environment/environment';
import { wholeNumber } from '@voice/shared/environment/parsers';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { BuiltProgram } from '@voice/shared/process/built-program';
import { Front } from './front.js';
import { type MeasuredCall, measure } from './measure.js';
import { SignallingWorker } from './worker.js';

const USAGE = `Runs one campaign on two control-plane replicas against the simulated carrier without media, kills one
replica half-way, and fails unless the rate is within 2 %, max_concurrent was never exceeded and nobody was
called twice.

  --contacts N       default 10000
  --per-minute N     calls_per_minute, default 900
  --lines N          max_concurrent, default 100
`;
const count = wholeNumber({ min: 1, max: 1_000_000 });
const SECRET = 'an internal secret for the bench';
const ACCOUNT = { sid: `AC${'0'.repeat(32)}`, token: 'a token for the bench' };
const TALKS = TEST_NUMBERS.find(({ behavior }) => behavior === 'talks')!.number;

interface CallRow {
  readonly contact_id: string;
  readonly status: string;
  readonly queued_at: string;
  readonly ended_at: string | null;
}

async function run(contacts: number, perMinute: number, lines: number): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'campaign-bench-'));
  const children: BuiltProgram[] = [];
  const start = async (entry: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const child = await BuiltProgram.start(entry, args, env);
    children.push(child);
    return child;
  };
  const front = await Front.start();
  const internalFront = await Front.start();
  let worker: SignallingWorker | undefined;
  try {
    const store = await start('infra/dist/embedded-store/main.js', ['--port', '0', '--data', dataDir]);
    const carrier = await start('infra/dist/simulated-carrier/main.js', [], {
      SIMULATED_CARRIER_PORT: '0',
      SIMULATED_CARRIER_ACCOUNT_SID: ACCOUNT.sid,
      SIMULATED_CARRIER_AUTH_TOKEN: ACCOUNT.token,
      SIMULATED_CARRIER_MEDIA: 'off',
      LOG_LEVEL: 'error',
    });
    const replica = async () => {
      const child = await start('control-plane/dist/main.js', [], {
        PORT: '0',
        PUBLIC_URL: front.url,
        MONGODB_URI: runningStoreUri({ port: store.port, dataDir, database: 'bench' }),
        DATA_DIR: dataDir,
        INTERNAL_SECRET: SECRET,
        SECRETS_KEY: 'a key for secrets at rest, for the bench',
        RATE_LIMIT_DEFAULT: '1000000',
        RATE_LIMIT_CAMPAIGN_DISPATCH: '1000000',
        SIMULATED_CARRIER_URL: `http://127.0.0.1:${carrier.port}`,
        SIMULATED_CARRIER_ACCOUNT_SID: ACCOUNT.sid,
        SIMULATED_CARRIER_AUTH_TOKEN: ACCOUNT.token,
        LOG_LEVEL: 'error',
      });
      front.add(child.port);
      internalFront.add(child.internalPort!);
      return child;
    };
    const victim = await replica();
    await replica();
    worker = await SignallingWorker.start({ secret: SECRET, controlPlane: internalFront.url });

    const send = async (method: string, path: string, authorization: string, value?: unknown) => {
      const body = value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
      const { url } = path.startsWith('/internal/') ? internalFront : front;
      const response = await fetch(url + path, {
        method,
        headers: { authorization, 'content-type': 'application/json', connection: 'close' },
        body,
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as Record<string, unknown>;
    };
    const path = '/internal/keys';
    const body = JSON.stringify({ name: 'bench', sandbox: true, tenant: 'bench' });
    const signed = { secret: SECRET, method: 'POST', path, body, now: Date.now() };
    const made = await send('POST', path, interPlaneAuthorization(signed), body);
    const key = `Bearer ${String(made.key)}`;
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
        front.remove(victim.port);
        internalFront.remove(victim.internalPort!);
        victim.kill();
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
    worker?.close();
    front.close();
    internalFront.close();
    await Promise.all(children.map((child) => child.stop()));
    await rm(dataDir, { recursive: true, force: true });
  }
}

function readOptions() {
  return parseArgs({
    options: {
      contacts: { type: 'string', default: '10000' },
      'per-minute': { type: 'string', default: '900' },
      lines: { type: 'string', default: '100' },
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
  const held = await run(
    parseOption('--contacts', count, values.contacts),
    parseOption('--per-minute', count, values['per-minute']),
    parseOption('--lines', count, values.lines),
  );
  process.stdout.write(held ? 'held\n' : 'NOT held\n');
  return held ? 0 : 1;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`bench:campaign: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
