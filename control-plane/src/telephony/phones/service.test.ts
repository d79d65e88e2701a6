import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { Carriers } from '../carriers/carriers.js';
import { CarrierFailure } from '../carriers/port.js';
import { CallerIds } from './caller-ids.js';
import { type PhoneNumberDocument, type PhoneNumberModel, phoneNumberModel } from './model.js';
import { NumberService } from './number-service.js';
import { PhonesService } from './service.js';

let store: TestStore;
let numbers: PhoneNumberModel;
let phones: PhonesService;

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  numbers = phoneNumberModel(connection);
  await numbers.createIndexes();
  phones = new PhonesService(numbers, new ScriptedClock());
});
afterAll(() => store?.close());

describe('the sandbox caller id', () => {
  it('is given once, verified and attested A', async () => {
    const tenant = newTenantId();
    await Promise.all([1, 2, 3].map(() => phones.ensureSandboxCallerId(tenant)));
    expect(await numbers.countDocuments({ tenant_id: tenant })).toBe(1);
    expect(await phones.requireCallerId({ tenant, sandbox: true }, SANDBOX_CALLER_ID)).toEqual({
      number: SANDBOX_CALLER_ID,
      provider: 'simulated',
    });
  });
});

describe('the number that is called from where none is named', () => {
  it('is the oldest that is not being given up, also for a campaign', async () => {
    const tenant = newTenantId();
    const row = { tenant_id: tenant, provider: 'twilio', caller_id_verified_at: new Date(0) } as const;
    const [releasing, other] = ['+14155550110', '+14155550111'];
    await numbers.create({
      ...row,
      _id: newId(),
      number: releasing,
      created_at: new Date(1),
      state: 'releasing',
    });
    await expect(phones.anyCallerId(tenant)).rejects.toMatchObject({ code: 'caller_id_unverified' });
    await numbers.create({ ...row, _id: newId(), number: other, created_at: new Date(2) });
    expect(await phones.anyCallerId(tenant)).toBe(other);
    const campaign = { caller_id: null, agent_id: newId() };
    expect(await new CallerIds(numbers).numberFor({ tenant, sandbox: false }, campaign)).toBe(other);
  });
});

describe('a purchase', () => {
  const owner = { tenant: newTenantId(), sandbox: false };
  const clock = new ScriptedClock();
  /** Numbers that the carrier says are ours. */
  const owned = new Set<string>();
  /** Numbers whose orders are taken and not complete. */
  const pending = new Set<string>();
  const asked: string[] = [];
  /** Happens while the carrier is asked to sell. */
  let meanwhile = async () => {};
  const carrier = {
    name: 'twilio',
    numbers: {
      buy: async (number: string) => {
        asked.push(`buy ${number}`);
        await meanwhile();
        if (pending.has(number)) throw new CarrierFailure('unknown', 'number_order_pending', 'Not complete.');
        throw new CarrierFailure('rejected', '21422', 'It is not for sale.');
      },
      owned: async (number: string) => {
        asked.push(`owned ${number}`);
        if (number === '+14155550129') throw new CarrierFailure('unknown', 'down', 'No answer.');
        return owned.has(number) ? { number, carrierNumberId: `PN ${number}` } : null;
      },
    },
  };
  const service = () =>
    new NumberService({
      numbers,
      carriers: { require: () => carrier } as unknown as Carriers,
      requireAgent: async () => {},
      admitSpending: async () => {},
      publicUrl: () => 'http://localhost',
      clock,
      log: silentLog,
    });
  const begun = async (number: string, movedAt: number) => {
    const _id = newId();
    const bought = { source: 'purchased', state: 'buying', claim: number, provider: 'twilio' } as const;
    const at = { created_at: new Date(0), moved_at: new Date(movedAt) };
    await numbers.create({ _id, tenant_id: owner.tenant, number, sandbox: false, ...bought, ...at });
    return _id;
  };

  it('whose first try died after the carrier had sold the number is completed by the same request', async () => {
    const number = '+14155550120';
    const id = await begun(number, clock.now());
    owned.add(number);
    expect(await service().buy(owner, id, number, 'twilio')).toMatchObject({ state: 'active', _id: id });
    expect(asked).toEqual([`owned ${number}`]);
    expect(await numbers.findOne({ _id: id }).lean()).toMatchObject({ carrier_number_id: `PN ${number}` });
  });

  it('that the carrier refuses when it is asked for again is left to the sweep: the first try may have ordered', async () => {
    const number = '+14155550122';
    const id = await begun(number, clock.now());
    await expect(service().buy(owner, id, number, 'twilio')).rejects.toMatchObject({
      code: 'carrier_timeout',
    });
    expect(await numbers.findOne({ _id: id }).lean()).toMatchObject({ state: 'buying' });
    await clock.advance(60_000);
    await service().resume();
    expect(await numbers.findOne({ _id: id }).lean()).toBeNull();
  });

  it('that the carrier refuses at once leaves nothing', async () => {
    const [id, number] = [newId(), '+14155550123'];
    await expect(service().buy(owner, id, number, 'twilio')).rejects.toMatchObject({
      code: 'phone_number_unavailable',
    });
    expect(await numbers.findOne({ _id: id }).lean()).toBeNull();
  });

  it('whose order is pending is asked for until it is complete, for 30 days at most', async () => {
    const [id, number] = [newId(), '+14155550124'];
    const [lost, other] = [newId(), '+14155550125'];
    pending.add(number).add(other);
    for (const [_id, wanted] of [
      [id, number],
      [lost, other],
    ] as const) {
      await expect(service().buy(owner, _id, wanted, 'twilio')).rejects.toMatchObject({
        code: 'carrier_timeout',
      });
    }
    await clock.advance(29 * 86_400_000);
    await service().resume();
    expect(await numbers.countDocuments({ _id: { $in: [id, lost] }, state: 'buying' })).toBe(2);
    owned.add(number);
    await clock.advance(2 * 86_400_000);
    await service().resume();
    expect(await numbers.findOne({ _id: id }).lean()).toMatchObject({ state: 'active' });
    expect(await numbers.findOne({ _id: lost }).lean()).toBeNull();
  });

  describe('whose request is sent again when its first try counts as abandoned', () => {
    const again = async (number: string) => {
      pending.add(number);
      const id = await begun(number, clock.now() - 60_000);
      return { id, buy: () => service().buy(owner, id, number, 'twilio') };
    };
    const row = (id: string) => numbers.findOne({ _id: id }).lean();
    const ordered = () => ({ state: 'buying', ordered_at: new Date(clock.now()) });

    it('is not forgotten by a sweep while the carrier takes the order', async () => {
      const { id, buy } = await again('+14155550126');
      meanwhile = () => service().resume();
      await expect(buy()).rejects.toMatchObject({ code: 'carrier_timeout' });
      meanwhile = async () => {};
      expect(await row(id)).toMatchObject(ordered());
    });

    it('is written down anew when a sweep has just deleted it', async () => {
      const { id, buy } = await again('+14155550127');
      const update = vi.spyOn(numbers, 'updateOne').mockImplementationOnce(() => {
        update.mockRestore();
        return numbers.deleteOne({ _id: id }).then(() => ({ matchedCount: 0 })) as never;
      });
      await expect(buy()).rejects.toMatchObject({ code: 'carrier_timeout' });
      expect(await row(id)).toMatchObject(ordered());
    });
  });

  it('that no carrier answers for does not come before those after it again', async () => {
    asked.length = 0;
    const stuck = await begun('+14155550129', 1);
    await begun('+14155550121', 2);
    await service().resume();
    expect(asked).toEqual(['owned +14155550129', 'owned +14155550121']);
    expect(await numbers.findOne({ _id: stuck }).lean()).toMatchObject({ moved_at: new Date(clock.now()) });
    await service().resume();
    expect(asked).toHaveLength(2);
  });
});

