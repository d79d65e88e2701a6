import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type ErasureScene, NAME } from './erasure-scene.js';

/** Describes how an archived call is read and erased. */
export function describeArchivedCalls(scene: ErasureScene): void {
  describe('an archived call', () => {
    const DAY = '2001-02-03';
    const place = () => join(scene.dataDir, 'archive', scene.tenantId);
    const objects = () => readdir(join(place(), DAY)).catch(() => []);
    const callOf = async (id: string) => (await scene.callsModule().erasedCalls.find(scene.keyOf(id)))!;
    /** An answer without what is another each time: signed addresses, and the id of a request that is refused. */
    const stable = (text: string) =>
      text.replace(/\?expires=\d+&signature=\w+/g, '').replace(/"(?:expires_at|request_id)":"[^"]+"/g, '');

    /** A call that is old enough. */
    async function old() {
      const made = await scene.finished();
      await scene
        .rows('calls')
        .updateOne(
          { _id: made.id },
          { $set: { created_at: new Date(`${DAY}T12:00:00Z`), fold_due_at: new Date(1) } },
        );
      await scene.run('event-folding');
      return made;
    }
    /** Looks at the tenant's calls now. */
    async function archive(): Promise<void> {
      await scene.rows('tenants').updateOne({ _id: scene.tenantId }, { $unset: { archive_due_at: 1 } });
      await scene.run('archive');
    }

    /** The answers of all reading routes that can be asked with these ids. */
    async function answers(ids: Readonly<Record<string, string>>): Promise<Record<string, string>> {
      const paths = scene.plane.modules
        .flatMap(({ routes = [] }) => routes)
        .filter(({ method, path }) => method === 'get' && path.startsWith('/api/v1/'))
        .map(({ path }) => path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => ids[name] ?? whole))
        .filter((path) => !path.includes('{') && !path.endsWith('/listen'));
      const found: Record<string, string> = {};
      for (const path of paths) {
        const { status, text } = await scene.plane.request('GET', path, { key: scene.key });
        found[path] = `${status} ${stable(text)}`;
      }
      return found;
    }

    /** The answers when nothing changes any more by itself: the last webhooks are on their way. */
    async function settledAnswers(ids: Readonly<Record<string, string>>): Promise<Record<string, string>> {
      let found = await answers(ids);
      for (;;) {
        const again = await answers(ids);
        if (isDeepStrictEqual(again, found)) return again;
        found = again;
      }
    }

    it('is answered as before by every reading route, and is erased with its object alone', async () => {
      const { id, campaignId } = await old();
      const call = (await scene.ask('GET', `/calls/${id}`)).json as Record<string, string>;
      const ids = {
        call_id: id,
        campaign_id: campaignId,
        agent_id: call.agent_id!,
        check_id: call.compliance_check_id!,
      };
      const before = await settledAnswers(ids);
      const isIn = Object.keys(before).filter((path) => before[path]!.includes(NAME));
      expect(isIn).toEqual(
        expect.arrayContaining(['/api/v1/calls', `/api/v1/calls/${id}/detail`, `/api/v1/calls/${id}/live`]),
      );
      const sums = await scene.counted();
      const detail = async () => stable((await scene.ask('GET', `/calls/${id}/detail`)).text);
      const whole = await detail();

      // While nothing can be stored, nothing changes, and other tenants come first.
      await mkdir(join(scene.dataDir, 'archive'), { recursive: true });
      await writeFile(place(), 'no directory');
      await expect(archive()).rejects.toMatchObject({ code: 'storage_unavailable' });
      expect(await callOf(id)).not.toHaveProperty('archived_at');
      expect(await detail()).toBe(whole);
      await rm(place());
      await scene.run('archive');
      expect(await objects()).toEqual([]);

      await archive();
      expect(await objects()).toEqual([expect.stringContaining(id)]);
      expect(await callOf(id)).toMatchObject({ archived_at: expect.any(Date), agent_snapshot: '' });

      await rename(place(), `${place()}.away`);
      const refused = await scene.ask('GET', `/calls/${id}/detail`);
      expect([refused.status, refused.json]).toMatchObject([503, { code: 'storage_unavailable' }]);
      expect(refused.headers.get('retry-after')).toBe('5');
      expect((await scene.ask('GET', `/calls/${id}`)).status).toBe(200);
      await rename(`${place()}.away`, place());

      expect(await answers(ids)).toEqual(before);
      expect(await scene.counted()).toEqual(sums);
      const { key: other } = await scene.plane.newKey();
      for (const path of [`/calls/${id}`, `/calls/${id}/detail`, `/calls/${id}/live`]) {
        expect((await scene.plane.request('GET', `/api/v1${path}`, { key: other })).status).toBe(404);
      }

      await writeFile(join(place(), DAY, 'another'), '');
      expect(await scene.erase(id)).toMatchObject({ status: 200, json: { status: 'erased' } });
      expect(await objects()).toEqual(['another']);
      expect(await scene.traces()).toEqual([]);
      expect(await callOf(id)).toMatchObject({ archive_secret: null, archived_at: null });
      expect(await scene.counted()).toEqual(sums);
      expect((await scene.ask('GET', `/calls/${id}/detail`)).json).toMatchObject({
        transcript: [],
        to_number: null,
      });
      await archive();
      expect(await objects()).toEqual(['another']);
    });
  });
}
