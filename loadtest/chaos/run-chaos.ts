import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoAgent } from '@voice/shared/contracts/demo-agent';
import {
  SANDBOX_CALLER_ID,
  type SimulatedBehavior,
  TEST_NUMBERS,
} from '@voice/shared/contracts/test-numbers';
import { LaunchedSystem } from '../system/launched-system.js';
import { Tenant } from '../system/tenant.js';
import { AcknowledgedWrites } from './acknowledged-writes.js';
import { audit, type Evidence } from './audit.js';
import { readCalls, readContacts, readDials, readTimelines, readUsageCalls } from './evidence.js';
import { FaultInjector } from './fault-injector.js';
import { planFaults } from './fault-plan.js';
import { leaksIn, leaksInFiles, type Secret } from './leaked-secrets.js';
import { leftProcesses } from './left-processes.js';
import { OperatorCommands } from './operator-commands.js';
import type { ChaosOptions } from './options.js';
import { PROVIDERS, Providers } from './providers.js';
import { ReplicasClient } from './replicas-client.js';
import { createSystemDisk, type SystemDisk } from './system-disk.js';
import { TestSessions } from './test-sessions.js';
import { WebhookSink } from './webhook-sink.js';

/** The carrier is the witness, so it sees no fault. */
const PROCESSES = ['store', 'control-plane', 'control-plane-2', 'worker-1', 'worker-2'];
const PEOPLE: readonly SimulatedBehavior[] = ['busy', 'hangs_up', 'talks', 'voicemail', 'rejects', 'busy'];
/** No call may be without an end for longer than this, once it is hung up. */
const ENDED_WITHIN_MS = 60_000;
/** What follows the end of a call, such as its cost and its events, waits a minute for a lost worker's spool. */
const SETTLED_WITHIN_MS = 150_000;
/** The longest that everything after the faults may take. */
const AFTERWARDS_MS = 240_000;

export const notify = (line: string) =>
  void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

/** Runs a system under faults once. Returns what did not hold. */
export async function runChaos(options: ChaosOptions): Promise<string[]> {
  const disk = createSystemDisk();
  notify(`seed ${options.seed}; full disks: ${disk.kind}`);
  const sink = await WebhookSink.start({ beingDeployed: true });
  const providers = await Providers.start();
  try {
    const findings = await onSystem(disk, providers, sink, options);
    return [...findings, ...(await leftProcesses(disk.dir))];
  } finally {
    await providers.stop();
    sink.close();
    disk.remove();
  }
}

/** Starts a system, lets it run under faults, and ends it. */
async function onSystem(
  disk: SystemDisk,
  providers: Providers,
  sink: WebhookSink,
  options: ChaosOptions,
): Promise<string[]> {
  let system: LaunchedSystem | undefined;
  let injector: FaultInjector | undefined;
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error('interrupted'));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    system = await LaunchedSystem.start({
      ...providers.env,
      DATA_DIR: join(disk.dir, 'data'),
      // Only connections over TCP can be cut from outside, and a MongoDB is reached by them.
      STORE_SOCKET: 'off',
      WORKERS: '2',
      REPLICAS: '2',
      LOG_FORMAT: 'json',
      EGRESS_ALLOW: '127.0.0.0/8',
      RATE_LIMIT_CAMPAIGN_DISPATCH: '100000',
    });
    const running = system;
    injector = new FaultInjector({
      processes: () => running.runtime.processes,
      disk,
      provider: (name) => providers.find(name),
      notify,
    });
    const limit = AbortSignal.timeout(options.seconds * 1000 + AFTERWARDS_MS);
    return await Promise.race([
      underFaults(running, providers, injector, sink, options),
      aborted(AbortSignal.any([limit, interrupted.signal])),
    ]);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    injector?.undoAll();
    await system?.stop();
  }
}

