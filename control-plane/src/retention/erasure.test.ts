import { existsSync } from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import { PENDING_STATUS } from '../calls/record/pending-status.js';
import type { CallDetailResponse } from '../calls/record/schemas.js';
import { agentMessage } from '../calls/testing/events.js';
import { eventually } from '../testing/eventually.js';
import { Erasure } from './erasure.js';
import { describeArchivedCalls } from './testing/archived-call-cases.js';
import { ErasureScene, NAME, PHONE } from './testing/erasure-scene.js';
import { describeRetentionBySettings } from './testing/retention-cases.js';

const scene = new ErasureScene();

describe('DELETE /calls/{call_id}', () => {
  it('erases all that names or quotes the person, and keeps what was counted', async () => {
    const { id, campaignId } = await scene.finished();
    const before = (await scene.ask('GET', `/calls/${id}/detail`)).json as CallDetailResponse;
    expect(before).toMatchObject({
      to_number: PHONE,
      erased_at: null,
      analysis: { outcome: 'goal_reached' },
    });
    await scene.rows('calls').updateOne({ _id: id }, { $set: { fold_due_at: new Date(1) } });
    await scene.run('event-folding');
    expect(await scene.rows('call_events').countDocuments({ call_id: id } as object)).toBe(1);
    expect((await scene.ask('GET', `/calls/${id}/detail`)).json).toEqual({
      ...before,
      recording_url: expect.any(String),
    });
    expect((await scene.traces()).length).toBeGreaterThan(5);
    // In production it would have been charged.
    await scene
      .rows('billing_ledger')
      .insertOne({ _id: `call:${id}`, tenant_id: scene.tenantId, seq: 1 } as never);
    const sums = await scene.counted();
    expect(sums).toMatchObject({ usage: [{ _id: id }], ledger: [{ tenant_id: scene.tenantId }] });
    const funnel = (await scene.ask('GET', `/campaigns/${campaignId}/analytics`)).json;
    await scene.rows('campaign_insights').insertOne({
      _id: campaignId,
      tenant_id: scene.tenantId,
      insights: JSON.stringify([{ title: `${NAME} was not greeted` }]),
      source: 'language_model',
    } as never);

    const answer = await scene.erase(id);
    expect([answer.status, answer.json]).toEqual([
      200,
      { call_id: id, status: 'erased', erased_at: expect.any(String) },
    ]);

    expect(await scene.traces()).toEqual([]);
    expect(await readdir(join(scene.dataDir, 'recordings', scene.tenantId))).toEqual([]);
    expect(await readdir(join(scene.dataDir, 'decision-logs', scene.tenantId))).toEqual([]);
    expect(await scene.rows('calls').findOne({ _id: id })).toMatchObject({
      agent_snapshot: '',
      handoffs: null,
    });
    const after = (await scene.ask('GET', `/calls/${id}/detail`)).json as CallDetailResponse;
    expect(after).toMatchObject({
      from_number: before.from_number,
      to_number: null,
      status: 'COMPLETED',
      outcome: 'goal_reached',
      duration_ms: before.duration_ms,
      cost: before.cost,
      recording_url: null,
      summary: null,
      metadata: {},
      transcript: [],
      tool_executions: [],
      analysis: null,
      erased_at: (answer.json as { erased_at: string }).erased_at,
    });
    expect(after.events.map(({ type }) => type)).toEqual([
      ...before.events.map(({ type }) => type).filter((type) => !type.startsWith('media.')),
      'call.erased',
    ]);
    expect(await scene.counted()).toEqual(sums);
    expect((await scene.ask('GET', `/campaigns/${campaignId}/analytics`)).json).toEqual(funnel);
    expect((await scene.ask('GET', `/calls/${id}/recording`)).status).toBe(404);
    expect((await scene.ask('GET', `/campaigns/${campaignId}/contacts`)).json).toMatchObject({
      contacts: [{ phone: null, first_name: null, contact_data: {}, status: 'completed' }],
    });
    expect((await scene.ask('GET', `/campaigns/${campaignId}/extracted-data`)).json).toMatchObject({
      data: [{ call_id: id, phone: null, summary: null, extracted_data: null, outcome: 'goal_reached' }],
    });
    expect((await scene.ask('GET', `/compliance/checks/${before.compliance_check_id}`)).json).toMatchObject({
      decision: 'allowed',
      to_number: null,
      inputs: { agent: { disclosure: null, language: 'en-US' } },
    });
  });

  it('erases the check that the call named, and the one that was made when it was placed', async () => {
    const agent_id = await scene.agent();
    const { id: named } = (await scene.ask('POST', '/compliance/check', { to_number: PHONE, agent_id }))
      .json as { id: string };
    const { id } = (
      await scene.ask('POST', '/calls', {
        agent_id,
        from_number: SANDBOX_CALLER_ID,
        to_number: PHONE,
        compliance_check_id: named,
        variables: { first_name: NAME },
      })
    ).json as { id: string };
    await scene.carrier.report(await scene.lineOf(id), 'busy');
    await scene.erased(id);
    expect(await scene.traces()).toEqual([]);
    const checks = (await scene.ask('GET', '/compliance/checks')).json;
    expect(checks).toMatchObject({ checks: [{ decision: 'allowed', to_number: null }, { id: named }] });
  });

  it('is written into the audit log once, and answers the same the second time', async () => {
    const { id } = await scene.finished();
    const first = await scene.erase(id);
    const second = await scene.erase(id);
    expect([second.status, second.json]).toEqual([200, first.json]);
    const log = (await scene.ask('GET', `/calls/${id}/operator-actions`)).json as {
      operator_actions: { action: string; status: string; details: object }[];
    };
    expect(log.operator_actions).toMatchObject([
      { action: 'erase', status: 'carried_out', details: {} },
      { action: 'whisper', details: {} },
    ]);
  });

  it('refuses a live call, and says what to do', async () => {
    const { id } = await scene.talked();
    const answer = await scene.erase(id);
    expect([answer.status, answer.json]).toMatchObject([
      409,
      { code: 'call_active', detail: expect.stringContaining('hangup') },
    ]);
    expect((await scene.ask('GET', `/calls/${id}`)).json).toMatchObject({ to_number: PHONE });
  });

  it("knows no other tenant's calls, and none of the other mode", async () => {
    const { id } = await scene.finished();
    const other = await scene.plane.newKey();
    const live = await scene.plane.newKey({ sandbox: false });
    for (const stranger of [other.key, live.key]) {
      const answer = await scene.plane.request('DELETE', `/api/v1/calls/${id}`, { key: stranger });
      expect([answer.status, answer.json]).toMatchObject([404, { code: 'call_not_found' }]);
    }
    expect((await scene.erase(newId())).status).toBe(404);
    expect((await scene.ask('GET', `/calls/${id}`)).json).toMatchObject({ to_number: PHONE });
  });

  it('shows nothing from the request on, and waits until the end is charged and published', async () => {
    const { id } = await scene.talked();
    await scene.hangUp(id);
    await eventually(
      async () => await scene.rows('calls').findOne({ _id: id, status: 'COMPLETED' } as object),
    );
    const answer = await scene.erase(id);
    expect([answer.status, answer.json]).toEqual([202, { call_id: id, status: 'erasing', erased_at: null }]);
    expect((await scene.ask('GET', `/calls/${id}/detail`)).json).toMatchObject({
      to_number: null,
      transcript: [],
      analysis: null,
      erased_at: null,
    });
    // The recording comes on its way to being erased: it is taken from the worker and not kept.
    expect((await scene.upload(id, 'recording')).status).toBe(204);
    expect(existsSync(join(scene.dataDir, 'recordings', scene.tenantId))).toBe(false);
    // A step after the call may be under way, and note that there is more to do: the end comes once there is not.
    const over = {
      post_call_due_at: null,
      publish_due_at: null,
      [PENDING_STATUS]: null,
      erase_due_at: new Date(1),
    };
    const erasedAt = await eventually(async () => {
      await scene.rows('calls').updateOne({ _id: id }, { $set: over });
      await scene.sweep();
      return ((await scene.ask('GET', `/calls/${id}`)).json as { erased_at: string | null }).erased_at;
    });
    expect(erasedAt).toEqual(expect.any(String));
    expect(await scene.rows('call_events').countDocuments({ call_id: id } as object)).toBe(0);
  });

  it('goes on where it was cut short', async () => {
    const { id, campaignId } = await scene.finished();
    const said = () => scene.ask('GET', `/calls?q=${NAME}`);
    expect((await said()).json).toMatchObject({ matches: [{ call_id: id }] });
    const { erasedCalls } = scene.callsModule();
    const dies = new Erasure({
      calls: erasedCalls,
      eraseEvents: async () => {},
      steps: [() => Promise.reject(new Error('killed'))],
      clock: scene.plane.platform.clock,
      log: silentLog,
    });
    await expect(dies.begin((await erasedCalls.find(scene.keyOf(id)))!)).rejects.toThrow('killed');
    expect((await scene.ask('GET', `/calls/${id}`)).json).toMatchObject({ to_number: null, erased_at: null });
    // All of it is still there, and none of it is shown.
    expect((await scene.traces()).some((trace) => trace.startsWith('transcripts'))).toBe(true);
    expect((await said()).json).toMatchObject({ calls: [], matches: [] });
    expect((await scene.ask('GET', `/campaigns/${campaignId}/extracted-data`)).json).toMatchObject({
      data: [{ call_id: id, phone: null, summary: null, extracted_data: null }],
    });
    const live = await fetch(`${scene.plane.url}/api/v1/calls/${id}/live`, {
      headers: { authorization: `Bearer ${scene.key}` },
    });
    const replayed = await live.text();
    expect(replayed).toContain('COMPLETED');
    expect(replayed).not.toContain(NAME);
    expect((await scene.erase(id)).status).toBe(202);
    await scene.sweep();
    expect(await scene.traces()).toEqual([]);
    expect((await scene.erase(id)).status).toBe(200);
  });

  it('answers 202 while the storage is away, and goes on by itself', async () => {
    const { id } = await scene.finished();
    const place = join(scene.dataDir, 'recordings', scene.tenantId);
    await rename(place, `${place}.away`);
    await writeFile(place, 'no directory');
    const erasing = { call_id: id, status: 'erasing', erased_at: null };
    for (const answer of [await scene.erase(id), await scene.erase(id)]) {
      expect([answer.status, answer.json]).toEqual([202, erasing]);
    }
    expect((await scene.ask('GET', `/calls/${id}`)).json).toMatchObject({ to_number: null, erased_at: null });
    // What is in the store does not wait for the storage.
    expect((await scene.traces()).map((trace) => trace.split(' ')[0])).toEqual(['calls']);
    await rm(place);
    await rename(`${place}.away`, place);
    await scene.sweep();
    expect(await scene.traces()).toEqual([]);
    expect(await readdir(place)).toEqual([]);
    expect((await scene.erase(id)).status).toBe(200);
  });

  it('keeps nothing that comes late, and erases once more what came in between', async () => {
    const { id } = await scene.finished();
    await scene.erase(id);
    const late = scene.worker.number(id, [agentMessage(2, `Goodbye, ${NAME}.`)]);
    expect((await scene.worker.send(scene.plane, late)).json).toMatchObject({ accepted: [{ call_id: id }] });
    expect((await scene.upload(id, 'decision-log')).status).toBe(204);
    expect(await scene.traces()).toEqual([]);

    await scene.rows('call_events').insertOne({
      _id: `${id}:9`,
      call_id: id,
      tenant_id: scene.tenantId,
      body: NAME,
    } as never);
    await scene.rows('calls').updateOne({ _id: id }, { $set: { erase_due_at: new Date(1) } });
    await scene.sweep();
    expect(await scene.traces()).toEqual([]);
    expect(await scene.rows('calls').findOne({ _id: id })).toMatchObject({ erase_due_at: null });
  });

  it('takes the bodies of its events along: none is sent or replayed any more', async () => {
    const { id } = await scene.finished();
    const [webhook] = (await scene.ask('GET', '/webhooks')).json as { id: string }[];
    const deliveries = () => scene.ask('GET', `/webhooks/${webhook!.id}/deliveries`);
    const sent = await eventually(
      async () => (await deliveries()).json as { id: string; event_type: string }[],
      (all) => all.some(({ event_type: type }) => type === 'call.completed'),
    );
    const delivery = sent.find(({ event_type: type }) => type === 'call.completed');
    await scene.erase(id);
    const subject = { subject: id } as object;
    expect(await scene.rows('events').countDocuments(subject)).toBe(0);
    const answer = await scene.ask('POST', `/webhooks/deliveries/${delivery!.id}/replay`);
    expect([answer.status, answer.json]).toMatchObject([404, { code: 'delivery_not_found' }]);
  });
});

