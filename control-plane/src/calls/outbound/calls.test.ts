/** @replicas Leases of dispatching; callbacks that reach another replica than the one that dialed. */

import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { createAgent, startTestInstallation } from '../../testing/installation.js';
import type { DialedCall, ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';
import { callModel } from '../record/model.js';
import type { CallDetailResponse, CallListResponse, CallResponse } from '../record/schemas.js';
import { agentMessage, ended, mediaStarted, metricsOf } from '../testing/events.js';

let carrier: ScriptedCarrier;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let key: string;
let agentId: string;

const TALKS = '+15005550006';

beforeAll(async () => {
  const installation = await startTestInstallation();
  ({ carrier, plane, worker } = installation);
  return installation.close;
});
beforeEach(async () => {
  carrier.mode = 'takes';
  carrier.beforeAnswer = async () => {};
  worker.mode = 'reserves';
  worker.held.clear();
  ({ key } = await plane.newKey());
  agentId = await createAgent(plane, key, {
    system_prompt: 'You call {{name}}.',
    first_message: 'Hello {{name}}!',
  });
  await worker.heartbeat(plane);
});
afterEach(() => {
  expect(worker.refused).toEqual([]);
});

const dial = (changes: object = {}, headers: Record<string, string> = {}) =>
  plane.request('POST', '/api/v1/calls', {
    key,
    headers,
    body: { agent_id: agentId, from_number: SANDBOX_CALLER_ID, to_number: TALKS, ...changes },
  });
const get = async (id: string) =>
  (await plane.request('GET', `/api/v1/calls/${id}`, { key })).json as CallResponse;
const detail = async (id: string) =>
  (await plane.request('GET', `/api/v1/calls/${id}/detail`, { key })).json as CallDetailResponse;
const untilStatus = (id: string, status: string) =>
  eventually(
    () => get(id),
    (call) => call.status === status,
  );

/** A call that the carrier has taken. */
async function dialed(changes: object = {}): Promise<{ id: string; line: DialedCall }> {
  const answer = await dial(changes);
  expect(answer.status, answer.text).toBe(202);
  const { id } = answer.json as { id: string };
  const line = await eventually(() => carrier.callOf(id));
  await eventually(
    () => get(id),
    (call) => call.carrier_call_id !== null,
  );
  return { id, line: line! };
}

async function inProgress(changes: object = {}) {
  const call = await dialed(changes);
  await carrier.report(call.line, 'ringing');
  await carrier.report(call.line, 'in-progress');
  await worker.send(plane, worker.number(call.id, [mediaStarted(call.line.sid)]));
  return call;
}

describe('the life of a call', () => {
  // @rule 3.1
  it('goes from QUEUED over RINGING and IN_PROGRESS to COMPLETED, with what was said', async () => {
    const answer = await dial({ variables: { name: 'Ada' }, metadata: { order: '$1.50' } });
    expect(answer.status).toBe(202);
    const created = answer.json as { id: string; call_id: string; status: string };
    expect(created).toMatchObject({ call_id: created.id, status: 'queued' });
    const { id } = created;

    const line = (await eventually(() => carrier.callOf(id)))!;
    expect(line.form).toMatchObject({ To: TALKS, From: SANDBOX_CALLER_ID, MachineDetection: 'Enable' });
    expect(line.form.Twiml).toContain(`<Parameter name="token" value="token-${id}"/>`);
    expect(line.form.StatusCallback).toBe(`${plane.url}/internal/carriers/simulated/status?call_id=${id}`);
    const plan = worker.plans.find(({ call_id }) => call_id === id)!;
    expect(plan.agent.first_message).toBe('Hello Ada!');
    expect(plan.agent.system_prompt).toBe('You call Ada.');
    expect(plan.disclosure).toMatch(/AI/);
    expect(plan.carrier.captions_url).toBe(`${carrier.url.replace('http', 'ws')}/captions`);

    expect(await carrier.report(line, 'initiated')).toBe(204);
    expect((await get(id)).status).toBe('QUEUED');
    // In whole seconds, so at most a second before it was queued: the order of the timeline holds.
    const timestamp = new Date(Math.floor(Date.now() / 1000) * 1000).toUTCString();
    expect(await carrier.report(line, 'ringing', { Timestamp: timestamp })).toBe(204);
    expect((await get(id)).status).toBe('RINGING');
    expect(await carrier.report(line, 'in-progress')).toBe(204);
    expect((await get(id)).status).toBe('IN_PROGRESS');

    const events = worker.number(id, [
      mediaStarted(line.sid),
      agentMessage(0, 'Hello Ada!', 'Hello'),
      metricsOf(1, 420),
      metricsOf(2, 640),
      ended('agent_hangup', 12_345),
    ]);
    const taken = await worker.send(plane, events);
    expect(taken.json).toEqual({
      accepted: [1, 2, 3, 4, 5].map((seq) => ({ call_id: id, seq })),
      rejected: [],
    });
    const call = await get(id);
    expect(call).toMatchObject({
      status: 'COMPLETED',
      end_reason: 'agent_hangup',
      duration_ms: 12_345,
      is_test_call: true,
      direction: 'outbound',
      worker_id: 'worker-1',
      carrier_call_id: line.sid,
      metadata: { order: '$1.50' },
      recording_url: null,
    });
    const full = await detail(id);
    expect(full.transcript).toMatchObject([
      { index: 0, text: 'Hello Ada!', heard_text: 'Hello', interrupted: true },
    ]);
    expect(full.metrics.turns).toHaveLength(2);
    expect(full.metrics.p50.response_latency_ms).toBe(420);
    expect(full.metrics.p95.response_latency_ms).toBe(640);
    expect(full.events.map(({ type }) => type).filter((type) => type.startsWith('call.'))).toEqual([
      'call.queued',
      'call.dialed',
      'call.ringing',
      'call.started',
      'call.completed',
    ]);
    await eventually(() => carrier.hungUp.includes(line.sid));
  });

  // @rule 3.6
  it.each([
    ['busy', 'BUSY', 'busy'],
    ['no-answer', 'NO_ANSWER', 'no_answer'],
    ['failed', 'FAILED', 'carrier_failed'],
  ])('ends as listed when the carrier says %s, and gives the place back', async (said, status, reason) => {
    const { id, line } = await dialed();
    await carrier.report(line, 'ringing');
    await carrier.report(line, said);
    expect(await get(id)).toMatchObject({ status, end_reason: reason });
    await eventually(() => worker.givenBack.includes(id));
    expect(carrier.hungUp).not.toContain(line.sid);
  });

  it('keeps what it took to prepare a call that nobody answers, for its cost', async () => {
    const { id, line } = await dialed();
    const tts = { provider: 'elevenlabs', model: '', characters: 24 };
    worker.used = {
      stt: { provider: 'deepgram', model: '', audio_ms: 0 },
      llm: { provider: 'openai', model: '', input_tokens: 0, output_tokens: 0 },
      tts,
      segments: [{ kind: 'tts', fallback: false, ...tts }],
    };
    await carrier.report(line, 'no-answer');
    const kept = await eventually(
      async () => (await callModel(plane.platform.store).findById(id))?.prepared_usage,
    );
    expect(JSON.parse(kept!)).toEqual(worker.used);
  });

  it('informs the worker of a machine, and ends as VOICEMAIL when the worker says so', async () => {
    const { id, line } = await inProgress();
    expect(await carrier.reportAnsweredBy(line, 'machine_start')).toBe(204);
    expect(await carrier.reportAnsweredBy(line, 'machine_start')).toBe(204);
    const sent = worker.commands.filter(({ callId }) => callId === id);
    expect(sent[0]?.command.command).toEqual({ kind: 'machine_detected', answered_by: 'machine_start' });
    expect(new Set(sent.map(({ command }) => command.command_id)).size).toBe(1);
    await worker.send(plane, worker.number(id, [ended('voicemail', 2000)]));
    expect(await get(id)).toMatchObject({ status: 'VOICEMAIL', answered_by: 'machine_start' });
  });

  it('leaves the last word to the worker when the carrier says that the call is over', async () => {
    const { id, line } = await inProgress();
    await carrier.report(line, 'completed', { CallDuration: '5' });
    expect((await get(id)).status).toBe('IN_PROGRESS');
    expect(worker.commands.filter(({ callId }) => callId === id).at(-1)?.command.command).toEqual({
      kind: 'carrier_ended',
      reason: 'caller_hangup',
    });
    await worker.send(plane, worker.number(id, [ended('caller_hangup', 5000)]));
    expect(await get(id)).toMatchObject({ status: 'COMPLETED', end_reason: 'caller_hangup' });
  });

  it('says in its timeline, once, that it waits for room, and until when', async () => {
    worker.mode = 'full';
    const { id } = (await dial()).json as { id: string };
    const waiting = async () => (await detail(id)).events.filter(({ type }) => type === 'call.waiting');
    await eventually(async () => (await waiting()).length > 0);
    worker.mode = 'reserves';
    await eventually(() => carrier.callOf(id));
    expect(await waiting()).toMatchObject([
      { data: { reason: 'no_worker_has_room', until: expect.stringMatching(/^\d{4}-.*Z$/) } },
    ]);
  });

  // @rule 2.10
  it('freezes the agent: what is changed after the creation is heard on the next call', async () => {
    worker.mode = 'full';
    const { id } = (await dial({ variables: { name: 'Ada' } })).json as { id: string };
    await plane.request('PATCH', `/api/v1/agents/${agentId}`, { key, body: { first_message: 'Changed' } });
    worker.mode = 'reserves';
    await eventually(() => carrier.callOf(id));
    expect(worker.plans.find(({ call_id }) => call_id === id)?.agent.first_message).toBe('Hello Ada!');
    expect(await get(id)).toMatchObject({ agent_version: 1 });
  });
});

describe('what is refused', () => {
  it.each<[string, () => Promise<object> | object, number, string]>([
    [
      'an unknown agent',
      () => ({ agent_id: '00000000-0000-4000-8000-000000000000' }),
      404,
      'agent_not_found',
    ],
    [
      'a real number with a sandbox key',
      () => ({ to_number: '+14155550123' }),
      403,
      'sandbox_number_required',
    ],
    ['a caller id of nobody', () => ({ from_number: '+14155550199' }), 403, 'caller_id_unverified'],
    ['a number that is none', () => ({ to_number: '555' }), 422, 'validation_error'],
    ['an unknown field', () => ({ to: TALKS }), 422, 'validation_error'],
    [
      'an unknown compliance check',
      () => ({ compliance_check_id: '00000000-0000-4000-8000-000000000000' }),
      404,
      'compliance_check_not_found',
    ],
  ])('%s', async (_, changes, status, code) => {
    const answer = await dial(await changes());
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([status, code]);
  });

  it('an inactive agent', async () => {
    await plane.request('DELETE', `/api/v1/agents/${agentId}`, { key });
    const answer = await dial();
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([409, 'agent_inactive']);
  });

  it('an agent that does not say that it is an AI, with the stored check', async () => {
    await plane.request('PATCH', `/api/v1/agents/${agentId}`, { key, body: { disclosure: { text: '' } } });
    const answer = await dial();
    expect(answer.status).toBe(403);
    expect(answer.json).toMatchObject({ code: 'compliance_denied', reasons: ['disclosure_missing'] });
    const { check_id } = answer.json as { check_id: string };
    const again = await dial({ compliance_check_id: check_id });
    expect(again.json).toMatchObject({ code: 'compliance_denied', check_id });
  });

  it("a live key's use of the sandbox caller id", async () => {
    const { key: live } = await plane.newKey({ sandbox: false });
    const agent = await plane.request('POST', '/api/v1/agents', {
      key: live,
      body: { name: 'Live', system_prompt: 'Call.' },
    });
    const answer = await plane.request('POST', '/api/v1/calls', {
      key: live,
      body: {
        agent_id: (agent.json as { id: string }).id,
        from_number: SANDBOX_CALLER_ID,
        to_number: TALKS,
      },
    });
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([403, 'caller_id_unverified']);
  });

  it("another tenant's call", async () => {
    const { id } = await dialed();
    const { key: other } = await plane.newKey();
    for (const path of [
      `/api/v1/calls/${id}`,
      `/api/v1/calls/${id}/detail`,
      `/api/v1/calls/${id}/recording`,
    ]) {
      expect((await plane.request('GET', path, { key: other })).status).toBe(404);
    }
    expect((await plane.request('POST', `/api/v1/calls/${id}/hangup`, { key: other })).status).toBe(404);
    const list = (await plane.request('GET', '/api/v1/calls', { key: other })).json as CallListResponse;
    expect(list.calls).toEqual([]);
  });
});

describe('an earlier compliance check', () => {
  it('stands for a call to the same numbers', async () => {
    const check = await plane.request('POST', '/api/v1/compliance/check', {
      key,
      body: { to_number: TALKS },
    });
    expect(check.json).toMatchObject({ decision: 'allowed', checks: { dnc: { outcome: 'passed' } } });
    const { id } = check.json as { id: string };
    const answer = await dial({ compliance_check_id: id });
    expect(answer.json).toMatchObject({ compliance_check_id: id });
    const other = await dial({ compliance_check_id: id, to_number: '+15005550010' });
    expect(other.json).toMatchObject({ code: 'compliance_check_mismatch' });
  });
});

describe('one request sent twice', () => {
  it('makes one call', async () => {
    const first = await dial({}, { 'idempotency-key': 'once' });
    const second = await dial({}, { 'idempotency-key': 'once' });
    expect(second.text).toBe(first.text);
    expect(second.headers.get('x-idempotent-replay')).toBe('true');
  });
});

describe('hanging up', () => {
  // @rule 3.7
  it('asks the worker to end a call in progress; once it is over, it has already ended', async () => {
    const { id } = await inProgress();
    const first = await plane.request('POST', `/api/v1/calls/${id}/hangup`, {
      key,
      body: { reason: 'enough' },
    });
    expect([first.status, first.json]).toEqual([202, { call_id: id, status: 'hanging_up' }]);
    const sent = () => worker.commands.filter(({ callId }) => callId === id);
    expect(sent().at(-1)?.command.command).toEqual({ kind: 'hang_up', reason: 'operator_hangup' });
    await worker.send(plane, worker.number(id, [ended('operator_hangup', 3000)]));
    const before = sent().length;
    const second = await plane.request('POST', `/api/v1/calls/${id}/hangup`, { key });
    expect([second.status, second.json]).toEqual([202, { call_id: id, status: 'already_ended' }]);
    expect(sent()).toHaveLength(before);
    expect(await get(id)).toMatchObject({ status: 'COMPLETED', end_reason: 'operator_hangup' });
  });

  it('cancels a ringing call at the carrier and gives its place back', async () => {
    const { id, line } = await dialed();
    await carrier.report(line, 'ringing');
    await plane.request('POST', `/api/v1/calls/${id}/hangup`, { key });
    expect(await get(id)).toMatchObject({
      status: 'FAILED',
      end_reason: 'operator_hangup',
      error_code: 'cancelled',
    });
    await eventually(() => carrier.hungUp.includes(line.sid) && worker.givenBack.includes(id));
    expect(await carrier.report(line, 'canceled')).toBe(204);
    expect((await get(id)).status).toBe('FAILED');
  });

  it('ends a call that was answered and has no media stream yet', async () => {
    const { id, line } = await dialed();
    await carrier.report(line, 'in-progress');
    await plane.request('POST', `/api/v1/calls/${id}/hangup`, { key });
    expect(await get(id)).toMatchObject({ status: 'COMPLETED', end_reason: 'operator_hangup' });
    await eventually(() => carrier.hungUp.includes(line.sid) && worker.givenBack.includes(id));
  });

  it('cancels a queued call that waits for a place', async () => {
    worker.mode = 'full';
    const { id } = (await dial()).json as { id: string };
    await plane.request('POST', `/api/v1/calls/${id}/hangup`, { key });
    worker.mode = 'reserves';
    expect((await get(id)).status).toBe('FAILED');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(carrier.callOf(id)).toBeUndefined();
  });

  it('hangs up what was dialed while the call was cancelled', async () => {
    carrier.beforeAnswer = async ({ form }) => {
      const id = new URL(form.StatusCallback!).searchParams.get('call_id');
      await plane.request('POST', `/api/v1/calls/${id}/hangup`, { key });
    };
    const { id } = (await dial()).json as { id: string };
    await untilStatus(id, 'FAILED');
    const line = await eventually(() => carrier.callOf(id));
    await eventually(() => carrier.hungUp.includes(line!.sid) && worker.givenBack.includes(id));
  });
});

describe('a plan that no worker can run', () => {
  it('ends the call at once, with what the worker says is wrong', async () => {
    worker.mode = 'refuses';
    const { id } = (await dial()).json as { id: string };
    expect(await untilStatus(id, 'FAILED')).toMatchObject({
      end_reason: 'provider_failed',
      error_code: 'pipeline_not_supported',
    });
    expect(carrier.callOf(id)).toBeUndefined();
  });
});

describe('dialing that fails', () => {
  it.each([
    ['a number that the carrier rejects', { status: 400, code: 21211 }, 'rejected', 'twilio_21211'],
    ['a carrier that refuses', { status: 401, code: 20003 }, 'carrier_failed', 'twilio_20003'],
  ])('%s ends the call and gives the place back', async (_, mode, reason, code) => {
    carrier.mode = mode;
    const { id } = (await dial()).json as { id: string };
    const call = await untilStatus(id, 'FAILED');
    expect(call).toMatchObject({ end_reason: reason, error_code: code });
    await eventually(() => worker.givenBack.includes(id));
  });

  it('is tried again when certainly nothing rings', async () => {
    carrier.mode = { status: 503, code: 20503 };
    const { id } = (await dial()).json as { id: string };
    await eventually(() => worker.givenBack.includes(id));
    expect((await get(id)).status).toBe('QUEUED');
    carrier.mode = 'takes';
    await eventually(() => carrier.callOf(id));
  });

  it('is not tried again when it may ring; the callback decides', async () => {
    carrier.mode = 'takes_silently';
    const { id } = (await dial()).json as { id: string };
    const line = (await eventually(() => carrier.callOf(id)))!;
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect((await get(id)).status).toBe('QUEUED');
    expect(carrier.dialed.filter(({ form }) => form.StatusCallback?.includes(id))).toHaveLength(1);
    await carrier.report(line, 'ringing');
    expect(await get(id)).toMatchObject({ status: 'RINGING', carrier_call_id: line.sid });
  });
});

describe('callbacks', () => {
  it('of a line that rings for a call that is over have it hung up', async () => {
    carrier.mode = 'takes_silently';
    const { id } = (await dial()).json as { id: string };
    const line = (await eventually(() => carrier.callOf(id)))!;
    await eventually(() => worker.held.has(id));
    await plane.request('POST', `/api/v1/calls/${id}/hangup`, { key });
    expect((await get(id)).status).toBe('FAILED');
    expect(carrier.hungUp).not.toContain(line.sid);
    expect(await carrier.report(line, 'ringing')).toBe(204);
    expect(carrier.hungUp).toContain(line.sid);
    expect((await get(id)).status).toBe('FAILED');
  });

  it('without the right signature are refused', async () => {
    const { id, line } = await dialed();
    const answer = await fetch(line.form.StatusCallback!, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': 'bm8=' },
      body: `CallSid=${line.sid}&CallStatus=completed`,
    });
    expect(answer.status).toBe(401);
    expect((await get(id)).status).toBe('QUEUED');
  });

  it("of one call do not pass for another's", async () => {
    const one = await dialed();
    const two = await dialed();
    const crossed = { ...one.line, form: two.line.form };
    expect(await carrier.report(crossed, 'ringing')).toBe(404);
    expect((await get(two.id)).status).toBe('QUEUED');
  });
});

