import { describe, expect, it } from 'vitest';
import { Playback } from './playback.js';

describe('marks', () => {
  it('are due when the audio before them has been played', () => {
    const playback = new Playback(32);
    playback.audio(32 * 100, 1000);
    playback.mark('a', 1000);
    playback.audio(32 * 50, 1010);
    playback.mark('b', 1010);
    expect([playback.due(1099), playback.nextDueIn(1099)]).toEqual([[], 1]);
    expect(playback.due(1100)).toEqual(['a']);
    expect(playback.due(1150)).toEqual(['b']);
    expect(playback.nextDueIn(1150)).toBeUndefined();
  });

  it('are due at once when the audio before them is dropped', () => {
    const playback = new Playback(32);
    playback.audio(32 * 1000, 0);
    playback.mark('a', 0);
    playback.clear(200);
    expect(playback.due(200)).toEqual(['a']);
    playback.mark('b', 201);
    expect(playback.due(201)).toEqual(['b']);
  });
});
