import { setImmediate as settled } from 'node:timers/promises';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import type { CallDocument } from '../calls/record/model.js';
import type { TenantKey } from '../platform/store/tenant-scope.js';
import { Erasure, type ErasureOptions } from './erasure.js';

/** An erasure of calls that are over, and what was done to them. */
function scene(
  steps: ErasureOptions['steps'],
  due: ErasureOptions['calls']['due'] = async () => [callOf('stuck'), callOf('free')],
) {
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
    due,
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

  describe('that is one of thousands', () => {
    const backlog = Array.from({ length: 450 }, (_, n) => callOf(`call ${n}`));
    const isLeft = (done: string[]) => backlog.filter(({ _id }) => !done.includes(`finish ${_id}`));

    it('is gone on with by the same sweep as the others', async () => {
      const { done, erasure } = scene([], async (limit) => isLeft(done).slice(0, limit));
      await erasure.sweep();
      expect(isLeft(done)).toEqual([]);
    });

    it('waits for the next sweep once this one has taken half a minute', async () => {
      let erased = 0;
      const takesASecond = async () => {
        if (++erased % 10 === 0) clock.advance(1000);
      };
      const { clock, done, erasure } = scene([takesASecond], async (limit) => isLeft(done).slice(0, limit));
      await erasure.sweep();
      expect(erased).toBeGreaterThanOrEqual(300);
      expect(isLeft(done).length).toBeGreaterThan(50);
      await erasure.sweep();
      expect(isLeft(done)).toEqual([]);
    });

    it('is tried once a sweep, however soon it is due again', async () => {
      let tries = 0;
      const fails = async () => {
        tries++;
        throw new Error('unreadable');
      };
      const { erasure } = scene([fails], async (limit) => backlog.slice(0, limit));
      await expect(erasure.sweep()).rejects.toThrow('unreadable');
      expect(tries).toBe(200);
    });
  });
});
