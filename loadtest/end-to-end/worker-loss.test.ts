import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { LaunchedSystem } from '../system/launched-system.js';
import { isOver, Tenant } from '../system/tenant.js';
import { quickAgent } from './harness/quick-agent.js';

let system: LaunchedSystem;
let tenant: Tenant;
/** The worker that is killed, and the other. */
let lost: string;
let other: string;

beforeAll(async () => {
  system = await LaunchedSystem.start({ WORKERS: '2' });
  tenant = await Tenant.create(system, quickAgent);
});
afterAll(() => system?.stop());

const pidOf = (worker: string) => system.runtime.processes.find(({ name }) => name === worker)?.pid ?? 0;
const kill = (worker: string) => process.kill(pidOf(worker), 'SIGKILL');

/** Gives how calls to people who are busy end, all dialled at once. */
async function endsOfCalls(count: number): Promise<string[]> {
  const calls = await Promise.all(Array.from({ length: count }, () => tenant.dial('busy')));
  const over = await Promise.all(calls.map((callId) => tenant.untilStatus(callId, isOver, 120_000)));
  return over.map(({ status }) => status);
}

describe('a worker that is killed in the middle of a call', () => {
  it('ends the call as FAILED, worker_lost within 15 s; earlier events are kept', async () => {
    onTestFailed(() => console.error(system.tail()));
    const callId = await tenant.dial('talks');
    const before = await tenant.until(
      callId,
      ({ status, transcript }) => status === 'IN_PROGRESS' && transcript.length >= 2,
      60_000,
    );
    const { worker_id } = (await tenant.request('GET', `/api/v1/calls/${callId}`)).json;
    [lost, other] = String(worker_id).endsWith('-1') ? ['worker-1', 'worker-2'] : ['worker-2', 'worker-1'];
    const killedAt = Date.now();
    kill(lost);
    const call = await tenant.untilStatus(callId, isOver, 120_000);
    expect(call).toMatchObject({ status: 'FAILED', end_reason: 'worker_lost' });
    const failed = call.events.find(({ type }) => type === 'call.failed')!;
    expect(Date.parse(failed.at) - killedAt).toBeLessThanOrEqual(15_000);
    expect(call.transcript.slice(0, before.transcript.length)).toEqual(before.transcript);
    expect(call.events.filter(({ type }) => type === 'call.failed')).toHaveLength(1);
  });

  it('is reported loudly, and the rest of the system goes on', async () => {
    expect(system.launcher.errorLines.join('\n')).toContain(`${lost} ended unexpectedly (SIGKILL)`);
    expect((await fetch(`${system.apiUrl}/healthz`)).status).toBe(200);
  });

  it('is started again by itself, and takes calls while the other has just been killed', async () => {
    onTestFailed(() => console.error(system.tail()));
    const ready = new RegExp(`^${lost} .*worker ready`);
    await expect
      .poll(() => system.launcher.lines.filter((line) => ready.test(line)).length, { timeout: 60_000 })
      .toBe(2);
    kill(other);
    expect(await endsOfCalls(4)).toEqual(['BUSY', 'BUSY', 'BUSY', 'BUSY']);
  });
});
