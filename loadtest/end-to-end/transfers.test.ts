import { type SimulatedBehavior, TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { type CallDetail, expectStatus, isOver, Tenant } from '../system/tenant.js';
import { quickAgent } from './harness/quick-agent.js';
import { SharedSystem } from './harness/shared-system.js';
import { SimulatedLine } from './harness/simulated-line.js';

let system: SharedSystem;
let tenant: Tenant;
let line: SimulatedLine;

beforeAll(async () => {
  system = new SharedSystem();
  tenant = await Tenant.create(system, quickAgent);
  line = new SimulatedLine(system);
});

const numberOf = (person: SimulatedBehavior) =>
  TEST_NUMBERS.find(({ behavior }) => behavior === person)!.number;
const explain = ({ onTestFailed }: TestContext, call?: CallDetail) =>
  onTestFailed(() => console.error(system.tail(60), JSON.stringify(call, null, 1)));

/** Gives a call in which the agent has begun to talk. */
async function live(): Promise<string> {
  const id = await tenant.dial('stays_silent');
  const talking = ({ status, transcript }: CallDetail) => status === 'IN_PROGRESS' && transcript.length > 0;
  await tenant.until(id, talking, 120_000);
  return id;
}

const transfer = (id: string, to: SimulatedBehavior, more: object = {}) =>
  tenant.request('POST', `/api/v1/calls/${id}/transfer`, { destination: numberOf(to), ...more });
const guarded = async (id: string) => {
  const { json } = await tenant.request('GET', `/api/v1/calls/${id}`);
  return (json as { extra: { transfer_in_progress: boolean } }).extra.transfer_in_progress;
};
const sidOf = async (id: string) => {
  const { json } = await tenant.request('GET', `/api/v1/calls/${id}`);
  return String(json.carrier_call_id);
};

const failureOf = ({ events }: CallDetail) => events.find(({ type }) => type === 'transfer.failed')?.data;

describe.concurrent('a transfer of a live call', () => {
  it('cold: the call ends as transferred, and goes on at the carrier without us', async (test) => {
    const id = await live();
    const { json } = expectStatus(200, await transfer(id, 'talks'));
    expect(json).toMatchObject({ status: 'transferred', transfer_type: 'cold' });
    const call = await tenant.detail(id);
    explain(test, call);
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'transferred' });
    expect(call.events.filter(({ type }) => type === 'call.transferred')).toHaveLength(1);
    expect(await guarded(id)).toBe(false);
    expect((await transfer(id, 'talks')).json).toMatchObject({ code: 'call_not_active' });
    expect((await line.ended(await sidOf(id), 60_000)).status).toBe('completed');
  });

  it('cold to a human who is busy: the caller gets an announcement, and the call ends at the carrier', async () => {
    const id = await live();
    expectStatus(200, await transfer(id, 'busy'));
    const { said } = await line.ended(await sidOf(id), 60_000);
    expect(said).toEqual([expect.stringMatching(/nobody can take your call/)]);
  });

  it('warm: the human is rung, and both meet when they have answered', async (test) => {
    const id = await live();
    const warm = { transfer_type: 'warm', briefing: 'Sam Taylor is on the line.' };
    expect(expectStatus(200, await transfer(id, 'talks', warm)).json).toMatchObject({
      status: 'in_progress',
    });
    expect((await transfer(id, 'talks')).json).toMatchObject({ code: 'transfer_in_progress' });
    const call = await tenant.untilStatus(id, isOver, 120_000);
    explain(test, call);
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'transferred' });
    expect((await line.ended(await sidOf(id), 60_000)).status).toBe('completed');
  });

  it('warm to a human who is busy: the agent goes on, and the call can be transferred again', async (test) => {
    const id = await live();
    expectStatus(200, await transfer(id, 'busy', { transfer_type: 'warm' }));
    const continued = await tenant.until(
      id,
      ({ events }) => events.some(({ type }) => type === 'transfer.failed'),
      60_000,
    );
    explain(test, continued);
    expect(continued.status).toBe('IN_PROGRESS');
    expect(failureOf(continued)).toMatchObject({ reason: 'busy' });
    expect(await guarded(id)).toBe(false);
    expectStatus(200, await transfer(id, 'talks'));
    expect(await tenant.detail(id)).toMatchObject({ status: 'COMPLETED', end_reason: 'transferred' });
  });

  it('warm to an answering machine: the caller never meets it, and the agent goes on', async (test) => {
    const id = await live();
    const briefing = 'Sam Taylor is on the line and asks about an order that has not come for two weeks.';
    expectStatus(200, await transfer(id, 'voicemail', { transfer_type: 'warm', briefing }));
    const continued = await tenant.until(id, (call) => failureOf(call) !== undefined, 60_000);
    explain(test, continued);
    expect(continued.status).toBe('IN_PROGRESS');
    expect(failureOf(continued)).toMatchObject({ reason: 'machine' });
  });
});
