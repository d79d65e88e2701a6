import { describe, expect, it } from 'vitest';
import { handoffRefusal, MAX_HANDOFFS } from './handoff-rules.js';

const to = (agent: string, reason = 'an invoice') => ({ to: agent, reason });
const wanted = (from: string, agent: string, reason = 'an invoice') => ({ from, ...to(agent, reason) });

describe('whether a call is handed over', () => {
  it('is so to an agent that has not had the caller, for any reason or none', () => {
    expect(handoffRefusal(wanted('a', 'b', ''), 'a', [])).toBeNull();
    expect(handoffRefusal(wanted('b', 'c'), 'a', [to('b')])).toBeNull();
  });

  it('is not so to oneself', () => {
    expect(handoffRefusal(wanted('a', 'a'), 'a', [])).toMatch(/You are this agent/);
  });

  it.each([
    ['', [to('b')]],
    ['An invoice!', [to('b')]],
    ['ORDER', [to('b'), to('a', 'order'), to('b', 'refund')]],
  ])('is not so back for the reason %j after %j', (reason, past) => {
    expect(handoffRefusal(wanted('b', 'a', reason), 'a', past)).toMatch(/reason that is new/);
  });

  it('is so back for a new reason', () => {
    expect(handoffRefusal(wanted('b', 'a', 'Asks for the opening hours'), 'a', [to('b')])).toBeNull();
    expect(handoffRefusal(wanted('c', 'b', 'a refund'), 'a', [to('b'), to('c', 'order')])).toBeNull();
  });

  it('is not so once it was done as often as it may be', () => {
    const past = Array.from({ length: MAX_HANDOFFS }, (_, i) => to(`agent ${i}`));
    expect(handoffRefusal(wanted('z', 'new'), 'a', past.slice(1))).toBeNull();
    expect(handoffRefusal(wanted('z', 'new'), 'a', past)).toMatch(/5 times/);
  });
});
