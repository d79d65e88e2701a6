import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { silentLog } from '@voice/shared/log/log';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ControlPlaneClient } from './control-plane-client.js';
import { EventSender } from './event-sender.js';
import type { EventSpool } from './event-spool.js';

const CALL = '01998d2a-0000-7000-8000-000000000000';

let clock: ScriptedClock;
let waiting: CallEvent['kind'][];
let sent: { at: number; kinds: CallEvent['kind'][] }[];
let isReachable: boolean;
let sender: EventSender;

beforeEach(() => {
  clock = new ScriptedClock(0);
  [waiting, sent, isReachable] = [[], [], true];
  const spool: Pick<EventSpool, 'pending' | 'pendingCount' | 'forget'> = {
    get pendingCount() {
      return waiting.length;
    },
    pending: () => waiting.map((kind, seq) => ({ call_id: CALL, seq, kind }) as CallEvent),
    forget: () => void waiting.shift(),
  };
  const client: Pick<ControlPlaneClient, 'send'> = {
    async send() {
      sent.push({ at: clock.now(), kinds: [...waiting] });
      if (!isReachable) throw new Error('away');
      return { accepted: waiting.map((_, seq) => ({ call_id: CALL, seq })), rejected: [] };
    },
  };
  sender = new EventSender({
    client: client as ControlPlaneClient,
    spool: () => spool as EventSpool,
    workerId: 'w',
    clock,
    log: silentLog,
  });
});
const report = (kind: CallEvent['kind']) => {
  waiting.push(kind);
  sender.notify(kind);
};
/** Lets time go by, and what it begins come to its end. */
async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await new Promise((resolve) => setImmediate(resolve));
}

describe('events on their way to the control plane', () => {
  it('wait for company, those that only record what was said longer than those that move the call', async () => {
    report('turn');
    await pass(200);
    report('turn_metrics');
    await pass(299);
    expect(sent).toEqual([]);
    await pass(1);
    report('media_started');
    await pass(50);
    expect(sent).toEqual([
      { at: 500, kinds: ['turn', 'turn_metrics'] },
      { at: 550, kinds: ['media_started'] },
    ]);
  });

  it('that only record go with one that moves the call', async () => {
    report('turn');
    await pass(100);
    report('ended');
    await pass(50);
    expect(sent).toEqual([{ at: 150, kinds: ['turn', 'ended'] }]);
    await pass(1000);
    expect(sent).toHaveLength(1);
  });

  it('are no more in one request than the control plane takes, however long they are', async () => {
    const bodies: string[] = [];
    const long = Array.from({ length: 20 }, (_, seq) => ({ call_id: CALL, seq, text: 'x'.repeat(2 ** 20) }));
    const spool = {
      get pendingCount() {
        return long.length;
      },
      pending: () => long,
      forget: () => void long.shift(),
    };
    const client = {
      async send({ body }: { readonly body: string }) {
        bodies.push(body);
        const { worker_id, events } = JSON.parse(body) as { worker_id: string; events: CallEvent[] };
        expect(worker_id).toBe('w');
        return { accepted: events.map(({ call_id, seq }) => ({ call_id, seq })), rejected: [] };
      },
    };
    const own = new EventSender({
      client: client as unknown as ControlPlaneClient,
      spool: () => spool as unknown as EventSpool,
      workerId: 'w',
      clock,
      log: silentLog,
    });
    own.notify();
    for (let n = 0; n < 10; n++) await pass(50);
    expect(long).toEqual([]);
    expect(bodies.length).toBeGreaterThan(5);
    expect(Math.max(...bodies.map(({ length }) => length))).toBeLessThan(5 * 2 ** 20);
  });

  it('are not sent sooner after a failure, whatever comes', async () => {
    isReachable = false;
    report('turn');
    await pass(500);
    report('ended');
    await pass(199);
    expect(sent).toHaveLength(1);
    await pass(1);
    expect(sent.map(({ at }) => at)).toEqual([500, 700]);
    sender.stop();
  });
});
