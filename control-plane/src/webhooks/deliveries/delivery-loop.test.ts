import { beforeEach, describe, expect, it } from 'vitest';
import { at, idle, ScriptedDeliveryLoop } from '../testing/scripted-delivery-loop.js';
import { type DeliveryLoop, FORGET_INTERVAL_MS, POLL_INTERVAL_MS } from './delivery-loop.js';
import { LEASE_MS } from './delivery-queue.js';
import { SEND_TIMEOUT_MS, type SendResult } from './sender.js';

const OK: SendResult = { ok: true, status: 204, error: null };
const REFUSED: SendResult = { ok: false, status: 500, error: 'no' };

let script: ScriptedDeliveryLoop;
let loop: DeliveryLoop;

beforeEach(() => {
  script = new ScriptedDeliveryLoop();
  loop = script.loop;
});

describe('the job of a destination', () => {
  it('asks the store at its start, then every other second while something is due', async () => {
    await script.start();
    for (let count = 1; count < 4; count++) {
      expect(script.looks).toHaveLength(count);
      script.clock.advance(POLL_INTERVAL_MS - 1);
      await idle();
      expect(script.looks).toHaveLength(count);
      script.clock.advance(1);
      await idle();
      await script.look.answer({});
    }
    expect(POLL_INTERVAL_MS).toBe(2000);
  });

  it.each([
    ['nothing waits', null],
    ['the next attempt is due later', 5000],
  ])('ends where %s', async (_what, inMs) => {
    const next = inMs === null ? null : script.clock.now() + inMs;
    script.nextDueAt = () => next;
    await script.start();
    expect(script.served).toEqual([next]);
    loop.wake();
    await idle();
    expect(script.looks).toHaveLength(1);
  });

  it('is wanted where more is due than there is room for', async () => {
    await loop.due([at('a'), at('b')]);
    expect(script.wanted).toEqual([at('a'), at('b')]);
  });

  it('ends when the replica stops, and is wanted again at once', async () => {
    await script.start();
    await script.stop();
    expect(script.served).toEqual([script.clock.now()]);
  });

  it('goes on while something was taken', async () => {
    await script.start({ taken: 2 });
    expect(script.looks).toHaveLength(2);
    await script.looks[1]!.answer({ taken: 1 });
    await script.looks[2]!.answer({ taken: 0 });
    expect(script.looks).toHaveLength(3);
  });

  it('is done once more after a look during which it was asked for, and never twice at once', async () => {
    loop.start();
    script.serve('a');
    loop.wake();
    loop.wake();
    expect(script.looks).toHaveLength(1);
    await script.looks[0]!.answer({});
    expect(script.looks).toHaveLength(2);
    await script.looks[1]!.answer({});
    expect(script.looks).toHaveLength(2);
    loop.wake();
    expect(script.looks).toHaveLength(3);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('misses no wake, not even %i steps after a look ended', async (steps) => {
    loop.start();
    script.serve('a');
    void script.looks[0]!.answer({});
    for (let i = 0; i < steps; i++) await Promise.resolve();
    loop.wake();
    await idle();
    expect(script.looks).toHaveLength(2);
  });

  it('waits for the next second after the store has failed', async () => {
    loop.start();
    script.serve('a');
    loop.wake();
    await script.looks[0]!.fail();
    expect(script.logged).toEqual(['deliveries could not be claimed']);
    expect(script.looks).toHaveLength(1);
    script.clock.advance(POLL_INTERVAL_MS);
    await idle();
    expect(script.looks).toHaveLength(2);
  });

  it('passes over receivers without room, and says what it has room for and holds', async () => {
    await script.start();
    script.serve('b');
    await script.look.answer({});
    loop.take(script.attempts(8));
    loop.take(script.attempts(3, 'b'));
    loop.wake();
    const look = script.look;
    expect(look.open).toEqual([at('b')]);
    expect([look.roomFor('a'), look.roomFor('b'), look.roomFor('c')]).toEqual([0, 5, 8]);
    expect([look.isMine('a8'), look.isMine('a9')]).toEqual([true, false]);
  });

  it('starts what it claimed', async () => {
    await script.start({ attempts: script.attempts(2), taken: 2 });
    expect(script.sent).toEqual(['a1', 'a2']);
  });
});

describe('room for a first attempt', () => {
  it('is there only while the loop runs', async () => {
    expect(loop.hasRoom(at('a'))).toBe(false);
    await script.start();
    expect(loop.hasRoom(at('a'))).toBe(true);
    await loop.stop();
    expect(loop.hasRoom(at('a'))).toBe(false);
  });

  it('is for eight until the receiver has answered', async () => {
    await script.start();
    loop.take(script.attempts(7));
    expect(loop.hasRoom(at('a'))).toBe(true);
    loop.take(script.attempts(8).slice(7));
    expect(loop.hasRoom(at('a'))).toBe(false);
    expect(loop.hasRoom(at('b'))).toBe(true);
  });

  it('is not there while older ones wait in the store, until a look finds no more of them', async () => {
    await script.start({ left: new Set([at('a')]) });
    expect([loop.hasRoom(at('a')), loop.hasRoom(at('b'))]).toEqual([false, true]);
    script.nextDueAt = () => null;
    script.clock.advance(POLL_INTERVAL_MS);
    await idle();
    await script.look.answer({});
    expect(loop.hasRoom(at('a'))).toBe(true);
  });

  it('is not there for a receiver that a look passed over', async () => {
    await script.start();
    loop.take(script.attempts(8));
    loop.wake();
    await script.look.answer({});
    await script.requests[0]!.answer(OK);
    expect(loop.hasRoom(at('a'))).toBe(false);
  });

  it('ends at 10,000 attempts, and so do claims', async () => {
    await script.start();
    for (let n = 0; n < 9; n++) loop.take(script.attempts(1000, `a${n}-`, null, `tenant-${n}`));
    const many = script.attempts(1000, 'a9-', null, 'tenant-9');
    loop.take(many.slice(1));
    expect(loop.hasRoom(at('b'))).toBe(true);
    loop.take(many.slice(0, 1));
    expect(loop.hasRoom(at('b'))).toBe(false);
    loop.wake();
    await idle();
    expect([script.looks.length, script.logged]).toEqual([1, []]);
  });

  it('ends at 1,000 attempts of one tenant for that tenant alone, and so do claims', async () => {
    await script.start();
    loop.take(script.attempts(999, 'b'));
    expect(loop.hasRoom(at('c'))).toBe(true);
    loop.take(script.attempts(1, 'd'));
    expect([loop.hasRoom(at('c')), loop.hasRoom(at('c', 'another'))]).toEqual([false, true]);
    const looks = script.looks.length;
    loop.wake();
    await idle();
    expect(script.looks).toHaveLength(looks);
  });
});

describe('the lane of a receiver', () => {
  it('has four requests under way, and the next as soon as one is answered', async () => {
    await script.start();
    loop.take(script.attempts(6));
    expect(script.sent).toEqual(['a1', 'a2', 'a3', 'a4']);
    loop.take(script.attempts(1, 'b'));
    expect(script.sent.at(-1)).toBe('b1');
    await script.requests[1]!.answer(REFUSED);
    expect(script.requests).toHaveLength(5);
    await script.requests[0]!.answer(OK);
    expect(script.sent.at(-1)).toBe('a5');
  });

  it('sends the events of one call one after another', async () => {
    await script.start();
    loop.take(script.attempts(2, 'a', 'a call'));
    expect(script.sent).toEqual(['a1']);
    await script.requests[0]!.answer(REFUSED);
    expect(script.sent).toEqual(['a1', 'a2']);
  });

  it.each([
    ['grows by one with each success', OK, 9],
    ['halves with each failure', REFUSED, 3],
  ])('%s', async (_what, result, room) => {
    await script.start();
    loop.take(script.attempts(2));
    await script.requests[0]!.answer(result);
    loop.wake();
    expect(script.look.roomFor('a')).toBe(room);
  });

  it('is forgotten when nothing is held in it any more, and not before', async () => {
    await script.start();
    loop.take(script.attempts(1));
    loop.take(script.attempts(1, 'b'));
    loop.take(script.attempts(1, 'c'));
    for (const request of script.requests.slice(0, 2)) await request.answer(REFUSED);
    script.clock.advance(FORGET_INTERVAL_MS);
    const { roomFor } = script.look;
    // Of a destination whose job runs here nothing is forgotten.
    expect([roomFor('a'), roomFor('b'), roomFor('c')]).toEqual([4, 8, 7]);
  });

  it('asks the store for more when half of it is free, if more was due', async () => {
    await script.start({ attempts: script.attempts(8), taken: 8, left: new Set([at('a')]) });
    await script.look.answer({ left: new Set([at('a')]) });
    const before = script.looks.length;
    await script.requests[0]!.answer(OK);
    expect(script.looks).toHaveLength(before);
    await script.requests[1]!.answer(OK);
    expect(script.looks).toHaveLength(before + 1);
    await script.look.answer({});
    expect(loop.hasRoom(at('a'))).toBe(true);
  });

  it('asks for nothing where no more was due', async () => {
    await script.start();
    loop.take(script.attempts(4));
    for (const request of [...script.requests]) await request.answer(OK);
    expect(script.looks).toHaveLength(1);
  });
});

describe('all receivers together', () => {
  it('have 1024 requests under way at once; the next begins when one has ended, wherever', async () => {
    await script.start();
    for (let i = 0; i < 1026; i++) loop.take(script.attempts(1, `r${i}-`, null, `tenant-${i % 5}`));
    expect(script.requests).toHaveLength(1024);
    await script.requests[3]!.answer(OK);
    expect(script.sent.slice(1024)).toEqual(['r1024-1']);
    await script.requests[0]!.answer(OK);
    expect(script.sent.slice(1024)).toEqual(['r1024-1', 'r1025-1']);
  });

  it('have 256 under way of one tenant, and the others are sent to at once', async () => {
    await script.start();
    for (let i = 0; i < 300; i++) loop.take(script.attempts(2, `slow${i}-`, null, 'hostile'));
    expect(script.requests).toHaveLength(256);
    loop.take(script.attempts(1, 'b'));
    expect(script.sent.at(-1)).toBe('b1');
    await script.requests[0]!.answer(REFUSED);
    expect(script.requests).toHaveLength(258);
  });

  it('have a place that becomes free given to the tenant with the fewest requests', async () => {
    await script.start();
    for (let i = 0; i < 128; i++) {
      for (let tenant = 0; tenant < 4; tenant++)
        loop.take(script.attempts(3, `slow${i}-${tenant}-`, null, `hostile-${tenant}`));
    }
    expect(script.requests).toHaveLength(1024);
    loop.take(script.attempts(1, 'waits'));
    expect(script.requests).toHaveLength(1024);
    await script.requests[0]!.answer(REFUSED);
    expect(script.sent.at(-1)).toBe('waits1');
  });
});

describe('an attempt', () => {
  it('is sent to the address and under the secret that it was claimed with, and its outcome stored', async () => {
    await script.start();
    const [attempt] = script.attempts(1);
    loop.take([attempt!]);
    expect(loop.holds('a1')).toBe(true);
    expect(script.requests[0]!.sending).toEqual({
      url: 'https://receiver.example/a',
      secret: 'whsec_x',
      body: '{}',
      eventId: 'a1',
      eventType: 'call.hangup',
    });
    await script.requests[0]!.answer(OK);
    expect(script.settled).toEqual([[attempt, OK]]);
    expect(script.counted).toEqual([{ outcome: 'succeeded' }]);
    expect(loop.holds('a1')).toBe(false);
  });

  it('that failed is counted as failed', async () => {
    await script.start();
    loop.take(script.attempts(1));
    await script.requests[0]!.answer(REFUSED);
    expect(script.settled[0]?.[1]).toBe(REFUSED);
    expect(script.counted).toEqual([{ outcome: 'failed' }]);
  });

  it('whose outcome could not be stored counts as a failure of its receiver, and is let go', async () => {
    await script.start();
    script.store = () => Promise.reject(new Error('the store is away'));
    loop.take(script.attempts(1));
    await script.requests[0]!.answer(OK);
    expect([script.logged, script.counted]).toEqual([['a delivery was not settled'], []]);
    expect([loop.holds('a1'), script.released]).toEqual([false, []]);
    loop.wake();
    expect(script.look.roomFor('a')).toBe(4);
  });

  it('is given back when its lease could end before its answer', async () => {
    await script.start();
    const [inTime, late] = script.attempts(2);
    script.clock.jump(LEASE_MS - SEND_TIMEOUT_MS);
    loop.take([inTime!]);
    expect(script.sent).toEqual(['a1']);
    script.clock.jump(1);
    loop.take([late!]);
    await idle();
    expect(script.sent).toEqual(['a1']);
    expect([loop.holds('a2'), script.settled, script.counted]).toEqual([false, [], []]);
    expect(script.released).toEqual(['a2']);
  });
});
