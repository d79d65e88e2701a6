import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import type { CallDetailResponse } from '../../calls/record/schemas.js';
import { agentMessage } from '../../calls/testing/events.js';
import { type ErasureScene, NAME, PHONE } from './erasure-scene.js';

/** Describes what is erased by the settings of a tenant. */
export function describeRetentionBySettings(scene: ErasureScene): void {
  describe('retention by the settings of a tenant', () => {
    const change = async (retention: object) => {
      const { key: live } = await scene.plane.newKey({ tenant: scene.tenant, sandbox: false });
      return scene.plane.request('PATCH', '/api/v1/settings', { key: live, body: { retention } });
    };
    const detailOf = async (id: string) =>
      (await scene.ask('GET', `/calls/${id}/detail`)).json as CallDetailResponse;
    /** Makes the call as old, and lets the job look at the tenant. */
    const age = async (id: string, days: number) => {
      const createdAt = new Date(Date.now() - days * 86_400_000);
      await scene.rows('calls').updateOne({ _id: id }, { $set: { created_at: createdAt } });
      await change({});
      await scene.run('retention');
    };

    it('is for ever by default, and is changed in part', async () => {
      const never = { recordings_days: null, transcripts_days: null, calls_days: null };
      expect((await scene.ask('GET', '/settings')).json).toEqual({ retention: never });
      expect((await change({ recordings_days: 30 })).json).toEqual({
        retention: { ...never, recordings_days: 30 },
      });
      const all = { recordings_days: null, transcripts_days: 60, calls_days: 90 };
      expect((await change(all)).json).toEqual({ retention: all });
      expect((await scene.ask('GET', '/settings')).json).toEqual({ retention: all });
      expect((await change({ calls_days: 0 })).status).toBe(422);
      const sandbox = await scene.ask('PATCH', '/settings', { retention: { calls_days: 1 } });
      expect([sandbox.status, sandbox.json]).toMatchObject([403, { code: 'live_mode_required' }]);
    });

    it('erases recording, words and call, each when its days are over, and nothing that is younger', async () => {
      const { id } = await scene.finished();
      await change({ recordings_days: 1, transcripts_days: 2, calls_days: 3 });
      await scene.run('retention');
      expect(await detailOf(id)).toMatchObject({ recording_url: expect.any(String) });

      await age(id, 1.5);
      const silent = await detailOf(id);
      expect(silent).toMatchObject({
        recording_url: null,
        summary: `${NAME} booked Tuesday.`,
        erased_at: null,
      });
      expect(silent.transcript).toHaveLength(2);
      expect(silent.events.map(({ type }) => type)).toContain('recording.erased');
      expect(await readdir(join(scene.dataDir, 'recordings', scene.tenantId))).toEqual([]);
      expect(await readdir(join(scene.dataDir, 'decision-logs', scene.tenantId))).toHaveLength(1);

      await age(id, 2.5);
      const wordless = await detailOf(id);
      expect(wordless).toMatchObject({
        transcript: [],
        to_number: PHONE,
        analysis: { outcome: 'goal_reached' },
      });
      expect(await scene.rows('transcripts').countDocuments({ _id: id } as object)).toBe(0);
      expect(await readdir(join(scene.dataDir, 'decision-logs', scene.tenantId))).toEqual([]);

      await age(id, 3.5);
      expect(await detailOf(id)).toMatchObject({ to_number: null, erased_at: expect.any(String) });
      expect(await scene.traces()).toEqual([]);
    });

    it('keeps nothing of a part that comes late, such as from a worker that was away for days', async () => {
      const { id } = await scene.finished();
      const row = await scene.rows('calls').findOne({ _id: id });
      const bare = newId();
      const without = { _id: bare, carrier_call_id: bare, recording: null, decision_log_key: null };
      const old = { created_at: new Date(Date.now() - 3 * 86_400_000) };
      await scene.rows('calls').insertOne({ ...row, ...without, ...old } as never);
      await change({ recordings_days: 1, transcripts_days: 1 });
      await age(id, 3);
      for (const call of [id, bare]) {
        expect((await scene.upload(call, 'recording')).status).toBe(204);
        expect((await scene.upload(call, 'decision-log')).status).toBe(204);
        const late = scene.worker.number(call, [agentMessage(2, `Goodbye, ${NAME}.`)]);
        expect((await scene.worker.send(scene.plane, late)).status).toBe(200);
        expect(await detailOf(call)).toMatchObject({ recording_url: null, transcript: [] });
      }
      for (const folder of ['recordings', 'decision-logs']) {
        expect(await readdir(join(scene.dataDir, folder, scene.tenantId))).toEqual([]);
      }
    });

    it('goes on behind the last call that it has erased, and stops before one that is live', async () => {
      const { id } = await scene.talked();
      const copies = Array.from({ length: 120 }, (_, n) => ({
        _id: newId(),
        created_at: new Date(1_000_000 + (n % 3)),
      }));
      const row = (await scene.rows('calls').findOne({ _id: id })) as unknown as object;
      const over = { status: 'COMPLETED', ended_at: new Date(), recording: { key: 'x' }, campaign_id: null };
      await scene
        .rows('calls')
        .insertMany(copies.map((copy) => ({ ...row, ...over, ...copy, carrier_call_id: copy._id })) as never);
      const left = () =>
        scene.rows('calls').countDocuments({ tenant_id: scene.tenantId, 'recording.key': 'x' } as object);
      const newest = {
        ...row,
        ...over,
        _id: newId(),
        carrier_call_id: null,
        created_at: new Date(3_000_000),
      };
      await scene.rows('calls').insertOne(newest as never);
      await scene.rows('calls').updateOne({ _id: id }, { $set: { created_at: new Date(2_000_000) } });
      await change({ recordings_days: 1 });
      await scene.run('retention');
      expect(await left()).toBe(1);
      await scene.rows('calls').updateOne({ _id: id }, { $set: { status: 'FAILED', ended_at: new Date() } });
      await change({});
      await scene.run('retention');
      expect(await left()).toBe(0);
    });
  });
}
