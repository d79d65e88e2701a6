import type { CallEvent } from '@voice/shared/contracts/call-events';
import { describe, expect, it } from 'vitest';
import type { CallDocument } from '../record/model.js';
import { FinishedCallEvents } from './finished-call-events.js';

const event = (seq: number, kind: string) => ({ seq, kind }) as unknown as CallEvent;
const call = (id: string) => ({ _id: id }) as CallDocument;
const WHOLE = [event(1, 'media_started'), event(2, 'turn'), event(3, 'ended')];

function scene(stored: readonly CallEvent[]) {
  const scene = { stored, now: 0, reads: 0, events: undefined as unknown as FinishedCallEvents };
  scene.events = new FinishedCallEvents({
    read: async () => {
      scene.reads += 1;
      return scene.stored;
    },
    now: () => scene.now,
  });
  return scene;
}

describe('the events of a call', () => {
  it('are read once where the last one is there and all before it', async () => {
    const whole = scene(WHOLE);
    expect(await whole.events.of(call('a'))).toEqual(WHOLE);
    expect(await whole.events.of(call('a'))).toEqual(WHOLE);
    expect(whole.reads).toBe(1);
    await whole.events.of(call('b'));
    expect(whole.reads).toBe(2);
  });

  it.each([
    ['none has come', []],
    ['the end has not come', WHOLE.slice(0, 2)],
    ['one before the end has not come', [WHOLE[0]!, WHOLE[2]!]],
    ['the first has not come', WHOLE.slice(1)],
  ])('are read anew where %s', async (_where, stored) => {
    const part = scene(stored);
    await part.events.of(call('a'));
    part.stored = WHOLE;
    expect(await part.events.of(call('a'))).toEqual(WHOLE);
    expect(part.reads).toBe(2);
  });

  it('are forgotten after ten seconds, and beyond 200 calls the oldest', async () => {
    const whole = scene(WHOLE);
    await whole.events.of(call('a'));
    whole.now = 10_000;
    await whole.events.of(call('a'));
    expect(whole.reads).toBe(2);
    for (let n = 0; n < 200; n++) await whole.events.of(call(`other-${n}`));
    await whole.events.of(call('other-199'));
    expect(whole.reads).toBe(202);
    await whole.events.of(call('a'));
    expect(whole.reads).toBe(203);
  });
});
