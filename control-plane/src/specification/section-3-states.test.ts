import type { EndReason } from '@voice/shared/contracts/primitives';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentMessage, ended, mediaStarted } from '../calls/testing/events.js';
import { eventually } from '../testing/eventually.js';
import { CALLEE, Scene, SECOND_CALLEE, type Tenant } from './scene.js';

let scene: Scene;
let tenant: Tenant;
beforeAll(async () => {
  scene = await Scene.set();
  tenant = await scene.newTenant();
  await scene.json(tenant.test, 'POST', '/api/v1/webhooks', { url: scene.receiver.url() });
});
afterAll(() => scene?.close());

const post = (path: string, body?: object) => scene.ask(tenant.test, 'POST', `/api/v1${path}`, body);
const eventsOf = (callId: string) =>
  scene.receiver.received
    .filter(({ event }) => event.data.call_id === callId)
    .map(({ event }) => event.event_type);

describe('the status of a call', () => {
  // @rule 3.1
  it("begins as QUEUED, with 202 and the call's id, and is dispatched afterwards", async () => {
    const answer = await post('/calls', scene.outbound(tenant));
    expect(answer).toMatchObject({ status: 202, json: { id: expect.any(String), status: 'queued' } });
    const { id } = answer.json as { id: string };
    expect(await scene.call(tenant, id)).toMatchObject({ status: 'QUEUED' });
    await eventually(() => scene.carrier.callOf(id));
  });

  // @rule 3.2, 3.3
  it('goes from QUEUED to RINGING, and to IN_PROGRESS when answered, with call.started', async () => {
    const { id, line } = await scene.dialed(tenant);
    await scene.carrier.report(line, 'ringing');
    expect(await scene.untilStatus(tenant, id, 'RINGING')).toMatchObject({ ringing_at: expect.any(String) });
    expect(eventsOf(id)).toEqual([]);
    await scene.report(id, mediaStarted(line.sid));
    expect(await scene.call(tenant, id)).toMatchObject({
      status: 'IN_PROGRESS',
      started_at: expect.any(String),
    });
    await eventually(() => eventsOf(id).includes('call.started'));
  });

  // @rule 3.4
  it('goes from IN_PROGRESS to COMPLETED, with its events in order', async () => {
    const { id } = await scene.answered(tenant);
    await scene.report(id, agentMessage(0, 'Which day suits you?'));
    await scene.report(id, { ...ended('agent_hangup', 3000), has_recording: true } as never);
    await scene.upload(id);
    await eventually(() => eventsOf(id).includes('analysis.ready'));
    expect(await scene.call(tenant, id)).toMatchObject({ status: 'COMPLETED' });
    const order = ['call.completed', 'transcript.ready', 'recording.ready', 'analysis.ready'];
    // One after another: each is sent when the one before has been answered.
    expect(eventsOf(id).filter((type) => order.includes(type))).toEqual(order);
  });

  // @rule 3.5
  it.each(['QUEUED', 'RINGING', 'IN_PROGRESS'])(
    'goes from %s to FAILED when the pipeline ends in error, with call.failed',
    async (from) => {
      const { id, line } = from === 'IN_PROGRESS' ? await scene.answered(tenant) : await scene.dialed(tenant);
      if (from === 'RINGING') await scene.carrier.report(line, 'ringing');
      await scene.untilStatus(tenant, id, from);
      const failure = { ...ended('provider_failed', 0), error_code: 'llm_down', error_message: 'No answer.' };
      await scene.report(id, failure as never);
      expect(await scene.untilStatus(tenant, id, 'FAILED')).toMatchObject({ error_code: 'llm_down' });
      await eventually(() => eventsOf(id).includes('call.failed'));
    },
  );

  // @rule 3.6
  it.each([
    ['busy', 'BUSY'],
    ['no-answer', 'NO_ANSWER'],
  ])('is final when the carrier says %s', async (said, status) => {
    const { id, line } = await scene.dialed(tenant);
    await scene.carrier.report(line, said);
    expect(await scene.untilStatus(tenant, id, status)).toMatchObject({ ended_at: expect.any(String) });
    await scene.carrier.report(line, 'in-progress');
    await scene.report(id, mediaStarted(line.sid));
    expect(await scene.call(tenant, id)).toMatchObject({ status });
  });

  // @rule 3.6
  it('is final when an answering machine takes the call', async () => {
    const { id } = await scene.answered(tenant);
    await scene.report(id, ended('voicemail' satisfies EndReason, 5000));
    expect(await scene.untilStatus(tenant, id, 'VOICEMAIL')).toMatchObject({ end_reason: 'voicemail' });
  });

  // @rule 3.7, 3.8
  it('is left alone by a hang-up once final; before, the call ends gracefully with 202', async () => {
    const { id } = await scene.answered(tenant);
    const commands = () => scene.worker.commands.filter(({ callId }) => callId === id).length;
    expect(await post(`/calls/${id}/hangup`, {})).toMatchObject({ status: 202 });
    expect(commands()).toBe(1);
    await scene.report(id, ended('operator_hangup', 1000));
    expect((await post(`/calls/${id}/hangup`, {})).json).toMatchObject({ status: 'already_ended' });
    expect(commands()).toBe(1);
  });
});

