import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { LaunchedSystem } from '../system/launched-system.js';
import { runToEnd } from '../system/process.js';
import { type CallDetail, expectStatus, isOver, Tenant } from '../system/tenant.js';
import { quickAgent } from './harness/quick-agent.js';
import { decodeRecording, expectTurnsRecorded } from './harness/recording.js';
import { SharedSystem } from './harness/shared-system.js';
import { SimulatedLine } from './harness/simulated-line.js';

const CALLER = '+15005550006';

let system: SharedSystem;
let tenant: Tenant;
let line: SimulatedLine;
/** A number with an agent, and one without. */
let answered: string;
let unanswered: string;
type Talk = Promise<{ sid: string; call: CallDetail }>;
/** Whole conversations, beside the shorter calls: over a good network, and over others. */
let talk: Talk;
const elsewhere = new Map<'mobile' | 'bad', Talk>();

beforeAll(async () => {
  system = new SharedSystem();
  tenant = await Tenant.create(system, quickAgent);
  line = new SimulatedLine(system);
  // One after the other: two that search at the same time are offered the same number.
  answered = await buyNumber(tenant.agentId);
  unanswered = await buyNumber(null);
  talk = converse();
  for (const network of ['mobile', 'bad'] as const) elsewhere.set(network, converse(network));
  for (const one of [talk, ...elsewhere.values()]) one.catch(() => {});
});

async function converse(network?: 'mobile' | 'bad') {
  const sid = await line.call('talks', answered, network);
  return { sid, call: await tenant.untilStatus(await untilArrived(sid), isOver, 220_000) };
}

async function buyNumber(agentId: string | null, buyer = tenant): Promise<string> {
  const offers = await buyer.request('GET', '/api/v1/phones/available?limit=1');
  const [offer] = offers.json as unknown as { phone_number: string }[];
  const bought = await buyer.request('POST', '/api/v1/phones', { phone_number: offer!.phone_number });
  const { id } = expectStatus(201, bought).json as { id: string };
  if (agentId) {
    expectStatus(200, await buyer.request('PATCH', `/api/v1/phones/${id}`, { agent_id: agentId }));
  }
  return offer!.phone_number;
}

async function arrived(sid: string, called = tenant): Promise<string | undefined> {
  const { json } = await called.request('GET', '/api/v1/calls?direction=inbound&limit=50');
  const { calls } = json as { calls: { id: string; carrier_call_id: string }[] };
  return calls.find(({ carrier_call_id }) => carrier_call_id === sid)?.id;
}

async function untilArrived(sid: string, called = tenant): Promise<string> {
  for (const until = performance.now() + 120_000; performance.now() < until; await sleep(100)) {
    const id = await arrived(sid, called);
    if (id) return id;
  }
  throw new Error(`the call ${sid} did not arrive`);
}

describe.concurrent('somebody who hangs up on the agent that answered', () => {
  it('ends the call as caller_hangup', async () => {
    const id = await untilArrived(await line.call('hangs_up', answered));
    const call = await tenant.untilStatus(id, isOver, 120_000);
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'caller_hangup' });
  });
});

describe.concurrent('somebody who calls a number without an agent', () => {
  it('hears a polite sentence, and the call ends; there is no call of the tenant', async () => {
    const sid = await line.call('talks', unanswered);
    const { status, said } = await line.ended(sid, 60_000);
    expect(status).toBe('completed');
    expect(said).toEqual([expect.stringMatching(/^Thank you for calling\. .+ Goodbye\.$/)]);
    expect(await arrived(sid)).toBeUndefined();
  });
});

describe.concurrent('somebody who calls while every worker is full', () => {
  it('hears that all lines are busy; the call is kept as FAILED, no_capacity', async () => {
    const small = await LaunchedSystem.start({ WORKERS: '1', WORKER_CAPACITY: '1' });
    try {
      const called = await Tenant.create(small, quickAgent);
      const number = await buyNumber(called.agentId, called);
      const lines = new SimulatedLine(small);
      const first = await untilArrived(await lines.call('stays_silent', number), called);
      await called.untilStatus(first, ({ status }) => status === 'IN_PROGRESS', 120_000);
      const sid = await lines.call('talks', number);
      const id = await untilArrived(sid, called);
      expect(await called.detail(id)).toMatchObject({ status: 'FAILED', end_reason: 'no_capacity' });
      const { said } = await lines.ended(sid, 60_000);
      expect(said).toEqual([expect.stringMatching(/All our lines are busy\..+ Goodbye\.$/)]);
      expect((await called.detail(first)).status).toBe('IN_PROGRESS');
    } finally {
      await small.stop();
    }
  });
});

