import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callingHours } from '../agents/calling-hours.js';
import { LIVE_STATUSES } from '../calls/call-state.js';
import { type CallModel, callModel } from '../calls/model.js';
import { ensureIndexes } from '../store/connection.js';
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

const live = (tenant: TenantId) =>
  calls.countDocuments({ tenant_id: tenant, status: { $in: LIVE_STATUSES } }).exec();

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
      checksWithCall: async (tenant, ids, since) =>
        (
          await calls
            .find({ tenant_id: tenant, created_at: { $gte: since }, compliance_check_id: { $in: [...ids] } })
            .lean()
        ).map(({ compliance_check_id: id }) => id!),
      clock,
    }),
  });
}

/** Creates a call as the API does: the gate first, a little later the call. Null where the gate denies it. */
async function create(gate: ComplianceGate, tenant: TenantId, storedAfterMs: number): Promise<string | null> {
  const admitted = await gate.admit(tenant, CALL, undefined).catch(() => null);
  if (!admitted) return null;
  await new Promise((resolve) => setTimeout(resolve, storedAfterMs));
  const _id = newId();
  await calls.collection.insertOne({
    _id,
    tenant_id: tenant,
    status: 'QUEUED',
    compliance_check_id: admitted.id,
    created_at: new Date(clock.now()),
  } as never);
  return _id;
}
const end = (ids: readonly (string | null)[]) =>
  calls.collection.updateMany({ _id: { $in: ids } } as never, { $set: { status: 'COMPLETED' } });

describe("the gate's capacity check", () => {
  it('gives every place once to calls created at the same moment on two replicas', async () => {
    const tenant = newTenantId();
    const gates = [replica(), replica()];
    for (let round = 0; round < 4; round++) {
      const made = await Promise.all(
        Array.from({ length: 24 }, (_, n) => create(gates[n % 2]!, tenant, (n * 7) % 20)),
      );
      const admitted = made.filter((id) => id !== null);
      expect(admitted).toHaveLength(LIMIT);
      expect(await live(tenant)).toBe(LIMIT);
      await end(admitted);
      clock.advance(1000);
    }
    const denied = await checks.find({ tenant_id: tenant, decision: 'denied' }).lean();
    expect(denied).toHaveLength(4 * (24 - LIMIT));
    expect(denied[0]!.reasons).toEqual(['concurrent_calls_limit']);
    expect(JSON.parse(denied[0]!.inputs).live_calls).toBeGreaterThanOrEqual(LIMIT);
  });

  it('frees the place of a call that was admitted and never stored', async () => {
    const tenant = newTenantId();
    const gate = replica();
    const claimed = await Promise.all(
      Array.from({ length: LIMIT }, () => gate.admit(tenant, CALL, undefined)),
    );
    expect(claimed).toHaveLength(LIMIT);
    expect(await create(gate, tenant, 0)).toBeNull();
    clock.advance(CLAIM_LIFE_MS);
    expect(await create(gate, tenant, 0)).not.toBeNull();
  });

  it('takes no place for a check without a call', async () => {
    const tenant = newTenantId();
    const gate = replica();
    for (let n = 0; n < 2 * LIMIT; n++) {
      expect((await gate.check(tenant, CALL)).decision).toBe('allowed');
    }
    expect(await create(gate, tenant, 0)).not.toBeNull();
  });
});