async function underFaults(
  system: LaunchedSystem,
  providers: Providers,
  injector: FaultInjector,
  sink: WebhookSink,
  options: ChaosOptions,
): Promise<string[]> {
  const { seed, faults, seconds } = options;
  const tenant = await Tenant.create(system, demoAgent);
  // Read once: the ports stay, whatever is started again.
  const urls = system.runtime.processes
    .filter(({ role }) => role === 'control-plane')
    .map(({ port }) => `http://127.0.0.1:${port}`);
  const client = new ReplicasClient(() => urls, tenant.key);
  const subscription = { url: sink.url, event_types: ['*'], sandbox: true };
  sink.secret = String((await client.request('POST', '/api/v1/webhooks', subscription)).secret);
  const vendorAgent = { ...demoAgent, name: 'Providers', voice_config: providers.voiceConfig };
  const vendorAgentId = String((await client.request('POST', '/api/v1/agents', vendorAgent)).id);
  const half = Math.ceil(options.contacts / 2);
  const campaigns = [
    await startCampaign(client, tenant.agentId, half),
    await startCampaign(client, vendorAgentId, half),
  ];
  const writes = new AcknowledgedWrites(client);
  const sessions = new TestSessions(client, vendorAgentId, await providers.phrases());
  const operator = new OperatorCommands(client);
  for (const one of [writes, sessions, operator]) one.start();
  const durationMs = seconds * 1000;
  const plan = planFaults({ seed, faults, durationMs, processes: PROCESSES, providers: PROVIDERS });
  await injector.run(plan);
  notify(`faults are over (${injector.skipped} skipped); the campaign is paused, its calls are hung up`);
  for (const one of [writes, sessions, operator]) await one.stop();
  for (const id of campaigns) await client.request('POST', `/api/v1/campaigns/${id}/pause`);

  const overAt = performance.now();
  for (;;) {
    const evidence: Evidence = {
      calls: await readCalls(client),
      contacts: (await Promise.all(campaigns.map((id) => readContacts(client, id)))).flat(),
      events: sink.events,
      dials: readDials(system.launcher.lines),
      usageCalls: await readUsageCalls(client),
      writes: await writes.evidence(),
      refusedEvents: sink.refused,
      commands: [],
      timelines: new Map(),
      leaks: [],
    };
    const findings = audit(evidence);
    const passedMs = performance.now() - overAt;
    const live = evidence.calls.some(({ status }) => LIVE.has(status));
    if (findings.length === 0 || passedMs > SETTLED_WITHIN_MS || (live && passedMs > ENDED_WITHIN_MS)) {
      notify(
        `${evidence.calls.length} calls (${statuses(evidence)}), ${sessions.ids.length} test sessions, ` +
          `${sink.events.length} events (${sink.refused.size} refused once), ${evidence.dials.size} dials, ` +
          `${writes.count} agents written, ${operator.count} commands`,
      );
      if (evidence.calls.length === 0) return ['The campaign made no call.'];
      const secrets = knownSecrets(system, tenant, sink, providers, sessions);
      const { lines, errorLines } = system.launcher;
      const all = audit({
        ...evidence,
        commands: await operator.evidence(),
        timelines: await readTimelines(client, evidence.calls),
        leaks: [
          ...leaksIn('the log', [...lines, ...errorLines], secrets),
          ...leaksInFiles(system.dataDir, secrets),
        ],
      });
      if (all.length > 0) keepLog(options.seed, [...lines, ...errorLines]);
      return all;
    }
    for (const { id, status } of evidence.calls) {
      if (LIVE.has(status)) await client.attempt('POST', `/api/v1/calls/${id}/hangup`, {});
    }
    await sleep(2000);
  }
}

/** Keeps what the system logged, for who looks for the cause. */
function keepLog(seed: number, lines: readonly string[]): void {
  const file = join(tmpdir(), `chaos-${seed}.log`);
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  notify(`the system’s log: ${file}`);
}

/** What was given to somebody in confidence, and is in no log. */
function knownSecrets(
  system: LaunchedSystem,
  tenant: Tenant,
  sink: WebhookSink,
  providers: Providers,
  sessions: TestSessions,
): Secret[] {
  const kept = JSON.parse(readFileSync(join(system.dataDir, 'secrets.json'), 'utf8')) as Record<
    string,
    string
  >;
  const named = (name: string, values: readonly string[]) => values.map((value) => ({ name, value }));
  const { internal_secret: internal, secrets_key: key, simulated_carrier_auth_token: carrier } = kept;
  return [
    ...named('the API key', [tenant.key]),
    ...named('the webhook secret', [sink.secret]),
    ...named('an inter-plane secret', [internal!]),
    ...named('the key of secrets at rest', [key!]),
    ...named('the carrier’s token', [carrier!]),
    ...named('a provider’s key', providers.secrets),
    ...named('a token of a test session', sessions.tokens),
  ];
}

const LIVE: ReadonlySet<string> = new Set(['QUEUED', 'RINGING', 'IN_PROGRESS']);

async function startCampaign(client: ReplicasClient, agentId: string, contacts: number): Promise<string> {
  const numbers = PEOPLE.map((person) => TEST_NUMBERS.find(({ behavior }) => behavior === person)!.number);
  const campaign = await client.request('POST', '/api/v1/campaigns', {
    name: 'Chaos',
    agent_id: agentId,
    contacts: Array.from({ length: contacts }, (_, n) => ({
      phone: numbers[n % numbers.length],
      first_name: `Contact ${n}`,
    })),
    calls_per_minute: 60,
    max_concurrent: 6,
    retry_policy: {
      max_attempts: 2,
      busy_delay_seconds: 30,
      no_answer_delay_seconds: 30,
      failed_delay_seconds: 30,
    },
  });
  await client.request('POST', `/api/v1/campaigns/${String(campaign.id)}/start`);
  notify(`campaign of ${contacts} contacts runs, from ${SANDBOX_CALLER_ID}`);
  return String(campaign.id);
}

function statuses({ calls }: Evidence): string {
  const counts = new Map<string, number>();
  for (const { status } of calls) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