describe('lists', () => {
  it('page by cursor without gaps or repeats while calls are added, and filter', async () => {
    worker.mode = 'full';
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift(((await dial()).json as { id: string }).id);
    const list = async (query: string) =>
      (await plane.request('GET', `/api/v1/calls?${query}`, { key })).json as CallListResponse;
    const first = await list('limit=2&include_total=true');
    expect(first.calls.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect([first.total, first.has_more]).toEqual([5, true]);
    await dial();
    const second = await list(`limit=2&cursor=${first.next_cursor}`);
    expect(second.calls.map(({ id }) => id)).toEqual(ids.slice(2, 4));
    const third = await list(`limit=2&cursor=${second.next_cursor}`);
    expect(third.calls.map(({ id }) => id)).toEqual(ids.slice(4));
    expect([third.has_more, third.next_cursor]).toEqual([false, null]);
    expect((await list('offset=5')).calls).toHaveLength(1);
    expect((await list('status=COMPLETED')).calls).toEqual([]);
    expect((await list(`include_total=1&status=QUEUED&direction=outbound&agent_id=${agentId}`)).total).toBe(
      6,
    );
    const bad = await plane.request('GET', '/api/v1/calls?cursor=nonsense', { key });
    expect(bad.json).toMatchObject({ code: 'invalid_cursor' });
    for (const { id } of (await list('limit=50')).calls) {
      await plane.request('POST', `/api/v1/calls/${id}/hangup`, { key });
    }
  });
});
