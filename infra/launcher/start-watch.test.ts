import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { START_LIMIT_MS, StartWatch } from './start-watch.js';

function watched() {
  const clock = new ScriptedClock();
  const given: string[] = [];
  const process = { cpuMs: 0 as number | undefined };
  const watch = new StartWatch({
    clock,
    cpuMs: () => process.cpuMs,
    onGivenUp: (reason) => given.push(reason),
  });
  return { clock, given, process, watch };
}

describe('how long a start may take', () => {
  it('is half a minute for one that does nothing', () => {
    const { clock, given } = watched();
    clock.advance(29_000);
    expect(given).toEqual([]);
    clock.advance(2000);
    expect(given).toEqual(['made no progress for 30 s']);
    clock.advance(60_000);
    expect(given).toHaveLength(1);
  });

  it('is minutes for one that reports progress, such as each index of a large database', () => {
    const { clock, given, watch } = watched();
    for (let index = 0; index < 12; index++) {
      clock.advance(25_000);
      watch.progress();
    }
    expect(given).toEqual([]);
  });

  it('is minutes for one that computes on a machine that has little time for it', () => {
    const { clock, given, process } = watched();
    for (let second = 0; second < 300; second++) {
      process.cpuMs = second * 15;
      clock.advance(1000);
    }
    expect(given).toEqual([]);
  });

  it('is not longer for the little that an idle process computes', () => {
    const { clock, given, process } = watched();
    for (let second = 0; second < 32; second++) {
      process.cpuMs = second * 5;
      clock.advance(1000);
    }
    expect(given).toEqual(['made no progress for 30 s']);
  });

  it('ends for one that computes for ever', () => {
    const { clock, given, process } = watched();
    for (let at = 0; at <= START_LIMIT_MS; at += 1000) {
      process.cpuMs = at;
      clock.advance(1000);
    }
    expect(given).toEqual(['did not come up within 15 minutes']);
  });

  it('is of no interest once it serves', () => {
    const { clock, given, watch } = watched();
    watch.stop();
    clock.advance(600_000);
    expect(given).toEqual([]);
  });
});
