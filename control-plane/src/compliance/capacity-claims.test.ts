import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scopeName, type TenantScope } from '../platform/store/tenant-scope.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import {
  type CapacityClaimModel,
  CapacityClaims,
  CLAIM_LIFE_MS,
  capacityClaimModel,
} from './capacity-claims.js';

const LIMIT = 5;

let store: TestStore;
let model: CapacityClaimModel;
let clock: ScriptedClock;
let scope: TenantScope;
let live: number;
/** The checks whose calls are stored. */
let withCall: string[];
/** What was asked, in order. */
let asked: string[];
/** Runs once, before live calls are counted: what another replica does meanwhile. */
let meanwhile: () => Promise<unknown>;

beforeAll(async () => {
  store = await startTestStore();
  model = capacityClaimModel(await store.connect());
});
afterAll(() => store?.close());
beforeEach(() => {
  clock = new ScriptedClock();
  scope = { tenant: newTenantId(), sandbox: false };
  [live, withCall, asked] = [0, [], []];
  meanwhile = async () => {};
});

function replica(claims = model): CapacityClaims {
  return new CapacityClaims({
    claims,
    clock,
    countLiveCalls: async (_scope, limit) => {
      asked.push(`live calls up to ${limit}`);
      const run = meanwhile;
      meanwhile = async () => {};
      await run();
      return live;
    },
    checksWithCall: async (_scope, ids, since) => {
      asked.push(`calls of ${ids.join()} since ${since.getTime() - clock.now()}`);
      return withCall.filter((id) => ids.includes(id));
    },
  });
}
const rowOf = (of: TenantScope) => model.findOne({ _id: scopeName(of) }).lean();
const claimedIds = async (of = scope) => (await rowOf(of))?.claims.map(({ check_id: id }) => id) ?? [];
const claimAll = (claims: CapacityClaims, ids: readonly string[], of = scope) =>
  Promise.all(ids.map((id) => claims.claim(of, id, LIMIT)));

describe('claims of places', () => {
  it('made together each count those before them, and the live calls', async () => {
    live = 1;
    expect(await claimAll(replica(), ['a', 'b', 'c'])).toEqual([1, 2, 3]);
    expect(await rowOf(scope)).toEqual({
      _id: scopeName(scope),
      revision: 0,
      claims: ['a', 'b', 'c'].map((check_id) => ({ check_id, at: new Date(clock.now()) })),
    });
    expect(await claimAll(replica(), ['d'])).toEqual([4]);
    expect(await rowOf(scope)).toMatchObject({ revision: 1 });
  });

  it('are kept only where there is a place', async () => {
    live = LIMIT - 2;
    expect(await claimAll(replica(), ['a', 'b', 'c', 'd'])).toEqual([3, 4, 5, 6]);
    expect(await claimedIds()).toEqual(['a', 'b']);
    expect(await claimAll(replica(), ['e'])).toEqual([LIMIT]);
    live = LIMIT + 2;
    expect(await claimAll(replica(), ['f'])).toEqual([LIMIT + 4]);
    expect(await rowOf(scope)).toMatchObject({ revision: 0, claims: [{ check_id: 'a' }, { check_id: 'b' }] });
  });

  it('count once when their call is stored, and are dropped with the next claim', async () => {
    const claims = replica();
    await claimAll(claims, ['a', 'b']);
    [live, withCall] = [1, ['a']];
    expect(await claimAll(claims, ['c'])).toEqual([2]);
    expect(await claimedIds()).toEqual(['b', 'c']);
  });

  it('ask which calls are stored before the live ones are counted: twice rather than never', async () => {
    await claimAll(replica(), ['a']);
    asked = [];
    await claimAll(replica(), ['b']);
    expect(asked).toEqual([`calls of a since -${CLAIM_LIFE_MS}`, `live calls up to ${LIMIT}`]);
  });

  it('lapse after ten seconds without a call', async () => {
    const claims = replica();
    await claimAll(claims, ['a']);
    clock.advance(9999);
    expect(await claimAll(claims, ['b'])).toEqual([1]);
    clock.advance(1);
    expect(CLAIM_LIFE_MS).toBe(10_000);
    expect(await claimAll(claims, ['c'])).toEqual([1]);
    expect(await claimedIds()).toEqual(['b', 'c']);
  });

  it('are of one tenant and mode, also where those of several are made together', async () => {
    const claims = replica();
    const scopes = [scope, { ...scope, sandbox: true }, { ...scope, tenant: newTenantId() }];
    const places = scopes.flatMap((each, n) =>
      ['x', 'y'].map((id) => claims.claim(each, `${id}${n}`, LIMIT)),
    );
    expect(await Promise.all(places)).toEqual([0, 1, 0, 1, 0, 1]);
    expect(await Promise.all(scopes.map((each) => claimedIds(each)))).toEqual([
      ['x0', 'y0'],
      ['x1', 'y1'],
      ['x2', 'y2'],
    ]);
  });
});

describe('two replicas at the same moment', () => {
  it('give the first place once', async () => {
    meanwhile = () => claimAll(replica(), ['other']);
    expect(await claimAll(replica(), ['own'])).toEqual([1]);
    expect(await claimedIds()).toEqual(['other', 'own']);
  });

  it('give a later place once', async () => {
    await claimAll(replica(), ['first']);
    meanwhile = () => claimAll(replica(), ['other']);
    expect(await claimAll(replica(), ['own'])).toEqual([2]);
    expect(await claimedIds()).toEqual(['first', 'other', 'own']);
  });

  it('a store that fails gives no place', async () => {
    const broken = new Proxy(model, {
      get: (target, property) =>
        property === 'create'
          ? () => Promise.reject(new Error('no disk'))
          : Reflect.get(target, property, target),
    });
    await expect(claimAll(replica(broken), ['a'])).rejects.toThrow('no disk');
  });
});
