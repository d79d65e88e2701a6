import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { drainOnSignals } from './drain-on-signals.js';

describe('a worker that gets a signal to stop', () => {
  let source: EventEmitter;
  let done: string[];
  let drained: { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void };
  let drain: (reason: string, code: number) => void;

  beforeEach(() => {
    source = new EventEmitter();
    done = [];
    let resolve = () => {};
    let reject = (_error: Error) => {};
    const promise = new Promise<void>((onDone, onError) => {
      [resolve, reject] = [onDone, onError];
    });
    drained = { promise, resolve, reject };
    drain = drainOnSignals(source, {
      worker: {
        drain: () => {
          done.push('drains');
          return drained.promise;
        },
        endCalls: () => done.push('hangs up'),
      },
      notify: (reason) => done.push(reason),
      exit: (code, error) => done.push(`exit ${code}${error === undefined ? '' : ` (${String(error)})`}`),
    });
  });

  it('drains at the first signal, hangs up at the second, and ends when its calls have ended', async () => {
    source.emit('SIGTERM');
    expect(done).toEqual(['SIGTERM', 'drains']);
    source.emit('SIGINT');
    expect(done.at(-1)).toBe('hangs up');
    drained.resolve();
    await drained.promise;
    await Promise.resolve();
    expect(done.slice(2)).toEqual(['hangs up', 'exit 0']);
  });

  it('hangs up at once when the launcher has ended', () => {
    source.emit('disconnect');
    expect(done).toEqual(['disconnect', 'drains', 'hangs up']);
  });

  it('hangs up nobody at the first signal when it drains for another reason already', async () => {
    drain('many errors', 1);
    source.emit('SIGTERM');
    expect(done).toEqual(['many errors', 'drains']);
    source.emit('SIGTERM');
    expect(done).toEqual(['many errors', 'drains', 'hangs up']);
    drained.resolve();
    await drained.promise;
    await Promise.resolve();
    expect(done.at(-1)).toBe('exit 1');
  });

  it('says what the drain failed of', async () => {
    source.emit('SIGTERM');
    drained.reject(new Error('no disk'));
    await drained.promise.catch(() => {});
    await Promise.resolve();
    expect(done.at(-1)).toBe('exit 1 (Error: no disk)');
  });
});
