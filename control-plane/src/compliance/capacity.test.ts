import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callingHours } from '../agents/calling-hours.js';
import { LIVE_STATUSES } from '../calls/record/call-state.js';
import { type CallModel, callModel } from '../calls/record/model.js';
import { ensureIndexes } from '../platform/store/ensure-indexes.js';
import { ownedBy, type TenantScope } from '../platform/store/tenant-scope.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import {
  type CapacityClaimModel,
  CapacityClaims,
  CLAIM_LIFE_MS,
  capacityClaimModel,
} from './capacity-claims.js';
import { dncEntryModel, operatorDncModel } from './dnc/model.js';
import { DncRegistry } from './dnc/registry.js';
import { ComplianceGate } from './gate.js';
import { type ComplianceCheckModel, complianceCheckModel } from './model.js';
import { NumberRegions } from './number-region.js';

const TALKS = '+15005550006';
const LIMIT = 5;
const CALL = {
  fromNumber: null,
  toNumber: TALKS,
  agent: {
    id: newId(),
    disclosure: 'I am an AI assistant.',
    language: 'en',
    callingHours: callingHours.parse({}),
    recording: { enabled: false, announce: false },
  },
};

let store: TestStore;
let calls: CallModel;
let checks: ComplianceCheckModel;
let claims: CapacityClaimModel;
let registry: DncRegistry;
const regions = new NumberRegions();
const clock = new ScriptedClock();

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  calls = callModel(connection);
  checks = complianceCheckModel(connection);
  claims = capacityClaimModel(connection);
  registry = new DncRegistry({
    entries: dncEntryModel(connection),
    operator: operatorDncModel(connection),
    clock,
    cursors: { encode: () => '', decode: () => null } as never,
  });
  await ensureIndexes(connection);
});
afterAll(async () => {
  await store?.close();
});

const live = (scope: TenantScope) =>
  calls.countDocuments({ ...ownedBy(scope), status: { $in: LIVE_STATUSES } }).exec();

const newScope = (sandbox = false): TenantScope => ({ tenant: newTenantId(), sandbox });

/** The gate of one replica. */
function replica(): ComplianceGate {
  return new ComplianceGate({
    checks,
    registry,
    regions,
    clock,
    maxConcurrentCalls: LIMIT,
    countLiveCalls: live,
    claims: new CapacityClaims({
      claims,
      countLiveCalls: live,
      checksWithCall: async (scope, ids, since) =>
        (
          await calls
            .find({ ...ownedBy(scope), created_at: { $gte: since }, compliance_check_id: { $in: [...ids] } })
            .lean()
        ).map(({ compliance_check_id: id }) => id!),
      clock,
    }),
  });
}

/** Creates a call as the API does: the gate first, a little later the call. Null where the gate denies it. */
async function create(
  gate: ComplianceGate,
  scope: TenantScope,
  storedAfterMs: number,
): Promise<string | null> {
  const admitted = await gate.admit(scope, CALL, undefined).catch(() => null);
  if (!admitted) return null;
  await new Promise((resolve) => setTimeout(resolve, storedAfterMs));
  const _id = newId();
  await calls.collection.insertOne({
    _id,
    ...ownedBy(scope),
    status: 'QUEUED',
    compliance_check_id: admitted.id,
    created_at: new Date(clock.now()),
  } as never);
  return _id;
}
const end = (ids: readonly (string | null)[]) =>
  calls.collection.updateMany({ _id: { $in: ids } } as never, { $set: { status: 'COMPLETED' } });

describe("the gate's capacity check", () => {
  // @rule 1.8
  it('gives every place once to calls created at the same moment on two replicas', async () => {
    const scope = newScope();
    const gates = [replica(), replica()];
    for (let round = 0; round < 4; round++) {
      const made = await Promise.all(
        Array.from({ length: 24 }, (_, n) => create(gates[n % 2]!, scope, (n * 7) % 20)),
      );
      const admitted = made.filter((id) => id !== null);
      expect(admitted).toHaveLength(LIMIT);
      expect(await live(scope)).toBe(LIMIT);
      await end(admitted);
      clock.advance(1000);
    }
    const denied = await checks.find({ ...ownedBy(scope), decision: 'denied' }).lean();
    expect(denied).toHaveLength(4 * (24 - LIMIT));
    expect(denied[0]!.reasons).toEqual(['concurrent_calls_limit']);
    expect(JSON.parse(denied[0]!.inputs).live_calls).toBeGreaterThanOrEqual(LIMIT);
  });

  it('frees the place of a call that was admitted and never stored', async () => {
    const scope = newScope();
    const gate = replica();
    const claimed = await Promise.all(
      Array.from({ length: LIMIT }, () => gate.admit(scope, CALL, undefined)),
    );
    expect(claimed).toHaveLength(LIMIT);
    expect(await create(gate, scope, 0)).toBeNull();
    clock.advance(CLAIM_LIFE_MS);
    expect(await create(gate, scope, 0)).not.toBeNull();
  });

  it('counts the calls of one mode: those of the sandbox take no place of production', async () => {
    const scope = newScope();
    const gate = replica();
    for (let n = 0; n < LIMIT; n++) await create(gate, { ...scope, sandbox: true }, 0);
    expect(await create(gate, { ...scope, sandbox: true }, 0)).toBeNull();
    expect(await create(gate, scope, 0)).not.toBeNull();
  });

  it('takes no place for a check without a call', async () => {
    const scope = newScope();
    const gate = replica();
    for (let n = 0; n < 2 * LIMIT; n++) {
      expect((await gate.check(scope, CALL)).decision).toBe('allowed');
    }
    expect(await create(gate, scope, 0)).not.toBeNull();
  });
});
