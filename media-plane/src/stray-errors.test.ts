import { EventEmitter } from 'node:events';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { beforeEach, describe, expect, it } from 'vitest';
import { StrayErrors } from './stray-errors.js';

describe('an error that nothing in a worker has caught', () => {
  let clock: ScriptedClock;
  let source: EventEmitter;
  let stray: StrayErrors;
  let logged: string[];
  let drained: number;

  beforeEach(() => {
    clock = new ScriptedClock();
    source = new EventEmitter();
    stray = new StrayErrors();
    logged = [];
    drained = 0;
    stray.outlive(source, {
      clock,
      log: { error: (context: object) => logged.push(String((context as { err: unknown }).err)) },
      drain: () => drained++,
    });
  });

  it('is logged and counted, and all goes on', () => {
    source.emit('unhandledRejection', new Error('no room'));
    source.emit('uncaughtException', new TypeError('Invalid character'));
    expect(logged).toEqual(['Error: no room', 'TypeError: Invalid character']);
    expect([stray.count, drained]).toEqual([2, 0]);
  });

  it('is counted for as long as the worker runs, and changes nothing where it comes now and then', () => {
    for (let second = 0; second < 5000; second++) {
      source.emit('uncaughtException', new Error('again'));
      clock.advance(1000);
    }
    expect([stray.count, drained]).toEqual([5000, 0]);
  });

  it('lets the worker drain, once, when there are a hundred within a minute, and fills no log', () => {
    for (let time = 1; time < 100; time++) source.emit('unhandledRejection', new Error('again'));
    expect(drained).toBe(0);
    for (let time = 0; time < 1000; time++) source.emit('unhandledRejection', new Error('again'));
    expect([drained, logged.length, stray.count]).toEqual([1, 100, 1099]);
  });
});
