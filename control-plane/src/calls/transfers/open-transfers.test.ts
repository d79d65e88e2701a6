import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InstalledCarrier } from '../../telephony/carriers/adapter.js';
import { Carriers } from '../../telephony/carriers/carriers.js';
import { eventually } from '../../testing/eventually.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { callModel } from '../record/model.js';
import { type TransferRow, transferModel } from './model.js';
import { openTransfers } from './open-transfers.js';
import { Transfers, type TransfersOptions } from './transfers.js';

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

it('goes on with the transfers of a carrier while another hangs, however many of those there are', async () => {
  const clock = new ScriptedClock();
  const connection = await store.connect();
  const [calls, transfers] = [callModel(connection), transferModel(connection)];
  let asked = 0;
  let giveUp = () => {};
  const hung = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(new Error('timed out'));
  });
  const transfer = () => {
    asked++;
    return hung;
  };
  const carriers = new Carriers([
    { name: 'twilio', carrier: { name: 'twilio', repeatable: true, transfer } },
    { name: 'telnyx', carrier: { name: 'telnyx', repeatable: false } },
  ] as unknown as InstalledCarrier[]);
  const open = new Transfers({
    transfers,
    calls,
    carriers,
    streamEnded: async () => false,
    settleCall: async () => {},
    publicUrl: () => 'https://voice.example',
    clock,
    log: silentLog,
  } as Partial<TransfersOptions> as TransfersOptions);

  const tenant_id = newTenantId();
  /** A transfer whose outcome nobody noted. */
  const cutShort = async (carrier: string) => {
    const row: TransferRow = {
      _id: newId(),
      tenant_id,
      call_id: newId(),
      tool_call_id: null,
      destination: '+15005550014',
      transfer_type: 'cold',
      briefing: '',
      stage: 'handing_over',
      leg_id: null,
      error_code: null,
      deadline_at: new Date(clock.now() + 60_000),
      created_at: new Date(clock.now()),
      moved_at: new Date(clock.now()),
      settled: false,
    };
    const line = { direction: 'outbound', from_number: '+15005550001', carrier_call_id: newId() };
    const call = { _id: row.call_id, tenant_id, status: 'IN_PROGRESS', carrier, timeline: [], ...line };
    await calls.collection.insertOne(call as never);
    await transfers.insertMany([row]);
    return row._id;
  };
  for (let n = 0; n < 150; n++) await cutShort('twilio');
  clock.advance(1);
  const other = await cutShort('telnyx');
  clock.advance(15_000);

  const sweep = openTransfers(open).run();
  await eventually(() => transfers.exists({ _id: other, settled: true }));
  expect(await transfers.findById(other).lean()).toMatchObject({
    stage: 'failed',
    error_code: 'outcome_unknown',
  });
  expect(
    await eventually(
      () => asked,
      (count) => count >= 20,
    ),
  ).toBe(20);
  clock.advance(30_000);
  giveUp();
  await sweep;
  expect(asked).toBe(20);
});
