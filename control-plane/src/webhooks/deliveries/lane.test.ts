import { describe, expect, it } from 'vitest';
import { choose } from './delivery-choice.js';
import { Lane, MAX_LANE_CONCURRENCY } from './lane.js';

/** Starts all that may start; how many that were. */
function startAll(lane: Lane<number>): number {
  let count = 0;
  while (lane.next() !== undefined) count++;
  return count;
}

function laneWith(waiting: number): Lane<number> {
  const lane = new Lane<number>();
  for (let i = 0; i < waiting; i++) lane.add(i);
  return lane;
}

describe('the lane of a destination', () => {
  it('makes attempts of one key one after another, and those of others meanwhile', () => {
    const lane = new Lane<string>((work) => work[0]!);
    for (const work of ['a1', 'a2', 'b1']) lane.add(work);
    expect([lane.next(), lane.next(), lane.next()]).toEqual(['a1', 'b1', undefined]);
    lane.finished('b1', 'not_sent');
    expect(lane.next()).toBeUndefined();
    lane.finished('a1', 'not_sent');
    expect([lane.next(), lane.held]).toEqual(['a2', 1]);
  });

  it('is hungry only while more is due in the store, and half of its room is free', () => {
    const lane = laneWith(4);
    expect(lane.hungry).toBe(false);
    lane.backlog = true;
    expect([lane.room, lane.hungry]).toEqual([4, true]);
    lane.add(5);
    expect([lane.room, lane.hungry]).toEqual([3, false]);
  });

  it('neither opens up nor closes for what was not sent', () => {
    const lane = laneWith(100);
    let underWay = startAll(lane);
    for (let i = 0; i < 20; i++) {
      lane.finished(0, 'not_sent');
      underWay += startAll(lane) - 1;
    }
    expect(underWay).toBe(4);
  });

  it('opens up for a receiver that answers well, up to its limit', () => {
    const lane = laneWith(500);
    let underWay = startAll(lane);
    expect(underWay).toBe(4);
    for (let i = 0; i < 100; i++) {
      lane.finished(0, 'ok');
      underWay += startAll(lane) - 1;
    }
    expect([underWay, MAX_LANE_CONCURRENCY]).toEqual([16, 16]);
  });

  it('closes to one at a time for one that fails', () => {
    const lane = laneWith(500);
    let underWay = startAll(lane);
    for (let i = 0; i < 20; i++) {
      lane.finished(0, 'failed');
      underWay += startAll(lane) - 1;
    }
    expect(underWay).toBe(1);
  });

  it('has room for twice what may be under way, and none beyond', () => {
    const lane = laneWith(0);
    expect(lane.room).toBe(8);
    for (let i = 0; i < 8; i++) lane.add(i);
    expect([lane.room, lane.held]).toEqual([0, 8]);
    startAll(lane);
    expect(lane.room).toBe(0);
    expect(lane.drain()).toHaveLength(4);
    expect(lane.held).toBe(4);
  });
});

describe('attempts of one key in a lane', () => {
  const lane = () => new Lane<{ key: string | null; name: string }>(({ key }) => key);

  it('are made one after another, and hold up no others', () => {
    const one = lane();
    for (const name of ['a1', 'a2', 'b1', '-1', '-2']) {
      one.add({ key: name[0] === '-' ? null : name[0]!, name });
    }
    const first = one.next()!;
    expect([first.name, one.next()?.name, one.next()?.name, one.next()?.name]).toEqual([
      'a1',
      'b1',
      '-1',
      '-2',
    ]);
    expect(one.next()).toBeUndefined();
    one.finished(first, 'failed');
    one.finished({ key: null, name: '-1' }, 'ok');
    one.finished({ key: null, name: '-2' }, 'ok');
    expect(one.next()?.name).toBe('a2');
  });
});

describe('choosing among due deliveries', () => {
  const due = [...'aaaab'].map((destination, i) => ({
    _id: String(i),
    tenant_id: 'a tenant',
    destination,
    subscription_id: destination,
    subject: null,
    rank: 0,
  }));
  const noOrder = { earlier: new Map(), isMine: () => false };

  it('takes of each destination what it has room for, and returns of which more is due', () => {
    const { ids, left } = choose(due, (destination) => (destination === 'a' ? 2 : 5), noOrder);
    expect([ids, [...left]]).toEqual([['0', '1', '4'], ['a']]);
  });

  it('takes nothing where there is no room', () => {
    expect(choose(due, () => 0, noOrder).ids).toEqual([]);
  });

  it('leaves what would overtake an earlier event of its call, unless that one is in the same hands', () => {
    const row = (_id: string, rank: number) => ({
      _id,
      tenant_id: 'a tenant',
      destination: 'a',
      subscription_id: 'a',
      subject: 'call',
      rank,
    });
    const [completed, transcript, analysis] = [row('c', 3), row('t', 6), row('r', 8)] as const;
    const earlier = new Map([['a call', [completed, transcript, analysis]]]);
    const chosen = (rows: (typeof completed)[], isMine: (id: string) => boolean) =>
      choose(rows, () => 5, { earlier, isMine }).ids;
    expect(chosen([transcript, analysis], () => false)).toEqual([]);
    expect(chosen([transcript, analysis], (id) => id === 'c')).toEqual(['t', 'r']);
    expect(chosen([completed, transcript, analysis], () => false)).toEqual(['c', 't', 'r']);
  });
});
