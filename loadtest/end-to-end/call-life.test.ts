import type { SimulatedBehavior } from '@voice/shared/contracts/test-numbers';
import { beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { runToEnd } from '../system/process.js';
import { type CallDetail, type CallStatus, isOver, Tenant } from '../system/tenant.js';
import { decisionLogPath } from './harness/decision-log.js';
import { quickAgent } from './harness/quick-agent.js';
import { decodeRecording, expectTurnsRecorded } from './harness/recording.js';
import { SharedSystem } from './harness/shared-system.js';

const PEOPLE: readonly SimulatedBehavior[] = [
  'talks',
  'talks_over',
  'busy',
  'no_answer',
  'voicemail',
  'hangs_up',
  'stays_silent',
  'rejects',
];
/** The longest simulated person, with room for a loaded machine. */
const CALL_WITHIN_MS = 220_000;

interface Followed {
  readonly call: CallDetail;
  /** Each status that was seen, in order, once. */
  readonly seen: readonly CallStatus[];
}

let system: SharedSystem;
let tenant: Tenant;
/** All people are called at the same time; each test looks at its own call. */
const followed = new Map<SimulatedBehavior, Promise<Followed>>();

async function follow(callId: string): Promise<Followed> {
  const seen: CallStatus[] = [];
  const call = await tenant.untilStatus(callId, isOver, CALL_WITHIN_MS, ({ status }) => {
    if (seen.at(-1) !== status) seen.push(status);
  });
  return { call, seen };
}

const ended = async (person: SimulatedBehavior): Promise<Followed> => {
  onTestFailed(() => console.error(system.tail(30)));
  const one = await followed.get(person)!;
  onTestFailed(() => console.error(JSON.stringify(one.call, null, 1)));
  return one;
};

/** Returns the figures of the turns that have both, once the recording was measured. */
async function measured<A extends Figure, B extends Figure>(callId: string, worker: A, waveform: B) {
  const isMeasured = async () =>
    (await tenant.detail(callId)).metrics.turns.some((turn) => turn.waveform_response_latency_ms !== null);
  await expect.poll(isMeasured, { timeout: 30_000 }).toBe(true);
  return (await tenant.detail(callId)).metrics.turns.flatMap((turn): [number, number][] => {
    const [first, second] = [turn[worker], turn[waveform]];
    return typeof first === 'number' && typeof second === 'number' ? [[first, second]] : [];
  });
}

type Figure = keyof CallDetail['metrics']['turns'][number];

beforeAll(async () => {
  system = new SharedSystem();
  tenant = await Tenant.create(system, quickAgent);
  // What is said in every call is in its voice's cache then: ten calls would ask for it at the same moment.
  const first = await tenant.dial('hangs_up');
  await tenant.untilStatus(first, isOver, 60_000);
  for (const person of PEOPLE) {
    const following = tenant.dial(person).then(follow);
    following.catch(() => {});
    followed.set(person, following);
  }
});

describe('a call to somebody who talks', () => {
  it('goes from QUEUED over RINGING and IN_PROGRESS to COMPLETED', async () => {
    const { call, seen } = await ended('talks');
    expect(call.status).toBe('COMPLETED');
    const order: readonly CallStatus[] = ['QUEUED', 'RINGING', 'IN_PROGRESS', 'COMPLETED'];
    expect(seen).toEqual(order.filter((status) => seen.includes(status)));
    const steps = ['call.queued', 'call.ringing', 'call.started', 'call.completed'];
    expect(call.events.map(({ type }) => type).filter((type) => steps.includes(type))).toEqual(steps);
    expect(call.is_test_call).toBe(true);
  });

  it('begins with the disclosure, then the first message', async () => {
    const { call } = await ended('talks');
    const disclosure = tenant.agent.disclosure as { text: string } | null;
    const opening = [...(disclosure ? [disclosure.text] : []), String(tenant.agent.first_message)];
    expect(call.transcript[0]?.text).toBe(opening[0]);
    const agent = call.transcript.filter(({ role }) => role === 'agent');
    expect(agent.slice(0, opening.length).map(({ text }) => text)).toEqual(opening);
  });

  it('has its turns in order, without a gap, and both sides speak several times', async () => {
    const { transcript } = (await ended('talks')).call;
    expect(transcript.map(({ index }) => index)).toEqual(transcript.map((_, i) => i));
    // People may talk at the same time; but no turn was over before its predecessor began.
    for (const [i, turn] of transcript.entries()) {
      if (i > 0) expect(turn.ended_at_ms).toBeGreaterThan(transcript[i - 1]!.started_at_ms);
    }
    for (const role of ['agent', 'caller'] as const) {
      expect(transcript.filter((turn) => turn.role === role).length).toBeGreaterThanOrEqual(3);
    }
    for (const turn of transcript) expect(turn.text.trim()).not.toBe('');
  });

  it('answers each turn of the caller, and reports its latency', async () => {
    const { call } = await ended('talks');
    const latencies = call.metrics.turns.flatMap(({ response_latency_ms }) => response_latency_ms ?? []);
    const callerTurns = call.transcript.filter(({ role }) => role === 'caller').length;
    expect(latencies.length).toBeGreaterThanOrEqual(callerTurns - 1);
    for (const latency of latencies) expect(latency).toBeGreaterThan(0);
    // How short they are is for the benches to measure: here the machine has other work.
    const median = latencies.toSorted((a, b) => a - b)[Math.ceil(latencies.length / 2) - 1];
    expect(call.metrics.p50.response_latency_ms).toBe(median);
  });

  it('was as fast as it says, measured in its recording', async () => {
    const { call } = await ended('talks');
    const both = await measured(call.id, 'response_latency_ms', 'waveform_response_latency_ms');
    expect(both.length).toBeGreaterThanOrEqual(3);
    // Nearly: a machine that stands still for a moment holds up one.
    const apart = both.filter(([worker, waveform]) => Math.abs(worker - waveform) > 60);
    expect(apart.slice(1), JSON.stringify(both)).toEqual([]);
  });

  it('leaves a stereo MP3 of its length: the caller left, the agent right', async () => {
    const { call } = await ended('talks');
    const { mp3 } = await tenant.recording(call.id);
    const recording = await decodeRecording(mp3);
    expect(recording.channels).toHaveLength(2);
    expect(Math.abs(recording.durationMs - call.duration_ms!)).toBeLessThan(1500);
    expectTurnsRecorded(recording, call.transcript);
  });

  it('gives the recording to nobody without the signature, and the call to no other tenant', async () => {
    const { call } = await ended('talks');
    const { url } = await tenant.recording(call.id);
    const unsigned = new URL(url);
    unsigned.searchParams.delete('signature');
    expect((await fetch(unsigned)).status).toBeGreaterThanOrEqual(401);
    const other = await Tenant.create(system);
    expect((await other.request('GET', `/api/v1/calls/${call.id}`)).status).toBe(404);
    expect((await other.request('GET', `/api/v1/calls/${call.id}/recording`)).status).toBe(404);
  });
});

describe('a call to somebody who talks over the agent', () => {
  it('keeps what was heard of an interrupted turn: a proper prefix of what was to be said', async () => {
    const { call } = await ended('talks_over');
    expect(call.status).toBe('COMPLETED');
    const cut = call.transcript.filter(({ role, interrupted }) => role === 'agent' && interrupted);
    expect(cut.length).toBeGreaterThanOrEqual(1);
    for (const { text, heard_text } of cut) {
      expect(heard_text.length).toBeLessThan(text.length);
      expect(text.startsWith(heard_text.trim())).toBe(true);
    }
    expect(cut.some(({ heard_text }) => heard_text.trim() !== '')).toBe(true);
  });

  it('reports how fast the agent fell silent', async () => {
    const { call } = await ended('talks_over');
    const latencies = call.metrics.turns.flatMap(({ barge_in_latency_ms }) => barge_in_latency_ms ?? []);
    expect(latencies.length).toBeGreaterThanOrEqual(1);
    expect(Math.min(...latencies)).toBeLessThan(1000);
    // The recording may show less, where the agent was cut between two words.
    const both = await measured(call.id, 'barge_in_latency_ms', 'waveform_barge_in_latency_ms');
    expect(both.filter(([worker, waveform]) => waveform - worker > 60)).toEqual([]);
  });
});

describe('a call that is not answered by a person', () => {
  it.each([
    ['busy', 'BUSY', 'busy'],
    ['no_answer', 'NO_ANSWER', 'no_answer'],
    ['voicemail', 'VOICEMAIL', 'voicemail'],
    ['rejects', 'FAILED', undefined],
  ] as const)('to %s ends as %s', async (person, status, reason) => {
    const { call } = await ended(person);
    expect(call.status).toBe(status);
    if (reason) expect(call.end_reason).toBe(reason);
  });
});

describe('a call that the person ends', () => {
  it('by hanging up in the middle is COMPLETED, caller_hangup', async () => {
    const { call } = await ended('hangs_up');
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'caller_hangup' });
  });

  it('by saying nothing at all is ended by the agent after its prompts', async () => {
    const { call } = await ended('stays_silent');
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'silence_timeout' });
    expect(call.transcript.every(({ role }) => role === 'agent')).toBe(true);
  });
});

