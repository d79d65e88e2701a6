import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hasTimedOut, withJoinedSignal } from './with-joined-signal.js';

/** Work that ends when it is asked to, with the reason. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

afterEach(() => {
  vi.useRealTimers();
});

describe('work with a joined signal', () => {
  it('is asked to end with the first of the signals, and with its reason', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const working = withJoinedSignal({ signals: [first.signal, undefined, second.signal] }, untilAborted);
    second.abort('second');
    first.abort('first');
    await expect(working).rejects.toBe('second');
  });

  it('is asked to end at once where one of the signals has aborted before', async () => {
    const over = AbortSignal.abort('over');
    const working = withJoinedSignal({ signals: [new AbortController().signal, over] }, untilAborted);
    await expect(working).rejects.toBe('over');
  });

  it('is asked to end after its time', async () => {
    vi.useFakeTimers();
    let seen: AbortSignal | undefined;
    const working = withJoinedSignal({ signals: [], timeoutMs: 500 }, (signal) => {
      seen = signal;
      return untilAborted(signal);
    });
    const ended = expect(working).rejects.toMatchObject({ name: 'TimeoutError' });
    vi.advanceTimersByTime(499);
    expect(seen!.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    await ended;
    expect(hasTimedOut(seen!)).toBe(true);
    expect(hasTimedOut(AbortSignal.abort())).toBe(false);
  });

  it.each([
    ['ends', async () => 'done'],
    ['fails', () => Promise.reject(new Error('failed'))],
    [
      'fails before it waits',
      () => {
        throw new Error('failed');
      },
    ],
  ])('leaves neither a listener nor a timer behind when it %s', async (_how, work) => {
    vi.useFakeTimers();
    const lasting = new AbortController();
    await withJoinedSignal({ signals: [lasting.signal], timeoutMs: 60_000 }, work).catch(() => {});
    expect(getEventListeners(lasting.signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
