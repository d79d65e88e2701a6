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
import { readCalls, readContacts, readDials, readUsageCalls } from './evidence.js';
import { FaultInjector } from './fault-injector.js';
import { planFaults } from './fault-plan.js';
import { type ChaosOptions, readOptions, USAGE } from './options.js';
import { ReplicasClient } from './replicas-client.js';
import { createSystemDisk } from './system-disk.js';
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

const notify = (line: string) =>
  void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

async function run(options: ChaosOptions): Promise<string[]> {
  const disk = createSystemDisk();
  notify(`seed ${options.seed}; full disks: ${disk.kind}`);
  const sink = await WebhookSink.start();
  let system: LaunchedSystem | undefined;
  let injector: FaultInjector | undefined;
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error('interrupted'));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    system = await LaunchedSystem.start({
      DATA_DIR: join(disk.dir, 'data'),
      WORKERS: '2',
      REPLICAS: '2',
      LOG_FORMAT: 'json',
      EGRESS_ALLOW: '127.0.0.0/8',
      RATE_LIMIT_CAMPAIGN_DISPATCH: '100000',
    });
    const running = system;
    injector = new FaultInjector({ processes: () => running.runtime.processes, disk, notify });
    const limit = AbortSignal.timeout(options.seconds * 1000 + AFTERWARDS_MS);
    return await Promise.race([
      underFaults(running, injector, sink, options),
      aborted(AbortSignal.any([limit, interrupted.signal])),
    ]);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    injector?.undoAll();
    await system?.stop();
    sink.close();
    disk.remove();
  }
}

async function underFaults(
  system: LaunchedSystem,
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
  await client.request('POST', '/api/v1/webhooks', { url: sink.url, event_types: ['*'], sandbox: true });
  const campaignId = await startCampaign(client, tenant.agentId, options.contacts);
  const writes = new AcknowledgedWrites(client);
  writes.start();
  await injector.run(planFaults({ seed, faults, durationMs: seconds * 1000, processes: PROCESSES }));
  notify(`faults are over (${injector.skipped} skipped); the campaign is paused, its calls are hung up`);
  await writes.stop();
  await client.request('POST', `/api/v1/campaigns/${campaignId}/pause`);

  const overAt = performance.now();
  for (;;) {
    const evidence: Evidence = {
      calls: await readCalls(client),
      contacts: await readContacts(client, campaignId),
      events: sink.events,
      dials: readDials(system.launcher.lines),
      usageCalls: await readUsageCalls(client),
      writes: await writes.evidence(),
    };
    const findings = audit(evidence);
    const passedMs = performance.now() - overAt;
    const live = evidence.calls.some(({ status }) => LIVE.has(status));
    if (findings.length === 0 || passedMs > SETTLED_WITHIN_MS || (live && passedMs > ENDED_WITHIN_MS)) {
      notify(
        `${evidence.calls.length} calls (${statuses(evidence)}), ${sink.events.length} events, ` +
          `${evidence.dials.size} dials, ${writes.count} agents written`,
      );
      return evidence.calls.length === 0 ? ['The campaign made no call.'] : findings;
    }
    for (const { id, status } of evidence.calls) {
      if (LIVE.has(status)) await client.attempt('POST', `/api/v1/calls/${id}/hangup`, {});
    }
    await sleep(2000);
  }
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

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), Math.floor(Math.random() * 2 ** 31));
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const findings = await run(options);
  for (const finding of findings) notify(`NOT held: ${finding}`);
  notify(findings.length === 0 ? 'held' : `NOT held; the same faults again: --seed ${options.seed}`);
  return findings.length === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`chaos: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
