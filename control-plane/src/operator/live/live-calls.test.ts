import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { callModel } from '../../calls/record/model.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import { LiveCalls, MAX_STREAMS_OF_TENANT, MAX_VIEWERS_OF_CALL } from './live-calls.js';

const nobody = { send: () => {}, end: () => {} };

/** No query is ever made: the clock that would ask for one stands still. */
function liveCalls(): LiveCalls {
  return new LiveCalls({
    calls: callModel(mongoose.createConnection()),
    storedAfter: async () => [],
    workerAddress: async () => undefined,
    secret: 'a secret',
    clock: new ScriptedClock(),
    log: silentLog,
  });
}

/** Opens as many streams as one tenant may have in a mode; how to close them. */
function fill(live: LiveCalls, scope: TenantScope): (() => void)[] {
  const leave: (() => void)[] = [];
  while (leave.length < MAX_STREAMS_OF_TENANT) {
    const callId = newId();
    for (let n = 0; n < MAX_VIEWERS_OF_CALL && leave.length < MAX_STREAMS_OF_TENANT; n++) {
      live.admitViewer(scope, callId);
      leave.push(live.follow(scope, callId, nobody));
    }
  }
  return leave;
}

describe('the live streams of a tenant', () => {
  it.each([true, false])('are counted for each mode by itself (sandbox is full: %s)', (sandbox) => {
    const live = liveCalls();
    const full = { tenant: newTenantId(), sandbox };
    const leave = fill(live, full);
    const refused = expect.objectContaining({ code: 'live_limit_reached' });
    expect(() => live.admitViewer(full, newId())).toThrow(refused);
    expect(() => live.admitListener(full, { _id: newId(), status: 'IN_PROGRESS' })).toThrow(refused);
    const other = { ...full, sandbox: !sandbox };
    live.admitViewer(other, newId());
    live.admitListener(other, { _id: newId(), status: 'IN_PROGRESS' });
    leave[0]!();
    live.admitViewer(full, newId());
    live.close();
  });
});
