import type { CallEventBody } from '@voice/shared/contracts/call-events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallResponse } from '../calls/record/schemas.js';
import { agentMessage, ended } from '../calls/testing/events.js';
import { eventually } from '../testing/eventually.js';
import { EVENT_TYPES, type EventType } from '../webhooks/events/event-types.js';
import { ALWAYS_OPEN, ANSWERED_ANALYSIS, PAID_USAGE, REAL_CALLEE, Scene, type Tenant } from './scene.js';

const HUMAN = '+14155550178';
const CONTACTS = ['+14155550181', '+14155550182', '+14155550183'];
const TOOL_EXECUTION = {
  tool_call_id: 'tool-1',
  name: 'book_appointment',
  arguments: { day: 'Tuesday' },
  result: { booked: true },
  status: 'succeeded',
  started_at_ms: 1000,
  ended_at_ms: 1300,
} as const;

let scene: Scene;
let tenant: Tenant;
beforeAll(async () => {
  scene = await Scene.set();
  tenant = await newTenant();
});
afterAll(() => scene?.close());

/** In production, where calls cost; subscribed to all events. */
async function newTenant(): Promise<Tenant> {
  const made = await scene.newTenant({
    calling_hours: ALWAYS_OPEN,
    recording: { enabled: true, announce: true },
    analysis: { scorecard: [{ name: 'Greeting', weight: 1 }] },
  });
  await scene.json(made.live, 'POST', '/api/v1/webhooks', {
    url: scene.receiver.url(`/${made.id}`),
    sandbox: false,
  });
  return made;
}

/** The end of a call that was paid for. */
const end = (endReason: 'caller_hangup' | 'agent_hangup', more: object = {}) =>
  ({ ...ended(endReason, 120_000), usage: PAID_USAGE, ...more }) as CallEventBody;
const call = (id: string) => scene.json<CallResponse>(tenant.live, 'GET', `/api/v1/calls/${id}`);
/** What every event of the call says. */
const base = async (id: string) => ({
  call_id: id,
  agent_id: tenant.agentId,
  direction: 'outbound',
  from: (await call(id)).from_number,
  to: REAL_CALLEE,
});

const emitted = new Set<EventType>();
/** The data of the one event of the type for which `which` holds; just what the catalogue says, no more. */
async function dataOf(
  of: Tenant,
  type: EventType,
  which: (data: Record<string, unknown>) => boolean = () => true,
): Promise<Record<string, unknown>> {
  const found = await eventually(
    async () => (await scene.heard(of, type)).filter(({ event }) => which(event.data)),
    ({ length }) => length > 0,
  );
  expect(found).toHaveLength(1);
  const { data } = found[0]!.event;
  expect(EVENT_TYPES[type].data.strict().parse(data)).toEqual(data);
  emitted.add(type);
  return data;
}
const dataOfCall = (id: string, type: EventType) => dataOf(tenant, type, ({ call_id }) => call_id === id);

