import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { silentLog } from '@voice/shared/log/log';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ControlPlaneClient } from './control-plane-client.js';
import { ControlPlaneRefusal } from './control-plane-refusal.js';
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

  /** Sends what a spool holds to a control plane that answers each request so. */
  function senderOf(events: object[], answer: (sent: readonly CallEvent[], body: string) => void) {
    const spool = {
      get pendingCount() {
        return events.length;
      },
      pending: (limit: number) => events.slice(0, limit),
      forget: (_call: string, seq: number) => {
        events.splice(
          events.findIndex((event) => (event as CallEvent).seq === seq),
          1,
        );
      },
    };
    const client = {
      async send({ body }: { readonly body: string }) {
        const { worker_id, events: sent } = JSON.parse(body) as { worker_id: string; events: CallEvent[] };
        expect(worker_id).toBe('w');
        answer(sent, body);
        return { accepted: sent.map(({ call_id, seq }) => ({ call_id, seq })), rejected: [] };
      },
    };
    const own = new EventSender({
      client: client as unknown as ControlPlaneClient,
      spool: () => spool as unknown as EventSpool,
      workerId: 'w',
      clock,
      log: silentLog,
    });
    return { own };
  }

  it('are no more in one request than the control plane takes, however long they are', async () => {
    const lengths: number[] = [];
    const long = Array.from({ length: 20 }, (_, seq) => ({ call_id: CALL, seq, text: 'x'.repeat(2 ** 20) }));
    const { own } = senderOf(long, (_sent, { length }) => lengths.push(length));
    own.notify();
    for (let n = 0; n < 10; n++) await pass(50);
    expect(long).toEqual([]);
    expect(lengths.length).toBeGreaterThan(5);
    expect(Math.max(...lengths)).toBeLessThan(5 * 2 ** 20);
  });

  it('go on without the one for which the control plane refuses them', async () => {
    const events = Array.from({ length: 300 }, (_, seq) => ({ call_id: CALL, seq }));
    const taken = new Set<number>();
    let requests = 0;
    const { own } = senderOf(events, (sent) => {
      requests++;
      if (sent.some(({ seq }) => seq === 137)) {
        throw new ControlPlaneRefusal(400, '{"detail":"…","code":"malformed_json"}');
      }
      for (const { seq } of sent) taken.add(seq);
    });
    own.notify();
    for (let n = 0; n < 40; n++) await pass(50);
    expect(events).toEqual([]);
    expect(taken.size).toBe(299);
    expect(requests).toBeLessThan(40);
  });

  it('are all kept where something else refuses them', async () => {
    const events = [{ call_id: CALL, seq: 1 }];
    const { own } = senderOf(events, () => {
      throw new ControlPlaneRefusal(403, 'Forbidden: "code": "validation_error"');
    });
    own.notify();
    for (let n = 0; n < 10; n++) await pass(50);
    own.stop();
    expect(events).toHaveLength(1);
  });

  it('are sent in smaller batches where a proxy finds them too large, and none is dropped', async () => {
    const events = Array.from({ length: 100 }, (_, seq) => ({ call_id: CALL, seq, text: 'x'.repeat(100) }));
    const taken: number[] = [];
    const { own } = senderOf(events, (sent, { length }) => {
      if (length > 2000) throw new ControlPlaneRefusal(413, '<html>413 Request Entity Too Large</html>');
      taken.push(...sent.map(({ seq }) => seq));
    });
    own.notify();
    for (let n = 0; n < 60; n++) await pass(50);
    own.stop();
    expect(events).toEqual([]);
    expect(taken).toEqual(Array.from({ length: 100 }, (_, seq) => seq));
  });

  it('are kept, and sent again, where a proxy finds a single one too large', async () => {
    const events = [{ call_id: CALL, seq: 1 }];
    let requests = 0;
    const { own } = senderOf(events, () => {
      requests++;
      throw new ControlPlaneRefusal(413, '<html>');
    });
    own.notify();
    await pass(50);
    await pass(199);
    expect(requests).toBe(1);
    await pass(1);
    own.stop();
    expect([requests, events.length]).toEqual([2, 1]);
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
