import { describe, expect, it } from 'vitest';
import { choose } from './delivery-queue.js';
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
  it('opens up for a receiver that answers well, up to its limit', () => {
    const lane = laneWith(500);
    let underWay = startAll(lane);
    expect(underWay).toBe(4);
    for (let i = 0; i < 100; i++) {
      lane.finished('ok');
      underWay += startAll(lane) - 1;
    }
    expect(underWay).toBe(MAX_LANE_CONCURRENCY);
  });

  it('closes to one at a time for one that fails', () => {
    const lane = laneWith(500);
    let underWay = startAll(lane);
    for (let i = 0; i < 20; i++) {
      lane.finished('failed');
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

describe('choosing among due deliveries', () => {
  const due = [...'aaaab'].map((destination, i) => ({ _id: String(i), destination }));

  it('takes of each destination what it has room for, and tells of which more is due', () => {
    const { ids, left } = choose(due, (destination) => (destination === 'a' ? 2 : 5));
    expect([ids, [...left]]).toEqual([['0', '1', '4'], ['a']]);
  });

  it('takes nothing where there is no room', () => {
    expect(choose(due, () => 0).ids).toEqual([]);
  });
});
