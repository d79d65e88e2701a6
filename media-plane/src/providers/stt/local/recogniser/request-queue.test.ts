import { describe, expect, it } from 'vitest';
import { RequestQueue } from './request-queue.js';

function queue() {
  const waiting = new RequestQueue<{
    name: string;
    kind: 'interim' | 'final';
    arrivedAt: number;
    shed(): void;
  }>();
  const shed: string[] = [];
  const push = (name: string, kind: 'interim' | 'final', arrivedAt = 0) =>
    waiting.push({ name, kind, arrivedAt, shed: () => shed.push(name) });
  return { waiting, push, shed, take: (now = 0) => waiting.take(now)?.name };
}

describe('what waits for the recogniser', () => {
  it('is served finals first, each kind in its order', () => {
    const { push, take } = queue();
    push('a', 'interim');
    push('b', 'final');
    push('c', 'interim');
    push('d', 'final');
    expect([take(), take(), take(), take(), take()]).toEqual(['b', 'd', 'a', 'c', undefined]);
  });

  it('loses interims that are stale when there is more to do, and no final', () => {
    const { push, take, shed } = queue();
    push('stale', 'interim', 0);
    push('fresh', 'interim', 900);
    push('old final', 'final', 0);
    expect([take(1000), take(1000)]).toEqual(['old final', 'fresh']);
    expect(shed).toEqual(['stale']);
    push('only', 'interim', 0);
    expect(take(5000)).toBe('only');
  });

  it('is bounded', () => {
    const { waiting, push, shed } = queue();
    for (let n = 0; n < 300; n++) push(`f${n}`, 'final');
    for (let n = 0; n < 300; n++) push(`i${n}`, 'interim');
    expect(waiting.length).toBe(250);
    expect(shed).toHaveLength(350);
  });

  it('forgets who has left', () => {
    const { waiting, push, take } = queue();
    push('a', 'interim');
    push('b', 'final');
    push('c', 'final');
    waiting.drop(({ name }) => name !== 'c');
    expect([take(), take()]).toEqual(['c', undefined]);
  });
});
