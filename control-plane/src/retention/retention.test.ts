import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import type { CallDocument } from '../calls/record/model.js';
import type { RetentionSettings } from '../identity/tenants/retention-settings.js';
import { Retention, type RetentionOptions } from './retention.js';

const clock = new ScriptedClock();

/** Tenants with one old call each, in production. `broken`: what cannot be erased, as `<tenant> <part>`. */
function scene(tenants: readonly string[], broken: readonly string[]) {
  const retention: RetentionSettings = { recordings_days: 1, transcripts_days: 2, calls_days: null };
  const looked: Record<string, number> = {};
  const erased: string[] = [];
  const noted: string[] = [];
  const options = {
    tenants: {
      retentionDue: async () => tenants.map((_id) => ({ _id, retention })),
      retentionLooked: async (tenant: string, at: number) => {
        looked[tenant] = at - clock.now();
      },
    },
    calls: {
      createdBetween: async ({ tenant, sandbox }: { tenant: string; sandbox: boolean }) =>
        sandbox ? [] : [{ _id: `call of ${tenant}`, tenant_id: tenant, status: 'COMPLETED' }],
    },
    erasure: {
      erasePart: async ({ tenant_id }: CallDocument, part: string) => {
        if (broken.includes(`${tenant_id} ${part}`)) throw new Error(`${tenant_id} ${part}`);
        erased.push(`${tenant_id} ${part}`);
      },
    },
    progress: {
      of: async () => ({ created_at: new Date(0), _id: '' }),
      note: async ({ tenant }: { tenant: string }, part: string) => void noted.push(`${tenant} ${part}`),
    },
    clock,
  } as unknown as RetentionOptions;
  return { retention: new Retention(options), looked, erased, noted };
}

describe('retention', () => {
  it('of a call that cannot be erased holds up neither other parts nor other tenants', async () => {
    const { retention, looked, erased, noted } = scene(['a', 'b'], ['a transcripts']);
    await expect(retention.run()).rejects.toThrow('a transcripts');
    expect(erased).toEqual(['a recordings', 'b transcripts', 'b recordings']);
    expect(noted).toEqual(erased);
    expect(looked).toEqual({ a: 5 * 60_000, b: 60 * 60_000 });
  });

  it('is tried for few tenants while nothing can be erased: others come first in the next run', async () => {
    const tenants = ['a', 'b', 'c', 'd'];
    const broken = tenants.flatMap((tenant) => [`${tenant} transcripts`, `${tenant} recordings`]);
    const { retention, looked } = scene(tenants, broken);
    await expect(retention.run()).rejects.toThrow('a transcripts');
    expect(Object.keys(looked)).toEqual(['a', 'b', 'c']);
  });
});