describe('the decision log of a call', () => {
  it.each(['talks', 'talks_over'] as const)(
    'to somebody who %s replays to the same decisions',
    async (person) => {
      const { call } = await ended(person);
      await decisionLogPath(system.dataDir, call.id);
      const { code, stdout } = await runToEnd({
        entry: 'infra/dist/cli/replay.js',
        args: [call.id],
        env: { DATA_DIR: system.dataDir },
      });
      expect(stdout).toMatch(/^ +0\.\d{3} s {2}call_started → say 1 /);
      expect(stdout).toContain('0 different');
      expect(code).toBe(0);
    },
  );
});

describe('hanging up by the API', () => {
  it('ends a live call; the second time it has already ended', async () => {
    const callId = await tenant.dial('talks');
    await tenant.until(
      callId,
      ({ status, transcript }) => status === 'IN_PROGRESS' && transcript.length > 0,
      60_000,
    );
    const path = `/api/v1/calls/${callId}/hangup`;
    expect((await tenant.request('POST', path, {})).status).toBe(202);
    const call = await tenant.untilStatus(callId, isOver, 120_000);
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'operator_hangup' });
    expect((await tenant.request('POST', path, {})).json).toMatchObject({ status: 'already_ended' });
  });
});

describe('placing a call', () => {
  it('is refused where a sandbox key would dial a real number', async () => {
    const answer = await tenant.request('POST', '/api/v1/calls', {
      agent_id: tenant.agentId,
      from_number: '+15005550100',
      to_number: '+14155550123',
    });
    expect(answer).toMatchObject({ status: 403, json: { code: 'sandbox_number_required' } });
  });

  it('happens once for one Idempotency-Key, whatever the network does', async () => {
    const body = { agent_id: tenant.agentId, from_number: '+15005550100', to_number: '+15005550010' };
    const key = { 'idempotency-key': 'once-only' };
    const first = await tenant.request('POST', '/api/v1/calls', body, key);
    const second = await tenant.request('POST', '/api/v1/calls', body, key);
    expect(first.status).toBe(202);
    expect(second.json).toEqual(first.json);
    expect(second.headers.get('x-idempotent-replay')).toBe('true');
  });
});
