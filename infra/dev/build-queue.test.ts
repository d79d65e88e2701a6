import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { BuildQueue, SETTLE_MS } from './build-queue.js';

/** A queue whose builds end when the test says so, and what came of it. */
function scene() {
  const clock = new ScriptedClock();
  const ends: ((isRight: boolean) => void)[] = [];
  let built = 0;
  const queue = new BuildQueue({
    clock,
    build: () => new Promise((resolve) => ends.push(resolve)),
    onBuilt: () => {
      built += 1;
    },
  });
  const end = async (isRight = true) => {
    ends.at(-1)!(isRight);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { clock, queue, end, begun: () => ends.length, built: () => built };
}

describe('the queue of builds', () => {
  it('builds once for changes of one moment', async () => {
    const { clock, queue, end, begun, built } = scene();
    queue.request();
    clock.advance(SETTLE_MS - 1);
    queue.request();
    clock.advance(SETTLE_MS - 1);
    expect(begun()).toBe(0);
    clock.advance(1);
    expect(begun()).toBe(1);
    await end();
    expect(built()).toBe(1);
  });

  it('builds what changes during a build after it, never two at once', async () => {
    const { clock, queue, end, begun, built } = scene();
    queue.request();
    clock.advance(SETTLE_MS);
    queue.request();
    clock.advance(10 * SETTLE_MS);
    expect(begun()).toBe(1);
    await end();
    clock.advance(SETTLE_MS);
    expect(begun()).toBe(2);
    await end();
    expect(built()).toBe(2);
  });

  it('says nothing of a build with errors, and builds again at the next change', async () => {
    const { clock, queue, end, begun, built } = scene();
    queue.request();
    clock.advance(SETTLE_MS);
    await end(false);
    expect(built()).toBe(0);
    queue.request();
    clock.advance(SETTLE_MS);
    expect(begun()).toBe(2);
  });

  it('begins nothing once it is stopped', async () => {
    const { clock, queue, end, begun, built } = scene();
    queue.request();
    clock.advance(SETTLE_MS);
    queue.request();
    queue.stop();
    await end();
    queue.request();
    clock.advance(10 * SETTLE_MS);
    expect([begun(), built()]).toEqual([1, 0]);
  });
});
