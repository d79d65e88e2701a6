import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InstalledCarrier } from '../../telephony/carriers/adapter.js';
import { Carriers } from '../../telephony/carriers/carriers.js';
import { eventually } from '../../testing/eventually.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { WorkerDocument } from '../../workers/model.js';
import { type CallDocument, callModel } from '../record/model.js';
import { DIAL_CALLBACK_WAIT_MS, Reconciliation, type ReconciliationOptions } from './reconciliation.js';
import { stuckCalls } from './stuck-calls.js';

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

/** A reconciliation of calls of its own, and how those ended. */
async function scene(options: Partial<ReconciliationOptions> = {}) {
  const clock = new ScriptedClock();
  const calls = callModel(await store.connect());
  await calls.deleteMany({});
  const endings: string[] = [];
  const reconciliation = new Reconciliation({
    calls,
    carriers: new Carriers([]),
    intake: { settle: async () => {} } as unknown as ReconciliationOptions['intake'],
    ending: {
      end: async (_tenant: string, _id: string, { endReason }: { endReason: string }) =>
        endings.push(endReason),
    } as unknown as ReconciliationOptions['ending'],
    registry: { find: async () => ({ last_seen_at: new Date(clock.now()) }) as WorkerDocument },
    dispatcher: undefined as never,
    callbackHandler: undefined as never,
    clock,
    log: silentLog,
    ...options,
  });
  const add = async (fields: Partial<CallDocument>) => {
    const _id = newId();
    await calls.collection.insertOne({ _id, tenant_id: newTenantId(), ended_at: null, ...fields } as never);
    return _id;
  };
  /** A call of whose end the worker has said nothing yet. */
  const overAtCarrier = () => {
    const at = new Date(clock.now());
    const times = { started_at: at, media_started_at: at, carrier_ended_at: at };
    return add({ status: 'IN_PROGRESS', worker_id: 'w', ...times });
  };
  return { clock, endings, reconciliation, add, overAtCarrier };
}

/** A carrier that does not answer, and which calls it was asked about. */
function hangingCarrier() {
  const asked: string[] = [];
  let fail = (_error: Error) => {};
  const hung = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const callState = (id: string) => {
    asked.push(id);
    return hung;
  };
  const installed = { name: 'twilio', carrier: { callState } } as unknown as InstalledCarrier;
  return { asked, installed, giveUp: () => fail(new Error('timed out')) };
}

it('asks a carrier about its calls, and ends those of a silent worker, while another hangs with many of its own', async () => {
  const hanging = hangingCarrier();
  const answering = { callState: async () => null };
  const { clock, endings, reconciliation, add, overAtCarrier } = await scene({
    carriers: new Carriers([
      hanging.installed,
      { name: 'telnyx', carrier: answering } as unknown as InstalledCarrier,
    ]),
  });
  const ring_deadline_at = new Date(clock.now());
  const overdue = { status: 'RINGING', ring_deadline_at } as const;
  for (let n = 0; n < 150; n++) await add({ ...overdue, carrier: 'twilio', carrier_call_id: `${n}` });
  await add({ ...overdue, carrier: 'telnyx', carrier_call_id: 'one' });
  await overAtCarrier();
  clock.advance(11_000);
  const sweeps = stuckCalls(reconciliation).map((job) => job.run());
  await eventually(() => endings.length === 2 && hanging.asked.length === 20);
  expect(endings.toSorted()).toEqual(['caller_hangup', 'carrier_failed']);
  hanging.giveUp();
  await Promise.all(sweeps);
});

it('asks about a call again after those about which it was not asked, and in no more than half a minute', async () => {
  const hanging = hangingCarrier();
  const { clock, reconciliation, add } = await scene({ carriers: new Carriers([hanging.installed]) });
  const overdue = { status: 'RINGING', carrier: 'twilio', ring_deadline_at: new Date(clock.now()) } as const;
  const ids = Array.from({ length: 150 }, (_, n) => `${n}`);
  for (const carrier_call_id of ids) await add({ ...overdue, carrier_call_id });
  const first = reconciliation.askAboutOverdueCalls('twilio');
  await eventually(() => hanging.asked.length === 20);
  clock.advance(30_000);
  hanging.giveUp();
  await first;
  expect(hanging.asked).toHaveLength(20);
  await reconciliation.askAboutOverdueCalls('twilio');
  await reconciliation.askAboutOverdueCalls('twilio');
  expect(hanging.asked).toHaveLength(150);
  expect(new Set(hanging.asked).size).toBe(150);
  clock.advance(10_000);
  await reconciliation.askAboutOverdueCalls('twilio');
  expect(hanging.asked.slice(150, 170).sort()).toEqual(hanging.asked.slice(0, 20).sort());
});

it('moves the others on where one call cannot be', async () => {
  let stuck = '';
  const settle = async ({ _id }: { _id: string }) => {
    if (_id === stuck) throw new Error('unreadable');
  };
  const { clock, endings, reconciliation, overAtCarrier } = await scene({
    intake: { settle } as unknown as ReconciliationOptions['intake'],
  });
  stuck = await overAtCarrier();
  await overAtCarrier();
  clock.advance(11_000);
  await reconciliation.endWithoutLastWord();
  expect(endings).toEqual(['caller_hangup']);
});

it('leaves a call that is over at the carrier to the judgement of losses while its worker is silent', async () => {
  let lastSeenAt = 0;
  const { clock, endings, reconciliation, overAtCarrier } = await scene({
    registry: { find: async () => ({ last_seen_at: new Date(lastSeenAt) }) as WorkerDocument },
  });
  lastSeenAt = clock.now();
  await overAtCarrier();
  clock.advance(11_000);
  await reconciliation.endWithoutLastWord();
  expect(endings).toEqual([]);
  // The worker lives, and says nothing of the call: then the carrier's word is the last.
  lastSeenAt = clock.now();
  await reconciliation.endWithoutLastWord();
  expect(endings).toEqual(['caller_hangup']);
  // Nobody has judged it for long enough.
  lastSeenAt = 0;
  clock.advance(20_000);
  await reconciliation.endWithoutLastWord();
  expect(endings).toEqual(['caller_hangup', 'caller_hangup']);
});

it('ends a dialing of unknown outcome only once this process has listened as long as for a callback', async () => {
  const { clock, endings, reconciliation, add } = await scene();
  // Nobody was up for ten minutes: what would have been heard of the call waits to be sent.
  const dispatch_lease_until = new Date(clock.now() - 600_000);
  await add({ status: 'QUEUED', dispatch_stage: 'dialing', dispatch_lease_until });
  await reconciliation.endUnknownDialings();
  clock.advance(DIAL_CALLBACK_WAIT_MS - 1);
  await reconciliation.endUnknownDialings();
  expect(endings).toEqual([]);
  clock.advance(1);
  await reconciliation.endUnknownDialings();
  expect(endings).toEqual(['carrier_failed']);
});
