import { beforeEach, describe, expect, it } from 'vitest';
import { UnansweredSpeech } from './unanswered-speech.js';

describe('speech without a final text', () => {
  let speech: UnansweredSpeech;

  beforeEach(() => {
    speech = new UnansweredSpeech();
    speech.heard(true, 1000);
    speech.heard(false, 3000);
    speech.heard(true, 5000);
  });

  it('is lost as far as it lies before what is kept', () => {
    expect(speech.lose(500)).toBe(0);
    expect(speech.lose(2000)).toBe(1000);
    expect(speech.lose(2000)).toBe(0);
    expect(speech.lose(6000)).toBe(2000);
  });

  it('is counted once, however often its beginning and its end are reported', () => {
    speech.heard(true, 6000);
    speech.heard(false, 7000);
    speech.heard(false, 9000);
    expect(speech.isSpeaking).toBe(false);
    expect([...speech.changes(5000)]).toEqual([
      { speaking: true, atMs: 5000 },
      { speaking: false, atMs: 7000 },
    ]);
    expect([...speech.changes(7000)]).toEqual([]);
    expect(speech.lose(10_000)).toBe(4000);
  });

  it('is answered by the final text that covers it', () => {
    speech.settle(3000);
    expect(speech.lose(7000)).toBe(2000);
  });

  it('is reported again to the recogniser that takes over, from where its audio begins', () => {
    expect([...speech.changes(2000)]).toEqual([
      { speaking: true, atMs: 2000 },
      { speaking: false, atMs: 3000 },
      { speaking: true, atMs: 5000 },
    ]);
    expect([...speech.changes(4000)]).toEqual([{ speaking: true, atMs: 5000 }]);
    expect(speech.isSpeaking).toBe(true);
  });
});
