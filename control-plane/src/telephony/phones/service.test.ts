import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { type PhoneNumberDocument, type PhoneNumberModel, phoneNumberModel } from './model.js';
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