describe('the contact of an erased call', () => {
  const ERASED = { phone: null, first_name: null, contact_data: {} };
  const WHOLE = { phone: PHONE, first_name: NAME, contact_data: { note: `${NAME} likes tea` } };
  const asksNotToBeCalled = () => scene.ask('POST', '/compliance/dnc', { phone_number: PHONE });
  const skipped = (campaignId: string) =>
    eventually(
      () => scene.contactOf(campaignId),
      ({ status }) => status === 'skipped',
    );
  /** But for the do-not-call list, which outlives erasure. */
  const traces = async () => (await scene.traces()).filter((trace) => !trace.startsWith('dnc_entries'));
  const denied = async () =>
    ((await scene.ask('GET', '/compliance/checks?decision=denied')).json as { checks: object[] }).checks;

  it('is erased with the call before a retry that was refused', async () => {
    const { id, campaignId } = await scene.busy();
    await asksNotToBeCalled();
    await scene.retry(campaignId);
    expect(await skipped(campaignId)).toMatchObject({ ...WHOLE, attempts: 1, last_call_id: id });
    expect(await denied()).toMatchObject([{ to_number: PHONE }]);
    await scene.erased(id);
    expect(await scene.contactOf(campaignId)).toMatchObject({ ...ERASED, status: 'skipped' });
    expect(await denied()).toMatchObject([{ to_number: null, reasons: ['do_not_call'] }]);
    expect(await traces()).toEqual([]);
  });

  it('is erased once its retry is refused', async () => {
    const { id, campaignId } = await scene.busy();
    await scene.erased(id);
    expect(await scene.contactOf(campaignId)).toMatchObject({ ...WHOLE, status: 'pending' });
    await asksNotToBeCalled();
    await scene.retry(campaignId);
    expect(await skipped(campaignId)).toMatchObject(ERASED);
    expect(await denied()).toMatchObject([{ to_number: null, reasons: ['do_not_call'] }]);
    expect(await traces()).toEqual([]);
  });

  it('is erased once its campaign is cancelled', async () => {
    const { id, campaignId } = await scene.busy();
    await scene.erased(id);
    expect((await scene.ask('POST', `/campaigns/${campaignId}/cancel`)).status).toBe(200);
    expect(await scene.contactOf(campaignId)).toMatchObject({ ...ERASED, status: 'cancelled' });
    expect(await scene.traces()).toEqual([]);
  });

  it('stays where it was called again, until that call is erased', async () => {
    const { id, campaignId } = await scene.busy();
    await scene.erased(id);
    await scene.retry(campaignId);
    const retried = { campaign_id: campaignId, _id: { $ne: id } } as object;
    const { _id: second } = (await eventually(() => scene.rows('calls').findOne(retried)))!;
    await scene.isBusy(campaignId, await scene.lineOf(second));
    expect((await scene.ask('POST', `/campaigns/${campaignId}/cancel`)).status).toBe(200);
    expect(await scene.contactOf(campaignId)).toMatchObject({ ...WHOLE, status: 'cancelled' });
    await scene.erased(second);
    expect(await scene.contactOf(campaignId)).toMatchObject(ERASED);
    expect(await scene.traces()).toEqual([]);
  });
});

// One control plane for all of them: to start one takes longer than most of these tests.
describeRetentionBySettings(scene);
describeArchivedCalls(scene);