describe('what is emitted', () => {
  // @rule 6.14, 6.15, 6.17, 6.19, 6.20, 6.21
  it('says how a call began, was hung up and ended, and what came of it', async () => {
    const { id, line } = await scene.answeredLive(tenant);
    await scene.report(
      id,
      agentMessage(0, 'Which day suits you?'),
      { kind: 'tool_execution', execution: TOOL_EXECUTION },
      end('caller_hangup', { has_recording: true }),
    );
    await scene.carrier.report(line, 'completed', { CallDuration: '120' });
    await scene.upload(id);
    const { scorecard, outcome, summary } = ANSWERED_ANALYSIS;
    const recorded = {
      recording_url: expect.stringMatching(/^http/),
      recording_url_expires_at: expect.any(String),
    };
    const about = await base(id);

    expect(await dataOfCall(id, 'call.started')).toEqual(about);
    expect(await dataOfCall(id, 'call.hangup')).toEqual({ ...about, end_reason: 'caller_hangup' });
    const completed = await dataOfCall(id, 'call.completed');
    expect(completed).toEqual({
      ...about,
      ...recorded,
      status: 'COMPLETED',
      duration_ms: 120_000,
      outcome,
      summary,
      cost_usd: (await call(id)).cost!.total,
    });
    expect(completed.cost_usd).toBeGreaterThan(0);
    expect((await fetch(String(completed.recording_url))).status).toBe(200);
    expect(await dataOfCall(id, 'transcript.ready')).toEqual({
      ...about,
      turns_count: 1,
      transcript_url: `${scene.plane.url}/api/v1/calls/${id}/detail`,
    });
    expect(await dataOfCall(id, 'recording.ready')).toEqual({ ...about, ...recorded, duration_ms: 3900 });
    expect(await dataOfCall(id, 'analysis.ready')).toEqual({
      ...about,
      status: 'complete',
      outcome,
      summary,
      scorecard,
      tool_executions: [TOOL_EXECUTION],
    });
  });

  // @rule 6.16
  it("says why a call failed: the pipeline's error, or a busy line", async () => {
    const broken = await scene.answeredLive(tenant);
    const failure = { ...ended('provider_failed', 0), error_code: 'llm_down', error_message: 'No answer.' };
    await scene.report(broken.id, failure as CallEventBody);
    expect(await dataOfCall(broken.id, 'call.failed')).toEqual({
      ...(await base(broken.id)),
      status: 'FAILED',
      error_code: 'llm_down',
      error_message: 'No answer.',
    });
    const busy = await scene.dialedLive(tenant);
    await scene.carrier.report(busy.line, 'busy');
    expect(await dataOfCall(busy.id, 'call.failed')).toEqual({
      ...(await base(busy.id)),
      status: 'BUSY',
      error_code: 'busy',
      error_message: expect.stringContaining('busy'),
    });
  });

  // @rule 6.18
  it('says where a call was transferred', async () => {
    const { id } = await scene.answeredLive(tenant);
    await scene.json(tenant.live, 'POST', `/api/v1/calls/${id}/transfer`, { destination: HUMAN });
    expect(await dataOfCall(id, 'call.transferred')).toEqual({
      ...(await base(id)),
      transfer_to: HUMAN,
      transfer_type: 'cold',
    });
  });

  // @rule 6.22, 6.23, 6.24
  it('says how a campaign began, how each contact went, and the counts at its end', async () => {
    const campaign_id = await scene.made(tenant.live, '/api/v1/campaigns', {
      name: 'Spring',
      agent_id: tenant.agentId,
      calls_per_minute: 600,
      outcome_labels: ['goal_reached', 'refused'],
      retry_policy: { max_attempts: 1 },
      contacts: CONTACTS.map((phone) => ({ phone })),
    });
    const about = { campaign_id, total_contacts: CONTACTS.length };
    const isOurs = (data: Record<string, unknown>) => data.campaign_id === campaign_id;
    const dialed = async (to: string) => {
      const line = await eventually(() => scene.carrier.dialed.find(({ form }) => form.To === to));
      const { calls } = await scene.json<{ calls: CallResponse[] }>(tenant.live, 'GET', '/api/v1/calls');
      const { id } = calls.find(({ to_number }) => to_number === to)!;
      await eventually(async () => (await call(id)).carrier_call_id);
      return { id, line: line! };
    };
    await scene.json(tenant.live, 'POST', `/api/v1/campaigns/${campaign_id}/start`);
    const [reached, away, refused] = await Promise.all(CONTACTS.map(dialed));
    expect(await dataOf(tenant, 'campaign.started', isOurs)).toEqual(about);

    await scene.carrier.report(reached!.line, 'in-progress');
    await scene.report(
      reached!.id,
      { kind: 'media_started', carrier_call_id: reached!.line.sid, stream_id: 'MZ0' },
      agentMessage(0, 'Which day suits you?'),
      end('agent_hangup'),
    );
    await scene.carrier.report(away!.line, 'no-answer');
    await scene.carrier.report(refused!.line, 'failed');
    for (const [{ id }, status, outcome] of [
      [reached!, 'completed', 'goal_reached'],
      [away!, 'no_answer', null],
      [refused!, 'failed', null],
    ] as const) {
      const contact_id = (await call(id)).contact_id;
      expect(contact_id).toEqual(expect.any(String));
      const data = await dataOf(tenant, 'campaign.contact.completed', ({ call_id }) => call_id === id);
      expect(data).toEqual({ ...about, contact_id, call_id: id, outcome, status });
    }
    expect(await dataOf(tenant, 'campaign.completed', isOurs)).toEqual({
      ...about,
      success_count: 1,
      failure_count: 1,
      no_answer_count: 1,
    });
  });

  // @rule 6.25, 6.26
  it('says when an agent is switched off and on', async () => {
    const agent_id = await scene.made(tenant.live, '/api/v1/agents', { name: 'Switch', system_prompt: 'p' });
    for (const is_active of [false, true]) {
      await scene.json(tenant.live, 'PATCH', `/api/v1/agents/${agent_id}`, { is_active });
    }
    const isOurs = (data: Record<string, unknown>) => data.agent_id === agent_id;
    expect(await dataOf(tenant, 'agent.deactivated', isOurs)).toEqual({ agent_id });
    expect(await dataOf(tenant, 'agent.activated', isOurs)).toEqual({ agent_id });
  });

  // @rule 6.27, 6.28
  it('says when credit is used up and the daily cap is near', async () => {
    const spender = await newTenant();
    const account = `/internal/billing/tenants/${spender.id}`;
    await scene.plane.internal('POST', `${account}/credit`, { id: spender.agentId, amount_usd: 0.01 });
    const { id } = await scene.answeredLive(spender);
    await scene.report(id, end('agent_hangup'));
    expect(await dataOf(spender, 'usage.credit_exhausted')).toEqual({
      tenant_id: spender.id,
      last_call_id: id,
      in_advance: false,
    });
    const { spent_today_usd: spent } = (await scene.plane.internal('GET', account)).json as {
      spent_today_usd: number;
    };
    expect(spent).toBeGreaterThan(0);
    const limit = Math.ceil(spent * 1_000_000 * 1.2) / 1_000_000;
    await scene.plane.internal('PUT', `${account}/daily-cap`, { limit_usd: limit });
    expect(await dataOf(spender, 'usage.daily_cap_approaching')).toEqual({
      spent_usd: spent,
      limit_usd: limit,
    });
  });

  // @rule 6.13
  it('is every one of the 15 types, over these tests', () => {
    expect([...emitted].sort()).toEqual(Object.keys(EVENT_TYPES).sort());
  });
});
