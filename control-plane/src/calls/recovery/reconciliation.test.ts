import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Carriers } from '../../telephony/carriers/carriers.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { WorkerDocument } from '../../workers/model.js';
import { callModel } from '../record/model.js';
import { Reconciliation, type ReconciliationOptions } from './reconciliation.js';

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

it('leaves a call that is over at the carrier to the judgement of losses while its worker is silent', async () => {
  const clock = new ScriptedClock();
  const calls = callModel(await store.connect());
  const endings: string[] = [];
  let lastSeenAt = clock.now();
  const reconciliation = new Reconciliation({
    calls,
    carriers: new Carriers([]),
    intake: { settle: async () => {} } as unknown as ReconciliationOptions['intake'],
    ending: {
      end: async (_tenant: string, _id: string, { endReason }: { endReason: string }) =>
        endings.push(endReason),
    } as unknown as ReconciliationOptions['ending'],
    registry: {
      find: async () => ({ last_seen_at: new Date(lastSeenAt) }) as WorkerDocument,
    },
    dispatcher: undefined as never,
    callbackHandler: undefined as never,
    clock,
    log: silentLog,
  });
  const at = new Date(clock.now());
  await calls.collection.insertOne({
    _id: newId(),
    tenant_id: newTenantId(),
    status: 'IN_PROGRESS',
    worker_id: 'w',
    started_at: at,
    media_started_at: at,
    carrier_ended_at: at,
  } as never);
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
