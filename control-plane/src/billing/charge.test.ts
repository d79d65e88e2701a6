import { describe, expect, it } from 'vitest';
import { charge, settleEntry } from './charge.js';
import type { LedgerRow } from './ledger-model.js';
import { RecordedEvents } from './testing/recorded-events.js';
import { usageRow } from './testing/usage-rows.js';

describe('the charge for a usage record', () => {
  /** What is appended to the ledger for it. */
  async function appended(record: ReturnType<typeof usageRow>) {
    const all: unknown[][] = [];
    await charge({ append: async (...of) => void all.push(of) }, record);
    return all;
  }

  it("is appended to its tenant's ledger under its id", async () => {
    const record = usageRow({ total: 700 });
    const { _id, tenant_id } = record;
    expect(await appended(record)).toEqual([[tenant_id, _id, { kind: 'usage', callId: _id, cost: 700 }]]);
  });

  it('is none in the sandbox, and none of what cost nothing', async () => {
    expect(await appended(usageRow({ sandbox: true, total: 700 }))).toEqual([]);
    expect(await appended(usageRow({ total: 0 }))).toEqual([]);
  });
});

describe('what follows from a posted entry', () => {
  const usage: Pick<LedgerRow, 'change' | 'billable'> = {
    change: { kind: 'usage', callId: 'a call', cost: 700 },
    billable: 200,
  };

  async function settled(fields: Partial<LedgerRow>) {
    const planned: unknown[][] = [];
    const events = new RecordedEvents();
    const overdrafts: unknown[][] = [];
    const metering = {
      plan: async (...of: unknown[]) => void planned.push(of),
      planOverdraft: async (...of: unknown[]) => void overdrafts.push(of),
    };
    const entry = {
      _id: 'an entry',
      tenant_id: '01980000-0000-7000-8000-000000000000',
      at: new Date(0),
      notices: [],
    };
    await settleEntry({ events, metering }, { ...entry, ...usage, ...fields });
    return {
      planned: planned.map(([, ...of]) => of),
      overdrafts: overdrafts.map(([, ...of]) => of),
      published: events.all.map(({ type }) => type),
    };
  }

  it('is what no credit covers of a usage, to be billed', async () => {
    const none = { overdrafts: [], published: [] };
    expect(await settled({})).toEqual({ planned: [['a call', 200]], ...none });
    expect(await settled({ billable: 1 })).toEqual({ planned: [['a call', 1]], ...none });
    expect(await settled({ billable: 0 })).toEqual({ planned: [], ...none });
  });

  it('is what was overdrawn before there was a payment method, to be billed under the entry', async () => {
    const change = { kind: 'payment_method', ready: true } as const;
    const none = { planned: [], published: [] };
    expect(await settled({ change, billable: 59 })).toEqual({ overdrafts: [['an entry', 59]], ...none });
    expect(await settled({ change, billable: 0 })).toEqual({ overdrafts: [], ...none });
  });

  it('is what the tenant is sent about its account', async () => {
    const notices = [{ kind: 'credit_exhausted', inAdvance: false, period: 1 } as const];
    expect(await settled({ billable: 0, notices })).toEqual({
      planned: [],
      overdrafts: [],
      published: ['usage.credit_exhausted'],
    });
  });

  it('is nothing at the payment provider where there is none', async () => {
    const entry = { _id: '', tenant_id: '', at: new Date(0), notices: [], ...usage };
    await expect(
      settleEntry({ events: new RecordedEvents(), metering: undefined }, entry),
    ).resolves.toBeUndefined();
  });
});
