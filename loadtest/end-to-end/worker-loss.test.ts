import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { LaunchedSystem } from '../system/launched-system.js';
import { isOver, Tenant } from '../system/tenant.js';
import { quickAgent } from './harness/quick-agent.js';

let system: LaunchedSystem;
let tenant: Tenant;

beforeAll(async () => {
  system = await LaunchedSystem.start();
  tenant = await Tenant.create(system, quickAgent);
});
afterAll(() => system?.stop());

describe('a worker that is killed in the middle of a call', () => {
  it('ends the call as FAILED, worker_lost within 15 s; earlier events are kept', async () => {
    onTestFailed(() => console.error(system.tail()));
    const callId = await tenant.dial('talks');
    const before = await tenant.until(
      callId,
      ({ status, transcript }) => status === 'IN_PROGRESS' && transcript.length >= 2,
      60_000,
    );
    const killedAt = Date.now();
    process.kill(system.process('worker').pid, 'SIGKILL');
    const call = await tenant.untilStatus(callId, isOver, 120_000);
    expect(call).toMatchObject({ status: 'FAILED', end_reason: 'worker_lost' });
    const failed = call.events.find(({ type }) => type === 'call.failed')!;
    expect(Date.parse(failed.at) - killedAt).toBeLessThanOrEqual(15_000);
    expect(call.transcript.slice(0, before.transcript.length)).toEqual(before.transcript);
    expect(call.events.filter(({ type }) => type === 'call.failed')).toHaveLength(1);
  });

  it('is reported loudly, and the rest of the system goes on', async () => {
    expect(system.launcher.errorLines.join('\n')).toMatch(/worker-1 ended unexpectedly \(SIGKILL\)/);
    expect((await fetch(`${system.apiUrl}/healthz`)).status).toBe(200);
  });

  it('is started again by itself, and takes the next call', async () => {
    const callId = await tenant.dial('busy');
    expect((await tenant.untilStatus(callId, isOver, 120_000)).status).toBe('BUSY');
  });
});

describe('two workers of which one is killed', () => {
  it('go on taking calls', async () => {
    const pair = await LaunchedSystem.start({ WORKERS: '2' });
    try {
      const customer = await Tenant.create(pair);
      process.kill(pair.process('worker').pid, 'SIGKILL');
      const calls = await Promise.all(Array.from({ length: 4 }, () => customer.dial('busy')));
      const ended = await Promise.all(calls.map((callId) => customer.untilStatus(callId, isOver, 120_000)));
      expect(ended.map(({ status }) => status)).toEqual(['BUSY', 'BUSY', 'BUSY', 'BUSY']);
    } finally {
      await pair.stop();
    }
  });
});
