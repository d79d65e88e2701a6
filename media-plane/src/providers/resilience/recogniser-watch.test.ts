import { describe, expect, it } from 'vitest';
import {
  openedWatch,
  RECOGNISER_LIMITS,
  type RecogniserWatch,
  verdict,
  type WatchEvent,
  watch,
} from './recogniser-watch.js';

const START = 5000;
/** Audio comes all the while. */
const time = (ms: number) => ({ at: START + ms, heardMs: ms });
const sign = (sign: Extract<WatchEvent, { type: 'sign' }>['sign'], ms: number): WatchEvent => ({
  type: 'sign',
  sign,
  ...time(ms),
});
const speech = (speaking: boolean, ms: number): WatchEvent => ({ type: 'speech', speaking, ...time(ms) });

function after(events: readonly WatchEvent[], isCallerSpeaking = false): RecogniserWatch {
  return events.reduce(watch, openedWatch(time(0), isCallerSpeaking));
}
const judged = (state: RecogniserWatch, ms: number) => verdict(state, RECOGNISER_LIMITS, time(ms));

describe('a watched recogniser', () => {
  it('is given a second and a half to connect', () => {
    expect(judged(after([]), 1499)).toBeUndefined();
    expect(judged(after([]), 1500)).toBe('unconnected');
    expect(judged(after([sign('connected', 1400)]), 60_000)).toBeUndefined();
  });

  it('is given as long to connect again, however often it tries', () => {
    const torn = after([sign('connected', 100), sign('disconnected', 9000), sign('disconnected', 10_000)]);
    expect(judged(torn, 10_499)).toBeUndefined();
    expect(judged(torn, 10_500)).toBe('unconnected');
  });

  it('is mute when it says nothing to two seconds of speech', () => {
    const speaking = after([sign('connected', 100), speech(true, 1000)]);
    expect(judged(speaking, 2999)).toBeUndefined();
    expect(judged(speaking, 3000)).toBe('mute');
  });

  it('is not mute while nobody speaks', () => {
    const silent = after([sign('connected', 100), speech(true, 1000), speech(false, 2500)]);
    expect(judged(silent, 600_000)).toBeUndefined();
  });

  it('is mute when short pieces of speech that it did not answer add up', () => {
    const pieces = after([
      sign('connected', 100),
      speech(true, 1000),
      speech(false, 2200),
      speech(true, 8000),
    ]);
    expect(judged(pieces, 8799)).toBeUndefined();
    expect(judged(pieces, 8800)).toBe('mute');
  });

  it('lives by any message, from which on it is counted anew', () => {
    const alive = after([sign('connected', 100), speech(true, 1000), sign('alive', 2900)]);
    expect(judged(alive, 4899)).toBeUndefined();
    expect(judged(alive, 4900)).toBe('mute');
  });

  it('is of no use when it answers eight seconds of speech without a word', () => {
    const empty = [1, 2, 3, 4, 5, 6, 7].map((second) => sign('alive', 1000 + second * 1000));
    const speaking = after([sign('connected', 100), speech(true, 1000), ...empty]);
    expect(judged(speaking, 8999)).toBeUndefined();
    expect(judged(speaking, 9000)).toBe('wordless');
  });

  it('is of use by any word, from which on it is counted anew', () => {
    const words = after([
      sign('connected', 100),
      speech(true, 1000),
      { type: 'words', ...time(8000) },
      ...[8000, 9500, 11_000, 12_500, 14_000, 15_500].map((at) => sign('alive', at)),
    ]);
    expect(judged(words, 15_999)).toBeUndefined();
    expect(judged(words, 16_000)).toBe('wordless');
    const silent = after([speech(true, 0), { type: 'words', ...time(10) }, speech(false, 20)]);
    expect(judged(watch(silent, sign('connected', 30)), 60_000)).toBeUndefined();
  });

  it('is of no use when pieces without a word add up, but not those that are ten seconds apart', () => {
    const pieces = (gapMs: number) => {
      const period = 3000 + gapMs;
      const events = [0, 1, 2].flatMap((n) => [
        speech(true, 1000 + n * period),
        sign('alive', 2500 + n * period),
        speech(false, 4000 + n * period),
        sign('alive', 4000 + n * period),
      ]);
      return judged(after([sign('connected', 100), ...events]), 4000 + 2 * period);
    };
    expect(pieces(9999)).toBe('wordless');
    expect(pieces(10_000)).toBeUndefined();
  });

  it('that takes over in the middle of speech is given its time', () => {
    const opened = after([sign('connected', 500)], true);
    expect(judged(opened, 2499)).toBeUndefined();
    expect(judged(opened, 2500)).toBe('mute');
  });
});
