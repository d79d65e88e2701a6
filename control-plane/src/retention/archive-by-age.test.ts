import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CallDocument } from '../calls/record/model.js';
import { apiError } from '../platform/http/error-codes.js';
import { scopeName, type TenantScope } from '../platform/store/tenant-scope.js';
import { ArchiveByAge } from './archive-by-age.js';

const DAY_MS = 86_400_000;
const NOW = 100 * DAY_MS;

type Place = Pick<CallDocument, '_id' | 'created_at'>;

let clock: ScriptedClock;
/** Of tenant `a` in production, the oldest first; those of other scopes are none. */
let calls: CallDocument[];
let archived: string[];
let looked: { tenant: string; nextAt: number }[];
let places: Map<string, Place>;
/** What becomes of a call whose id it is; all others are archived. */
let outcomes: Map<string, boolean | Error>;

beforeEach(() => {
  clock = new ScriptedClock(NOW);
  calls = [];
  archived = [];
  looked = [];
  places = new Map();
  outcomes = new Map();
});

const callOf = (id: string, daysOld: number) =>
  ({ _id: id, created_at: new Date(NOW - daysOld * DAY_MS) }) as CallDocument;
const many = (count: number) =>
  Array.from({ length: count }, (_, n) => callOf(String(n).padStart(5, '0'), 90 - n / 100));
const isAfter = (call: Place, place: Place) =>
  call.created_at > place.created_at ||
  (call.created_at.getTime() === place.created_at.getTime() && call._id > place._id);

const run = () =>
  new ArchiveByAge({
    afterDays: 10,
    tenants: {
      archiveDue: async () => [{ _id: 'a' } as never],
      archiveLooked: async (tenant, nextAt) => void looked.push({ tenant, nextAt }),
    },
    calls: {
      createdBetween: async ({ tenant, sandbox }: TenantScope, after, before, limit) =>
        tenant === 'a' && !sandbox
          ? calls.filter((call) => isAfter(call, after) && call.created_at < before).slice(0, limit)
          : [],
    },
    archiving: {
      archive: async ({ _id }) => {
        const outcome = outcomes.get(_id) ?? true;
        if (outcome instanceof Error) throw outcome;
        if (outcome) archived.push(_id);
        return outcome;
      },
    },
    progress: {
      of: async (scope) => ({ _id: '', created_at: new Date(0), left: [], ...places.get(scopeName(scope)) }),
      note: async (scope, _part, place) => void places.set(scopeName(scope), place),
    },
    clock,
    log: silentLog,
  }).run();

describe('archiving by age', () => {
  it('takes calls that are old enough, each once, and looks again in an hour', async () => {
    calls = [callOf('old', 30), callOf('just old enough', 10.1), callOf('young', 9.9)];
    await run();
    await run();
    expect(archived).toEqual(['old', 'just old enough']);
    expect(looked.map(({ nextAt }) => nextAt - NOW)).toEqual([3_600_000, 3_600_000]);
  });

  it('ends after ten batches, and goes on at once', async () => {
    calls = many(1050);
    await run();
    expect([archived.length, looked]).toEqual([1000, [{ tenant: 'a', nextAt: NOW }]]);
    await run();
    expect(archived).toEqual(calls.map(({ _id }) => _id));
  });

  it('begins no batch after half a minute', async () => {
    calls = many(300);
    const set = archived;
    archived = new Proxy(set, {
      get: (target, name) => {
        if (name === 'push') clock.advance(400);
        return Reflect.get(target, name) as unknown;
      },
    });
    await run();
    expect([set.length, looked[0]!.nextAt]).toEqual([100, clock.now()]);
  });

  it('waits a day for a call that is not over in all respects, and then passes it by', async () => {
    calls = [callOf('a', 30), callOf('b', 10.5), callOf('c', 10.2)];
    outcomes.set('b', false);
    await run();
    expect(places.get(scopeName({ tenant: 'a' as never, sandbox: false }))).toMatchObject({ _id: 'a' });
    clock.advance(DAY_MS);
    await run();
    expect(archived).toEqual(['a', 'c', 'c']);
    expect(places.get(scopeName({ tenant: 'a' as never, sandbox: false }))).toMatchObject({ _id: 'c' });
  });

  it('goes on where it was when the storage answers again', async () => {
    calls = many(150);
    outcomes.set('00120', apiError('storage_unavailable', undefined, { retryable: true }));
    await expect(run()).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(looked).toEqual([{ tenant: 'a', nextAt: NOW + 600_000 }]);
    outcomes.clear();
    archived = [];
    await run();
    expect(archived).toEqual(calls.slice(100).map(({ _id }) => _id));
  });

  it('leaves a call in the store that cannot be archived, and goes on with the others', async () => {
    calls = [callOf('a', 30), callOf('b', 20), callOf('c', 10.2)];
    outcomes.set('b', new Error('no JSON'));
    await run();
    expect(archived).toEqual(['a', 'c']);
    expect(looked).toEqual([{ tenant: 'a', nextAt: NOW + 3_600_000 }]);
  });
});
