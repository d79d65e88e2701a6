import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { isUuid, newId } from './ids.js';
import { InOrder } from './in-order.js';

const AT = Date.parse('2026-01-01T00:00:00Z');

function ids(inOrder: InOrder, times: readonly number[]): string[] {
  return times.map((at) => v7(inOrder.next(at)));
}

describe('ids by time', () => {
  it('sort as they were made, within a millisecond, beyond it, and when the clock is set back', () => {
    const times = [...Array<number>(1000).fill(AT), AT + 1, AT + 1, AT - 5000, AT + 2];
    const made = ids(new InOrder(), times);
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });

  it('say when they were made', () => {
    const [id] = ids(new InOrder(), [AT]);
    expect(Number.parseInt(id!.replace('-', '').slice(0, 12), 16)).toBe(AT);
  });

  it('have randomness of their own, each', () => {
    const inOrder = new InOrder();
    const random = Array.from({ length: 1000 }, () => Buffer.from(inOrder.next(AT).random).toString('hex'));
    expect(new Set(random).size).toBe(1000);
  });

  it('differ between processes that make theirs in the same millisecond', () => {
    const made = [new InOrder(), new InOrder()].flatMap((inOrder) =>
      ids(inOrder, Array<number>(300).fill(AT)),
    );
    expect(new Set(made).size).toBe(600);
  });

  it('are UUIDs of version 7', () => {
    expect(isUuid(newId())).toBe(true);
    expect(newId()[14]).toBe('7');
  });
});