describe('a caller id to dial with', () => {
  const verified = { provider: 'twilio', caller_id_verified_at: new Date(0), attestation: 'A' } as const;
  it.each<[string, Partial<PhoneNumberDocument>, boolean, string | null]>([
    ['verified and attested A', verified, false, null],
    ["production's, in the sandbox", verified, true, 'caller_id_unverified'],
    ['not verified', { ...verified, caller_id_verified_at: null }, false, 'caller_id_unverified'],
    ['attested B', { ...verified, attestation: 'B' }, false, 'attestation_insufficient'],
    ['attested C', { ...verified, attestation: 'C' }, false, 'attestation_insufficient'],
    ['of which no attestation is known', { ...verified, attestation: null }, false, null],
    [
      'of simulated people, with a live key',
      { ...verified, provider: 'simulated' },
      false,
      'caller_id_unverified',
    ],
  ])('%s', async (_, row, sandbox, code) => {
    const tenant = newTenantId();
    const number = '+14155550100';
    await numbers.create({ _id: newId(), tenant_id: tenant, number, created_at: new Date(0), ...row });
    const found = phones.requireCallerId({ tenant, sandbox }, number);
    if (code === null) expect(await found).toEqual({ number, provider: 'twilio' });
    else await expect(found).rejects.toMatchObject({ status: 403, code });
    await expect(phones.requireCallerId({ tenant: newTenantId(), sandbox }, number)).rejects.toMatchObject({
      code: 'caller_id_unverified',
    });
  });

  it('that is registered in both modes is the one of the mode that asks', async () => {
    const tenant = newTenantId();
    const number = '+14155550101';
    const row = { tenant_id: tenant, number, created_at: new Date(0) };
    await numbers.create({ ...row, ...verified, _id: newId(), provider: 'simulated', sandbox: true });
    await numbers.create({ ...row, ...verified, _id: newId(), caller_id_verified_at: null });
    expect(await phones.requireCallerId({ tenant, sandbox: true }, number)).toEqual({
      number,
      provider: 'simulated',
    });
    await expect(phones.requireCallerId({ tenant, sandbox: false }, number)).rejects.toMatchObject({
      code: 'caller_id_unverified',
    });
  });
});
