import { describe, expect, it } from 'vitest';
import { charge } from './charge.js';
import { RecordedEvents } from './testing/recorded-events.js';
import { usageRow } from './testing/usage-rows.js';

/** Charges for a record whose part that no credit covers is `billable`; what was entered, and what planned. */
async function charged(record: ReturnType<typeof usageRow>, billable = record.total) {
  const entered: unknown[][] = [];
  const planned: unknown[][] = [];
  const enter = async (...of: unknown[]) => {
    entered.push(of);
    return { tenant_id: record.tenant_id, at: new Date(0), notices: [], billable };
  };
  const plan = async (...of: unknown[]) => void planned.push(of);
  const edges = { ledger: { enter } as never, metering: { plan } as never, events: new RecordedEvents() };
  await charge(edges, record);
  return { entered, planned };
}

describe('the charge for a usage record', () => {
  it("is entered in its tenant's ledger under its id, and billed as far as no credit covers it", async () => {
    const record = usageRow({ total: 700 });
    const { _id, tenant_id } = record;
    const entered = [[tenant_id, _id, { kind: 'usage', callId: _id, cost: 700 }]];
    expect(await charged(record, 200)).toEqual({ entered, planned: [[tenant_id, _id, 200]] });
    expect(await charged(record, 1)).toEqual({ entered, planned: [[tenant_id, _id, 1]] });
    expect(await charged(record, 0)).toEqual({ entered, planned: [] });
  });

  it('is none in the sandbox, and none of what cost nothing', async () => {
    const none = { entered: [], planned: [] };
    expect(await charged(usageRow({ sandbox: true, total: 700 }))).toEqual(none);
    expect(await charged(usageRow({ total: 0 }))).toEqual(none);
  });
});
