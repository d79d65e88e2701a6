import { setImmediate as settled } from 'node:timers/promises';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import type { CallDocument } from '../calls/record/model.js';
import type { TenantKey } from '../platform/store/tenant-scope.js';
import { Erasure, type ErasureOptions } from './erasure.js';

/** An erasure of calls that are over, and what was done to them. */
function scene(steps: ErasureOptions['steps']) {
  const clock = new ScriptedClock();
  const done: string[] = [];
  const note = (what: string) => async (call: CallDocument) => {
    done.push(`${what} ${call._id}`);
  };
  const calls = {
    mark: note('mark'),
    find: async ({ _id }: TenantKey) => callOf(_id),
    isUnfinished: () => false,
    eventIdsOf: async () => [],
    eraseContent: note('content'),
    finish: async (call: CallDocument) => {
      done.push(`finish ${call._id}`);
      return new Date(0);
    },
    due: async () => [callOf('stuck'), callOf('free')],
    lookAgain: note('later'),
  } as unknown as ErasureOptions['calls'];
  const erasure = new Erasure({ calls, steps, eraseEvents: async () => {}, clock, log: silentLog });
  return { clock, done, erasure };
}

const callOf = (id: string) => ({ _id: id, tenant_id: 'tenant', erasing_at: new Date(0) }) as CallDocument;

describe('an erasure', () => {
  it('that is asked for is answered after 10 s where the storage hangs, and goes on', async () => {
    let answer = () => {};
    const hangs = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { clock, done, erasure } = scene([() => hangs]);
    const asked = erasure.request(callOf('a'));
    await settled();
    clock.advance(10_000);
    expect(await asked).toEqual({ status: 'erasing', erasedAt: null });
    expect(done).toEqual(['mark a']);
    answer();
    await settled();
    expect(done).toEqual(['mark a', 'content a', 'finish a']);
  });

  it('that fails is put off, so that those after it come first', async () => {
    const isStuck = async ({ _id }: CallDocument) => {
      if (_id === 'stuck') throw new Error('unreadable');
    };
    const { done, erasure } = scene([isStuck]);
    await expect(erasure.sweep()).rejects.toThrow('unreadable');
    expect(done.toSorted()).toEqual(['content free', 'finish free', 'later stuck']);
  });
});
