import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { StrayErrors } from './stray-errors.js';

describe('an error that nothing in a worker has caught', () => {
  let source: EventEmitter;
  let stray: StrayErrors;
  let done: string[];

  beforeEach(() => {
    source = new EventEmitter();
    stray = new StrayErrors();
    done = [];
    stray.outlive(source, {
      log: { error: (context: object) => done.push(String((context as { err: unknown }).err)) },
      drain: () => done.push('drain'),
      end: () => done.push('end'),
    });
  });

  it('is logged and counted, and all goes on, when it is a rejection that nobody waited for', () => {
    source.emit('unhandledRejection', new Error('no room'));
    expect([done, stray.count]).toEqual([['Error: no room'], 1]);
  });

  it('lets the worker drain when it was thrown amid something', () => {
    source.emit('uncaughtException', new TypeError('Invalid character'));
    expect([done, stray.count]).toEqual([['TypeError: Invalid character', 'drain'], 1]);
  });

  it('ends the worker when it comes again and again', () => {
    for (let time = 1; time < 1000; time++) source.emit('unhandledRejection', new Error('again'));
    expect(done).not.toContain('end');
    source.emit('unhandledRejection', new Error('again'));
    expect(done.at(-1)).toBe('end');
  });
});