describe.concurrent('npm run call -- --inbound', () => {
  it('buys a number, lets the person call it and follows the call to its end; again with the same number', async ({
    onTestFailed,
  }) => {
    const cli = () =>
      runToEnd({
        entry: 'infra/dist/cli/call.js',
        args: ['--inbound', '--person', 'hangs_up'],
        env: { DATA_DIR: system.dataDir },
      });
    const first = await cli();
    onTestFailed(() => console.error(first.stdout, first.stderr, system.tail()));
    expect(first.stderr).toBe('');
    expect(first.code).toBe(0);
    const number = /^\+15005550013 calls (\+\d+), which the agent answers\.$/m.exec(first.stdout)?.[1];
    expect(number).toBeDefined();
    expect(first.stdout).toMatch(/· answered\n.*agent {3}Hello.*· completed \(caller_hangup\)/s);
    expect((await cli()).stdout).toContain(`calls ${number},`);
  });
});

describe('somebody who calls a number that an agent answers', () => {
  let sid: string;
  let call: CallDetail;

  beforeAll(async () => {
    ({ sid, call } = await talk);
  }, 300_000);

  it('talks with it to the goodbye: RINGING, IN_PROGRESS, COMPLETED', () => {
    onTestFailed(() => console.error(system.tail(), JSON.stringify(call, null, 1)));
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'agent_hangup', is_test_call: true });
    const steps = ['call.ringing', 'call.started', 'call.completed'];
    expect(call.events.map(({ type }) => type).filter((type) => steps.includes(type))).toEqual(steps);
  });

  it('is a call of its direction, with the caller’s number and the number that was called', async () => {
    const { json } = await tenant.request('GET', `/api/v1/calls/${call.id}`);
    expect(json).toMatchObject({
      direction: 'inbound',
      from_number: CALLER,
      carrier: 'simulated',
      carrier_call_id: sid,
    });
  });

  it('hears the first message first, and both sides are in the transcript', () => {
    const agent = call.transcript.filter(({ role }) => role === 'agent').map(({ text }) => text);
    expect(agent.slice(0, 2)).toContain(tenant.agent.first_message);
    const caller = call.transcript.filter(({ role }) => role === 'caller').map(({ text }) => text);
    expect(caller.length).toBeGreaterThanOrEqual(3);
    expect(caller.join(' ').toLowerCase()).toContain('goodbye');
  });

  it('is on the recording with the agent, each on their channel', async () => {
    const recording = await decodeRecording((await tenant.recording(call.id)).mp3);
    expect(Math.abs(recording.durationMs - call.duration_ms!)).toBeLessThan(1500);
    expectTurnsRecorded(recording, call.transcript);
  });

  it('is let go at the carrier too', async () => {
    expect((await line.ended(sid, 60_000)).status).toBe('completed');
  });
});

describe.each(['mobile', 'bad'] as const)('a conversation over a %s network', (network) => {
  let call: CallDetail;

  beforeAll(async () => {
    ({ call } = await elsewhere.get(network)!);
  }, 300_000);

  it('comes to the goodbye, with the words that were said, and nobody cuts the other off', async () => {
    onTestFailed(() => console.error(JSON.stringify(call, null, 1)));
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'agent_hangup' });
    const wordsIn = ({ transcript }: CallDetail) =>
      transcript.flatMap(({ role, text }) => (role === 'caller' ? text.toLowerCase().match(/\w+/g)! : []));
    const heard = new Set(wordsIn(call));
    const said = wordsIn((await talk).call);
    // A recogniser that hears the audio itself may miss a word of what was lost.
    expect(said.filter((word) => heard.has(word)).length / said.length).toBeGreaterThan(0.8);
    expect(heard).toContain('goodbye');
    const agent = call.transcript.filter(({ role }) => role === 'agent');
    expect(agent.filter(({ interrupted }) => interrupted)).toEqual([]);
    expect(agent.map(({ heard_text }) => heard_text)).toEqual(agent.map(({ text }) => text));
  });
});
