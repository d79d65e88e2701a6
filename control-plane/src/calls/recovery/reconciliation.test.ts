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
import { Reconciliation, type ReconciliationOptions } from './reconciliation.js';

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

it('ends calls of a silent worker while another carrier hangs, and asks that about all of its calls', async () => {
  let asked = 0;
  const callState = () => {
    asked++;
    return new Promise(() => {});
  };
  const hanging = { name: 'twilio', carrier: { callState } } as unknown as InstalledCarrier;
  const { clock, endings, reconciliation, add, overAtCarrier } = await scene({
    carriers: new Carriers([hanging]),
  });
  const ring_deadline_at = new Date(clock.now());
  for (const carrier_call_id of ['a', 'b', 'c']) {
    await add({ status: 'RINGING', carrier: 'twilio', carrier_call_id, ring_deadline_at });
  }
  await overAtCarrier();
  clock.advance(11_000);
  void reconciliation.moveStuckCalls();
  await eventually(() => asked === 3 && endings.length === 1);
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
  await reconciliation.moveStuckCalls();
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
