import { newId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import { CONTACT_PUBLICATION } from '../contact-publication.js';
import { PUBLISHED_RUN } from '../model.js';
import { CampaignWorkScene, LINES_REST_MS, NOTHING, soon } from '../testing/campaign-work-scene.js';

const scene = new CampaignWorkScene();

describe('a campaign whose contacts are all through', () => {
  const THROUGH = ['completed', 'busy', 'skipped'] as const;

  it('is completed, publishes it with what came of them, and rests', async () => {
    const campaign = await scene.stored({ total_contacts: 3 }, THROUGH);
    expect(await scene.look(campaign)).toBe(0);
    expect(await scene.now(campaign)).toMatchObject({
      status: 'completed',
      completed_at: new Date(scene.clock.now()),
      updated_at: new Date(scene.clock.now()),
      revision: campaign.revision + 1,
      [PUBLISHED_RUN]: 1,
      active: false,
    });
    expect(scene.emitted).toMatchObject([
      {
        type: 'campaign.completed',
        occurredAt: scene.clock.now(),
        data: {
          campaign_id: campaign._id,
          total_contacts: 3,
          success_count: 1,
          failure_count: 1,
          no_answer_count: 1,
        },
      },
    ]);
  });

  it('is not completed before the end of every call is published', async () => {
    const campaign = await scene.stored({}, THROUGH);
    const call = {
      _id: newId(),
      tenant_id: campaign.tenant_id,
      campaign_id: campaign._id,
      publish_due_at: new Date(scene.clock.now()),
      published: ['something else'],
    };
    await scene.calls.collection.insertOne(call as never);
    expect(await scene.look(campaign)).toBe(300);
    expect(await scene.now(campaign)).toEqual(campaign);
    await scene.calls.collection.updateOne({ _id: call._id } as never, {
      $set: { published: [CONTACT_PUBLICATION] },
    });
    await scene.look(campaign);
    expect((await scene.now(campaign)).status).toBe('completed');
  });

  it('is not completed for a call of another campaign, or one that publishes nothing more', async () => {
    const campaign = await scene.stored({}, THROUGH);
    const own = { tenant_id: campaign.tenant_id, campaign_id: campaign._id, published: [] };
    await scene.calls.collection.insertMany([
      { ...own, _id: newId(), campaign_id: newId(), publish_due_at: new Date() },
      { ...own, _id: newId(), tenant_id: newId(), publish_due_at: new Date() },
      { ...own, _id: newId(), publish_due_at: null },
    ] as never[]);
    await scene.look(campaign);
    expect((await scene.now(campaign)).status).toBe('completed');
  });

  it('is not completed where somebody decided something new meanwhile', async () => {
    const campaign = await scene.stored({}, THROUGH);
    scene.afterRead = () => scene.decided(campaign, {});
    expect(await scene.look(campaign)).toBe(0);
    expect((await scene.now(campaign)).status).toBe('running');
    expect(scene.emitted).toEqual([]);
  });

  it('is published again after a crash, at the time of its completion, and then never more', async () => {
    const completed_at = new Date(scene.clock.now() - 5000);
    const campaign = await scene.stored(
      { status: 'completed', completed_at, run: 2, [PUBLISHED_RUN]: 1 },
      THROUGH,
    );
    expect(await scene.look(campaign)).toBeNull();
    expect(scene.emitted).toMatchObject([{ occurredAt: completed_at.getTime() }]);
    expect(await scene.now(campaign)).toMatchObject({ [PUBLISHED_RUN]: 2, active: false });
    await scene.campaigns.updateOne({ _id: campaign._id }, { $set: { active: true } });
    await scene.look(campaign);
    expect(scene.emitted).toHaveLength(1);
  });

  it('that is revived while it is published runs on, and is published again', async () => {
    const campaign = await scene.stored({}, THROUGH);
    scene.beforeEmit = () =>
      scene.campaigns.updateOne(
        { _id: campaign._id },
        { $set: { status: 'running' }, $inc: { revision: 1, run: 1 } },
      );
    await scene.look(campaign);
    expect(await scene.now(campaign)).toMatchObject({
      status: 'running',
      active: true,
      run: 2,
      [PUBLISHED_RUN]: 0,
    });
  });
});

describe('a campaign that calls nobody any more', () => {
  it.each(['draft', 'paused', 'completed', 'cancelled'] as const)(
    'because it is %s is looked after until its last call is over',
    async (status) => {
      const campaign = await scene.stored({ status, [PUBLISHED_RUN]: 1 }, ['pending']);
      scene.settle = async () => ({ ...NOTHING, busy: 1 });
      expect(await scene.look(campaign)).toBe(LINES_REST_MS);
      expect((await scene.now(campaign)).active).toBe(true);
      scene.settle = async () => NOTHING;
      expect(await scene.look(campaign)).toBeNull();
      expect(await scene.now(campaign)).toMatchObject({ status, active: false });
      expect(scene.asked).not.toContain('grant');
      const [contact] = await scene.contacts.find({ campaign_id: campaign._id }).lean();
      expect(contact!.status).toBe(status === 'cancelled' ? 'cancelled' : 'pending');
    },
  );

  it('does not rest where somebody decided something new meanwhile', async () => {
    const campaign = await scene.stored({ status: 'paused' });
    scene.settle = async () => {
      await scene.decided(campaign, { status: 'running' });
      return NOTHING;
    };
    expect(await scene.look(campaign)).toBe(0);
    expect((await scene.now(campaign)).active).toBe(true);
  });

  it('is settled as it is now: what began before is waited for, whether it fails or not', async () => {
    const campaign = await scene.stored({}, ['dialing']);
    let fail = () => {};
    scene.settle = () =>
      new Promise((_resolve, reject) => {
        fail = () => reject(new Error('no'));
      });
    await scene.look(campaign);
    await scene.campaigns.updateOne({ _id: campaign._id }, { $set: { status: 'paused' } });
    const looking = scene.look(campaign);
    while (scene.asked.filter((what) => what === 'complete').length < 2) await soon();
    scene.settle = async () => NOTHING;
    fail();
    expect(await looking).toBeNull();
    expect(scene.asked.filter((what) => what === 'settle')).toHaveLength(2);
  });

  it('fails a look where it cannot be settled', async () => {
    scene.settle = async () => {
      throw new Error('no');
    };
    await expect(scene.look(await scene.stored({ status: 'paused' }))).rejects.toThrow('no');
  });
});
