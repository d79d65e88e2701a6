import { describe, expect, it } from 'vitest';
import { QUIET, step, type VoiceEdges, type VoiceState } from './hysteresis.js';
import type { VadEvent, VadSettings } from './port.js';

const SETTINGS: VadSettings = { on: 0.5, off: 0.35, minSpeechMs: 60, minSilenceMs: 200 };
const WINDOW = 32;

/** What the model says of a voice's beginning and end, but for what a test knows better. */
const edges = (known: Partial<VoiceEdges>): VoiceEdges => ({
  startOf: (believedMs) => believedMs,
  endOf: (believedMs) => believedMs,
  isSurelySpeech: () => false,
  ...known,
});

/** Plays probabilities, one a window of 32 ms from 0 on; the events, and the states it went through. */
function play(probabilities: readonly number[], settings: VadSettings = SETTINGS) {
  let state: VoiceState = QUIET;
  const events: VadEvent[] = [];
  const states: string[] = [];
  probabilities.forEach((probability, n) => {
    const result = step(state, probability, n * WINDOW, (n + 1) * WINDOW, settings);
    state = result.state;
    states.push(state.name);
    if (result.event) events.push(result.event);
  });
  return { events, states };
}

const times = (n: number, probability: number) => new Array<number>(n).fill(probability);

describe('speech', () => {
  it('starts after the minimum of speech, and is dated back to its first window', () => {
    const { events, states } = play([0, 0.9, 0.9, 0.9]);
    expect(states).toEqual(['quiet', 'starting', 'speaking', 'speaking']);
    expect(events).toEqual([{ type: 'speech_started', atMs: 32 }]);
  });

  it('does not start for a click shorter than the minimum', () => {
    const { events, states } = play([0, 0.9, 0, 0, 0.9, 0]);
    expect(events).toEqual([]);
    expect(states).toEqual(['quiet', 'starting', 'quiet', 'quiet', 'starting', 'quiet']);
  });

  it('does not begin between the thresholds, nor is it given up there', () => {
    expect(play([0.4, 0.4, 0.4, 0.4]).events).toEqual([]);
    expect(play([0.9, 0.4, 0.9]).events).toEqual([{ type: 'speech_started', atMs: 0 }]);
  });

  it('starts in the first window when the minimum allows it', () => {
    expect(play([0.5], { ...SETTINGS, minSpeechMs: 0 }).events).toEqual([
      { type: 'speech_started', atMs: 0 },
    ]);
  });

  it('is dated back to its first sound, and believed at once when that has lasted', () => {
    const startOf = (at: number) => at - 70;
    const believed = (isSurelySpeech: boolean) =>
      step(QUIET, 0.9, 320, 352, SETTINGS, edges({ startOf, isSurelySpeech: () => isSurelySpeech }));
    expect(believed(true).event).toEqual({ type: 'speech_started', atMs: 250 });
    const { state, event } = believed(false);
    expect(event).toBeUndefined();
    expect(step(state, 0.9, 352, 384, SETTINGS, edges({ startOf })).event).toEqual({
      type: 'speech_started',
      atMs: 250,
    });
  });

  it('stops after the minimum of silence, and is dated back to its end', () => {
    const { events } = play([...times(5, 0.9), ...times(6, 0.1)]);
    expect(events).toEqual([{ type: 'speech_started', atMs: 0 }]);
    const longer = play([...times(5, 0.9), ...times(7, 0.1)]);
    expect(longer.events.at(-1)).toEqual({ type: 'speech_stopped', atMs: 5 * WINDOW });
  });

  it('goes on over a pause shorter than that, and the silence is counted anew', () => {
    const { events, states } = play([...times(3, 0.9), ...times(5, 0.1), 0.9, ...times(7, 0.1)]);
    expect(states.slice(3, 9)).toEqual([...new Array(5).fill('stopping'), 'speaking']);
    expect(events).toEqual([
      { type: 'speech_started', atMs: 0 },
      { type: 'speech_stopped', atMs: 9 * WINDOW },
    ]);
  });

  it('is not stopped by windows between the thresholds, nor is a stop taken back by them', () => {
    expect(play([...times(3, 0.9), ...times(20, 0.4)]).events).toHaveLength(1);
    const { events } = play([...times(3, 0.9), 0.1, ...times(6, 0.4), 0.1]);
    expect(events.at(-1)).toEqual({ type: 'speech_stopped', atMs: 3 * WINDOW });
  });

  it('comes and goes again', () => {
    const once = [...times(3, 0.9), ...times(8, 0.1)];
    expect(play([...once, ...once]).events.map(({ type }) => type)).toEqual([
      'speech_started',
      'speech_stopped',
      'speech_started',
      'speech_stopped',
    ]);
  });

  it('counts its silence from where the voice ended, when that is known to be earlier', () => {
    let state: VoiceState = QUIET;
    const late = edges({ endOf: (at) => at - 100 });
    const stops: { atMs: number; reportedAt: number }[] = [];
    [...times(8, 0.9), ...times(7, 0.1)].forEach((probability, n) => {
      const result = step(state, probability, n * WINDOW, (n + 1) * WINDOW, SETTINGS, late);
      state = result.state;
      if (result.event?.type === 'speech_stopped') {
        stops.push({ atMs: result.event.atMs, reportedAt: (n + 1) * WINDOW });
      }
    });
    // The model saw the end at 256; the voice had ended at 156.
    expect(stops).toEqual([{ atMs: 156, reportedAt: 12 * WINDOW }]);
  });

  it('is not stopped before the model has seen silence for three windows', () => {
    let state: VoiceState = QUIET;
    const late = edges({ endOf: (at) => at - 300 });
    const stoppedAt: number[] = [];
    [...times(20, 0.9), ...times(7, 0.1)].forEach((probability, n) => {
      const result = step(state, probability, n * WINDOW, (n + 1) * WINDOW, SETTINGS, late);
      state = result.state;
      if (result.event?.type === 'speech_stopped') stoppedAt.push(n - 20 + 1);
    });
    expect(stoppedAt).toEqual([3]);
  });
});