describe('the status of a campaign', () => {
  const create = (more: object = {}) =>
    scene.made(tenant.test, '/api/v1/campaigns', {
      name: 'Spring',
      agent_id: tenant.agentId,
      calls_per_minute: 600,
      contacts: [{ phone: CALLEE }, { phone: SECOND_CALLEE }],
      ...more,
    });
  const status = async (id: string) =>
    (await scene.json<{ status: string }>(tenant.test, 'GET', `/api/v1/campaigns/${id}`)).status;
  const move = (id: string, to: string) => post(`/campaigns/${id}/${to}`);

  // @rule 3.9, 3.10
  it('begins as draft, together with the contacts or not at all', async () => {
    const before = await scene.json<{ total: number }>(
      tenant.test,
      'GET',
      '/api/v1/campaigns?include_total=true',
    );
    const refused = await post('/campaigns', {
      name: 'Spring',
      agent_id: tenant.agentId,
      contacts: [{ phone: CALLEE }, { phone: 'nonsense' }],
    });
    expect(refused.status).toBe(422);
    expect(await scene.json(tenant.test, 'GET', '/api/v1/campaigns?include_total=true')).toMatchObject({
      total: before.total,
    });
    const id = await create();
    expect(await status(id)).toBe('draft');
    const { contacts } = await scene.json<{ contacts: object[] }>(
      tenant.test,
      'GET',
      `/api/v1/campaigns/${id}/contacts`,
    );
    expect(contacts).toHaveLength(2);
  });

  // @rule 3.10
  it('begins as draft for an uploaded campaign', async () => {
    const form = new FormData();
    form.append('file', new Blob([`phone\n${CALLEE}\n`], { type: 'text/csv' }), 'c.csv');
    const query = new URLSearchParams({ agent_id: tenant.agentId, campaign_name: 'Upload' });
    const answer = await fetch(`${scene.plane.url}/api/v1/campaigns/upload?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.test}` },
      body: form,
    });
    expect(answer.status).toBe(201);
    const { campaign_id: id } = (await answer.json()) as { campaign_id: string };
    expect(await status(id)).toBe('draft');
  });

  // @rule 3.11, 3.12, 3.13
  it('follows start, pause, resume and cancel', async () => {
    const id = await create({ scheduled_start: null, calls_per_minute: 1 });
    const walk: unknown[] = [];
    for (const to of ['start', 'pause', 'start', 'cancel']) {
      const { status: code } = await move(id, to);
      walk.push([to, code, await status(id)]);
    }
    expect(walk).toEqual([
      ['start', 200, 'running'],
      ['pause', 200, 'paused'],
      ['start', 200, 'running'],
      ['cancel', 200, 'cancelled'],
    ]);
    expect(await move(id, 'start')).toMatchObject({ status: 409, json: { code: 'campaign_state_conflict' } });
  });

  // @rule 3.14
  it('lets the success criteria change while it is draft only', async () => {
    const id = await create({ calls_per_minute: 1 });
    const patch = () =>
      scene.ask(tenant.test, 'PATCH', `/api/v1/campaigns/${id}`, {
        success_criteria: 'A meeting is booked.',
      });
    expect(await patch()).toMatchObject({ status: 200, json: { success_criteria: 'A meeting is booked.' } });
    await move(id, 'start');
    expect(await patch()).toMatchObject({ status: 409, json: { code: 'campaign_not_draft' } });
  });

  // @rule 3.15
  it('is published by campaign.started at the first contact and campaign.completed after the last', async () => {
    const id = await create({ retry_policy: { max_attempts: 1 } });
    await move(id, 'start');
    const calls = await eventually(
      async () =>
        (
          await scene.json<{ calls: { id: string; campaign_id: string }[] }>(
            tenant.test,
            'GET',
            '/api/v1/calls',
          )
        ).calls.filter((call) => call.campaign_id === id),
      (found) => found.length === 2,
    );
    const eventsOf = (type: string) =>
      scene.receiver.received.filter(
        ({ event }) => event.event_type === type && event.data.campaign_id === id,
      );
    await eventually(() => eventsOf('campaign.started').length === 1);
    expect(eventsOf('campaign.completed')).toEqual([]);
    for (const call of calls) {
      const line = (await eventually(() => scene.carrier.callOf(call.id)))!;
      await scene.report(call.id, mediaStarted(line.sid), ended('agent_hangup', 1000));
    }
    await eventually(() => eventsOf('campaign.completed').length === 1);
    // Each is sent by itself: what happened first need not arrive first.
    await eventually(() => eventsOf('campaign.contact.completed').length === 2);
    expect(await status(id)).toBe('completed');
  });

  // @rule 3.16, 3.17, 3.18
  it("of a contact becomes pending by a reschedule into the future, a failed one's too", async () => {
    const id = await create({ contacts: [{ phone: CALLEE }], retry_policy: { max_attempts: 1 } });
    await move(id, 'start');
    const contact = () =>
      scene
        .json<{
          contacts: {
            id: string;
            status: string;
            last_call_id: string | null;
            next_retry_at: string | null;
          }[];
        }>(tenant.test, 'GET', `/api/v1/campaigns/${id}/contacts`)
        .then(({ contacts }) => contacts[0]!);
    const { last_call_id: callId } = await eventually(contact, ({ last_call_id }) => last_call_id !== null);
    const line = (await eventually(() => scene.carrier.callOf(callId!)))!;
    await eventually(async () => (await scene.call(tenant, callId!)).carrier_call_id);
    await scene.carrier.report(line, 'failed');
    const { id: contactId } = await eventually(contact, (found) => found.status === 'failed');
    const reschedule = (at: number) =>
      post(`/campaigns/${id}/contacts/${contactId}/reschedule`, {
        next_retry_at: new Date(at).toISOString(),
      });
    expect(await reschedule(Date.now() - 1)).toMatchObject({
      status: 422,
      json: { code: 'next_retry_at_not_future' },
    });
    const at = Date.now() + 3_600_000;
    expect(await reschedule(at)).toMatchObject({ status: 200, json: { status: 'pending' } });
    expect(await contact()).toMatchObject({ status: 'pending', next_retry_at: new Date(at).toISOString() });
  });
});

describe('the status of a webhook delivery', () => {
  // @rule 3.19, 3.20, 6.29
  it('is one of four, and a replay is a new row of the same event', async () => {
    const id = await scene.made(tenant.test, '/api/v1/webhooks', { url: scene.receiver.url('/states') });
    const fired = await scene.json<{ id: string; event_id: string; status: string }>(
      tenant.test,
      'POST',
      `/api/v1/webhooks/${id}/test`,
      { event_type: 'agent.activated', payload: {} },
    );
    const rows = () =>
      scene.json<{ id: string; event_id: string; status: string }[]>(
        tenant.test,
        'GET',
        `/api/v1/webhooks/${id}/deliveries`,
      );
    await eventually(rows, ([row]) => row?.status === 'succeeded');
    expect((await post(`/webhooks/deliveries/${fired.id}/replay`)).status).toBe(202);
    const [second, first] = await eventually(rows, (found) => found.length === 2);
    expect(second!.id).not.toBe(first!.id);
    expect([second!.event_id, first!.event_id]).toEqual([fired.event_id, fired.event_id]);
  });
});
