import { MAX_SPOOLED_CALLS } from '@voice/shared/contracts/worker';
import { describe, expect, it } from 'vitest';
import { spooledCalls } from './spooled-calls.js';

const spool = (...calls: string[]) => ({ pendingCalls: () => calls });

describe('the calls that a heartbeat names as spooled', () => {
  it('are those with events or files on their way, each once, without the calls that are held', () => {
    expect(spooledCalls([spool('a', 'live'), spool('b', 'a')], (id) => id === 'live')).toEqual(['a', 'b']);
    expect(spooledCalls([spool()], () => false)).toEqual([]);
  });

  it('are not named when there are too many: then none is taken for sent', () => {
    const many = Array.from({ length: MAX_SPOOLED_CALLS + 1 }, (_, i) => String(i));
    expect(spooledCalls([spool(...many)], () => false)).toBeUndefined();
  });
});
