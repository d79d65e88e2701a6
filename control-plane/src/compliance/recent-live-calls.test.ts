import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newTenantId } from '@voice/shared/ids/ids';
import { beforeEach, describe, expect, it } from 'vitest';
import { RecentLiveCalls } from './recent-live-calls.js';

const LIMIT = 1000;
const NEAR = 500;

describe('live calls of a tenant that begins calls one after another', () => {
  const scope = { tenant: newTenantId(), sandbox: false };
  let stored: number;
  let counts: number;
  let clock: ScriptedClock;
  let live: RecentLiveCalls;
  beforeEach(() => {
    [stored, counts] = [3, 0];
    clock = new ScriptedClock();
    live = new RecentLiveCalls({
      count: async () => {
        counts++;
        return stored;
      },
      nearLimit: NEAR,
      clock,
    });
  });

  it('counts once a second, and adds the calls that began here since', async () => {
    expect(await live.of(scope, LIMIT)).toBe(3);
    live.began(scope);
    clock.advance(999);
    expect([await live.of(scope, LIMIT), counts]).toEqual([4, 1]);
    clock.advance(1);
    expect([await live.of(scope, LIMIT), counts]).toEqual([3, 2]);
  });

  it('counts at once for who asks for it, and goes on from there', async () => {
    await live.of(scope, LIMIT);
    stored = LIMIT;
    expect([await live.counted(scope, LIMIT), await live.of(scope, LIMIT)]).toEqual([LIMIT, LIMIT]);
  });

  it('counts each time where the limit is near, by the store or by the calls that began here', async () => {
    stored = NEAR - 1;
    await live.of(scope, LIMIT);
    await live.of(scope, LIMIT);
    expect(counts).toBe(1);
    live.began(scope);
    await live.of(scope, LIMIT);
    stored = NEAR;
    clock.advance(1000);
    await live.of(scope, LIMIT);
    await live.of(scope, LIMIT);
    expect(counts).toBe(4);
  });

  it('keeps tenants and modes apart', async () => {
    await live.of(scope, LIMIT);
    live.began(scope);
    stored = 7;
    expect(await live.of({ ...scope, sandbox: true }, LIMIT)).toBe(7);
    expect(await live.of({ ...scope, tenant: newTenantId() }, LIMIT)).toBe(7);
  });

  it('does not keep a count that failed', async () => {
    const failing = new RecentLiveCalls({
      count: async () => {
        if (counts++ === 0) throw new Error('no store');
        return 2;
      },
      nearLimit: NEAR,
      clock,
    });
    await expect(failing.of(scope, LIMIT)).rejects.toThrow('no store');
    expect(await failing.of(scope, LIMIT)).toBe(2);
  });
});
