import { newId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import type { CampaignDocument } from '../model.js';
import { CampaignWorkScene, LINES_REST_MS, NOTHING, soon, TALKS } from '../testing/campaign-work-scene.js';
import { waitingContacts } from '../testing/stored-campaign.js';

const scene = new CampaignWorkScene();

describe('a campaign that needs no look', () => {
  it.each<[string, Partial<CampaignDocument>]>([
    ['has nothing to do', { active: false }],
    ['is not published', { published: false }],
  ])('because it %s is left alone', async (_why, changes) => {
    expect(await scene.look(await scene.stored(changes))).toBeNull();
    expect(scene.asked).toEqual([]);
  });

  it('because it is gone is left alone', async () => {
    expect(await scene.work.look(newId())).toBeNull();
  });
});

describe('a scheduled campaign', () => {
  const at = (inMs: number) =>
    scene.stored({ status: 'scheduled', scheduled_start: new Date(scene.clock.now() + inMs) });

  it.each([
    [1, 1],
    [400, 400],
    [86_400_000, 86_400_000],
  ])('that starts in %i ms is looked at again in %i ms', async (inMs, rest) => {
    const campaign = await at(inMs);
    expect(await scene.look(campaign)).toBe(rest);
    expect(await scene.now(campaign)).toEqual(campaign);
  });

  it('starts at its time, or at once where it has none: slots count from then', async () => {
    for (const campaign of [await at(0), await scene.stored({ status: 'scheduled', started_at: null })]) {
      expect(await scene.look(campaign)).toBe(0);
      expect(await scene.now(campaign)).toMatchObject({
        status: 'running',
        revision: campaign.revision + 1,
        next_slot_at: scene.clock.now(),
        started_at: campaign.started_at ?? new Date(scene.clock.now()),
        updated_at: new Date(scene.clock.now()),
      });
    }
  });
});

it('a scheduled campaign that is cancelled at its time is not started', async () => {
  const campaign = await scene.stored({ status: 'scheduled' });
  scene.afterRead = () => scene.decided(campaign, { status: 'cancelled' });
  await scene.look(campaign);
  expect((await scene.now(campaign)).status).toBe('cancelled');
});

describe('a running campaign', () => {
  it('carries out what was decided, settles, and calls those that it gives lines', async () => {
    const campaign = await scene.stored();
    [scene.completed, scene.granted] = [scene.onLine(campaign), scene.onLine(campaign, 2).slice(1)];
    scene.nextDueAt = scene.clock.now() + 1000;
    expect(await scene.look(campaign)).toBe(0);
    expect(scene.asked).toEqual(['complete', 'dispatch 0', 'settle', 'grant', 'dispatch 1']);
  });

  it('waits as long as it has to', async () => {
    const until = new Date(scene.clock.now() + 1);
    const campaign = await scene.stored({ waiting_reason: 'agent_inactive', waiting_until: until });
    expect(await scene.look(campaign)).toBe(1);
    expect(scene.asked).toEqual(['complete', 'settle', 'stopped']);
    expect(await scene.now(campaign)).toEqual(campaign);
    scene.asked = [];
    scene.clock.advance(1);
    scene.granted = scene.onLine(campaign);
    expect(await scene.look(campaign)).toBe(0);
    expect(scene.asked).toEqual(['complete', 'settle', 'stopped', 'grant', 'dispatch 0']);
    expect(await scene.now(campaign)).toMatchObject({ waiting_reason: null, waiting_until: null });
  });

  it.each([
    ['nobody', null, 0],
    ['somebody who is overdue', -1, 0],
    ['somebody in 300 ms', 300, 300],
    ['somebody in an hour', 3_600_000, 3_600_000],
  ])('that can call %s is looked at again accordingly', async (_whom, dueInMs, rest) => {
    const campaign = await scene.stored({}, ['completed', 'pending']);
    scene.nextDueAt = dueInMs === null ? null : scene.clock.now() + dueInMs;
    expect(await scene.look(campaign)).toBe(rest);
    expect(await scene.now(campaign)).toEqual(campaign);
  });

  it('that waits is looked at sooner while lines are in use', async () => {
    const waiting = { waiting_reason: 'agent_inactive', waiting_until: new Date(scene.clock.now() + 15_000) };
    expect(await scene.look(await scene.stored(waiting))).toBe(15_000);
    expect(await scene.look(await scene.stored(waiting, ['dialing']))).toBe(LINES_REST_MS);
  });

  it.each([
    ['its next slot is', 5000, 300, 5000],
    ['somebody is due', 300, 5000, 5000],
  ])('is looked at again when %s, whichever is later', async (_what, slotInMs, dueInMs, rest) => {
    [scene.untilSlot, scene.nextDueAt] = [slotInMs, scene.clock.now() + dueInMs];
    expect(await scene.look(await scene.stored())).toBe(rest);
  });

  it('that was given a line is looked at again with its next slot, and before while lines are in use', async () => {
    const campaign = await scene.stored();
    scene.granted = scene.onLine(campaign);
    scene.untilSlotAfter = 66;
    expect(await scene.look(campaign)).toBe(66);
    scene.untilSlotAfter = 60_000;
    expect(await scene.look(campaign)).toBe(LINES_REST_MS);
    expect(scene.linesSeen).toBe(true);
  });

  it('owes nothing for the time in which nobody was due', async () => {
    const campaign = await scene.stored();
    scene.nextDueAt = scene.clock.now();
    await scene.work.look(campaign._id, scene.clock.now() - 5);
    expect(scene.asked).toEqual(['rested until -5 ms', 'complete', 'settle', 'grant']);
  });

  it('with somebody on the line is looked at again soon', async () => {
    scene.nextDueAt = scene.clock.now() + 3_600_000;
    expect(await scene.look(await scene.stored({}, ['dialing']))).toBe(LINES_REST_MS);
    scene.untilSlot = 100;
    expect(await scene.look(await scene.stored({}, ['dialing']))).toBe(100);
    // Also one that was rescheduled during its call.
    const campaign = await scene.stored({}, ['pending']);
    await scene.contacts.updateOne({ campaign_id: campaign._id }, { $set: { on_line: true } });
    expect(await scene.look(campaign)).toBe(100);
    // An answered call is open as well.
    expect(await scene.look(await scene.stored({}, ['in_progress']))).toBe(3_600_000);
  });

  describe('whose slots are far apart', () => {
    const slow = { calls_per_minute: 30 };

    it('settles what has ended after it has given lines, and rests when no line is left', async () => {
      scene.untilSlot = 60_000;
      expect(await scene.look(await scene.stored(slow, ['dialing']))).toBe(60_000);
      expect(scene.asked).toEqual(['complete', 'grant', 'settle']);
      expect(scene.linesSeen).toBe(false);
      scene.settle = async () => ({ ...NOTHING, busy: 1 });
      expect(await scene.look(await scene.stored(slow, ['dialing']))).toBe(LINES_REST_MS);
      expect(scene.linesSeen).toBe(true);
    });

    it('settles nothing while it gives lines', async () => {
      const campaign = await scene.stored(slow);
      scene.granted = scene.onLine(campaign);
      await scene.look(campaign);
      expect(scene.asked).toEqual(['complete', 'grant', 'dispatch 0']);
    });
  });

  it('makes each call once, however often it is found', async () => {
    const campaign = await scene.stored();
    let finish = () => {};
    scene.dispatch = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    scene.granted = [...scene.onLine(campaign), ...waitingContacts(campaign, [TALKS])];
    await scene.look(campaign);
    await scene.look(campaign);
    // (The second of the two has no call to make.)
    expect(scene.asked.filter((what) => what === 'dispatch 0')).toHaveLength(1);
    finish();
    await soon();
    await scene.look(campaign);
    expect(scene.asked.filter((what) => what === 'dispatch 0')).toHaveLength(2);
    finish();
  });

  it('is settled once at a time, and goes on where that fails or a call cannot be made', async () => {
    const campaign = await scene.stored({}, ['dialing']);
    let fail = () => {};
    scene.settle = () =>
      new Promise((_resolve, reject) => {
        fail = () => reject(new Error('no'));
      });
    scene.dispatch = async () => {
      throw new Error('no');
    };
    scene.completed = scene.onLine(campaign);
    await scene.look(campaign);
    await scene.look(campaign);
    expect(scene.asked.filter((what) => what === 'settle')).toHaveLength(1);
    fail();
    await soon();
    scene.settle = async () => NOTHING;
    expect(await scene.look(campaign)).toBe(LINES_REST_MS);
    expect(scene.asked.filter((what) => what === 'settle')).toHaveLength(2);
    expect(new Set(scene.errors)).toEqual(new Set(['dispatch failed', 'ended calls could not be settled']));
  });

  it('makes the calls whose dispatcher is gone, and publishes its start where that is missing', async () => {
    const begun = await scene.stored({ first_dispatch_at: new Date() }, ['dialing']);
    scene.settle = async () => ({ busy: 1, dialed: true, orphans: scene.onLine(begun) });
    await scene.look(begun);
    await scene.work.settled();
    expect(scene.asked).toEqual(['complete', 'settle', 'grant', 'dispatch 0']);
    scene.asked = [];
    await scene.look(await scene.stored({}, ['dialing']));
    await scene.work.settled();
    expect(scene.asked).toContain('publish the start');
    scene.asked = [];
    scene.settle = async () => NOTHING;
    await scene.look(await scene.stored({}, ['dialing']));
    await scene.work.settled();
    expect(scene.asked).toEqual(['complete', 'settle', 'grant']);
  });
});

it.each([
  ['calls are made first', (finish: (() => void)[]) => finish.reverse()],
  ['lines are looked at first', (finish: (() => void)[]) => finish],
])('has settled when every call is made and every line looked at: %s', async (_which, inOrder) => {
  const campaign = await scene.stored({}, ['dialing']);
  const finish: (() => void)[] = [];
  scene.settle = () => new Promise((resolve) => finish.push(() => resolve(NOTHING)));
  scene.dispatch = () => new Promise((resolve) => finish.push(resolve));
  scene.granted = scene.onLine(campaign);
  await scene.look(campaign);
  expect(scene.asked).toEqual(['complete', 'settle', 'grant', 'dispatch 0']);
  let settled = false;
  const waiting = scene.work.settled().then(() => {
    settled = true;
  });
  for (const each of inOrder(finish)) {
    await soon();
    expect(settled).toBe(false);
    each();
  }
  await waiting;
});
