import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { at, idle, ScriptedDeliveryLoop } from '../testing/scripted-delivery-loop.js';
import { type DeliveryLoop, POLL_INTERVAL_MS } from './delivery-loop.js';
import { SEND_TIMEOUT_MS, type SendResult } from './sender.js';

const OK: SendResult = { ok: true, status: 204, error: null };

let script: ScriptedDeliveryLoop;
let loop: DeliveryLoop;

beforeEach(() => {
  script = new ScriptedDeliveryLoop();
  loop = script.loop;
});
afterEach(() => vi.useRealTimers());

describe('stopping the delivery loop', () => {
  it('gives back what waits, and lets what is under way finish', async () => {
    await script.start();
    loop.take(script.attempts(6));
    let stopped = false;
    const stopping = loop.stop().then(() => {
      stopped = true;
    });
    await idle();
    expect([script.released, stopped]).toEqual([['a5', 'a6'], false]);
    for (const request of script.requests.slice(0, 4)) await request.answer(OK);
    await stopping;
    expect(script.settled).toHaveLength(4);
    expect(script.requests).toHaveLength(4);
  });

  it('gives back what a look under way still brings, and begins no other look', async () => {
    loop.start();
    script.serve('a');
    loop.wake();
    const stopping = loop.stop();
    await script.looks[0]!.answer({ attempts: script.attempts(2), taken: 2 });
    await stopping;
    expect([script.released, script.requests]).toEqual([['a1', 'a2'], []]);
    loop.wake();
    script.clock.advance(10 * POLL_INTERVAL_MS);
    expect([script.looks.length, script.clock.pending]).toEqual([1, 0]);
  });

  it('gives back what was claimed while there was room, and comes when there is none', async () => {
    await script.start();
    expect(loop.hasRoom(at('a'))).toBe(true);
    const [attempts, stopping] = [script.attempts(2), loop.stop()];
    await loop.take(attempts);
    await stopping;
    await loop.take(script.attempts(1, 'b'));
    expect([script.released, script.requests]).toEqual([['a1', 'a2', 'b1'], []]);
  });

  it('calls off what takes a second longer than an attempt may, and gives it back', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await script.start();
    loop.take(script.attempts(1));
    const stopping = loop.stop();
    await idle();
    vi.advanceTimersByTime(SEND_TIMEOUT_MS + 999);
    expect(script.requests[0]!.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(script.requests[0]!.signal.aborted).toBe(true);
    await stopping;
    expect([script.settled, script.released]).toEqual([[], ['a1']]);
    expect(script.logged).toEqual(['a delivery was not settled']);
  });

  it('leaves no timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await script.start();
    await script.stop();
    expect([vi.getTimerCount(), script.clock.pending]).toEqual([0, 0]);
  });
});
