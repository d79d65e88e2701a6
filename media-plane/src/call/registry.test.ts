import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { beforeEach, describe, expect, it } from 'vitest';
import { testCallPlan } from '../testing/call-plan.js';
import type { Call } from './call.js';
import { CallRegistry } from './registry.js';

describe('the places of a worker', () => {
  let clock: ScriptedClock;
  let registry: CallRegistry;
  let expired: CallPlan[];
  beforeEach(() => {
    clock = new ScriptedClock();
    expired = [];
    registry = new CallRegistry({ capacity: 2, clock, onExpired: (plan) => expired.push(plan) });
  });
  const plan = () => testCallPlan({ stream_deadline_at: clock.now() + 30_000 });
  const live = (id: string) => ({ id }) as Call;

  it('are taken by reservations, and refused when there is none left', () => {
    registry.reserve(plan());
    registry.reserve(plan());
    expect(() => registry.reserve(plan())).toThrow(
      expect.objectContaining({ code: 'workers_at_capacity', status: 503 }),
    );
    expect([registry.live, registry.reserved]).toEqual([0, 2]);
  });

  it('are not given while the disk is full; those that were given stay', () => {
    let full = false;
    registry = new CallRegistry({ capacity: 2, clock, onExpired: () => {}, hasStorage: () => !full });
    const before = plan();
    const token = registry.reserve(before);
    full = true;
    expect(() => registry.reserve(plan())).toThrow(
      expect.objectContaining({ code: 'storage_full', status: 503 }),
    );
    expect(registry.reserve(before)).toBe(token);
    full = false;
    registry.reserve(plan());
    expect(registry.reserved).toBe(2);
  });

  it('are not given while the worker is late for the calls it holds; an idle one gives them', () => {
    let late = true;
    registry = new CallRegistry({ capacity: 3, clock, onExpired: () => {}, isOverloaded: () => late });
    const before = plan();
    const token = registry.reserve(before);
    expect(() => registry.reserve(plan())).toThrow(
      expect.objectContaining({ code: 'worker_overloaded', status: 503, retryable: true }),
    );
    expect(registry.reserve(before)).toBe(token);
    late = false;
    registry.reserve(plan());
    expect(registry.reserved).toBe(2);
  });

  it('are taken once by a plan that is sent twice', () => {
    const sent = plan();
    expect(registry.reserve(sent)).toBe(registry.reserve(sent));
    expect(registry.reserved).toBe(1);
  });

  it('are held until the later deadline of a call that is reserved again', () => {
    const first = plan();
    const token = registry.reserve(first);
    clock.advance(20_000);
    const again = { ...first, stream_deadline_at: clock.now() + 30_000 };
    expect(registry.reserve(again)).toBe(token);
    // The first request, late.
    expect(registry.reserve(first)).toBe(token);
    clock.advance(29_999);
    expect(expired).toEqual([]);
    clock.advance(1);
    expect(expired).toEqual([again]);
    expect([registry.reserved, clock.pending]).toEqual([0, 0]);
  });

  it('are claimed with the right token, once', () => {
    const sent = plan();
    const token = registry.reserve(sent);
    expect(registry.claim(sent.call_id, `${token}x`)).toBeUndefined();
    expect(registry.claim(sent.call_id, '')).toBeUndefined();
    expect(registry.claim(plan().call_id, token)).toBeUndefined();
    expect(registry.claim(sent.call_id, token)).toBe(sent);
    expect(registry.claim(sent.call_id, token)).toBeUndefined();
  });

  it('are free again when the media stream does not come in time', () => {
    const sent = plan();
    const token = registry.reserve(sent);
    clock.advance(29_999);
    expect(expired).toEqual([]);
    clock.advance(1);
    expect(expired).toEqual([sent]);
    expect(registry.claim(sent.call_id, token)).toBeUndefined();
    expect(registry.reserved).toBe(0);
  });

  it('do not expire once claimed or given back', () => {
    const [claimed, released] = [plan(), plan()];
    registry.claim(claimed.call_id, registry.reserve(claimed));
    registry.reserve(released);
    expect(registry.release(released.call_id)).toBe(true);
    expect(registry.release(released.call_id)).toBe(false);
    clock.advance(60_000);
    expect(expired).toEqual([]);
  });

  it('are not given to a call that already ran here', () => {
    const sent = plan();
    registry.claim(sent.call_id, registry.reserve(sent));
    registry.add(live(sent.call_id));
    expect(() => registry.reserve(sent)).toThrow(expect.objectContaining({ code: 'call_already_live' }));
    registry.remove(sent.call_id);
    expect(registry.hasEnded(sent.call_id)).toBe(true);
    expect(() => registry.reserve(sent)).toThrow(expect.objectContaining({ code: 'call_already_live' }));
  });

  it('drain: refuses new calls and resolves when the last has ended', async () => {
    const sent = plan();
    registry.claim(sent.call_id, registry.reserve(sent));
    registry.add(live(sent.call_id));
    let drained = false;
    const end = registry.drain().then(() => {
      drained = true;
    });
    expect(() => registry.reserve(plan())).toThrow(expect.objectContaining({ code: 'worker_draining' }));
    await Promise.resolve();
    expect(drained).toBe(false);
    registry.remove(sent.call_id);
    await end;
    expect(drained).toBe(true);
  });
});
