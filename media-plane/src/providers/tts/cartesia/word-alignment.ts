import type { SpeechAlignment } from '../port.js';

interface WordTimes {
  readonly words: readonly string[];
  /** In seconds. */
  readonly start: readonly number[];
  readonly end: readonly number[];
}

/**
 * Converts the times of words to those of characters: a word's characters share its time alike, and a space follows
 * each word. `offsetMs`: where the words' clock begins in the turn. Pure.
 */
export function alignmentOfWords({ words, start, end }: WordTimes, offsetMs: number): SpeechAlignment {
  const chars: string[] = [];
  const startMs: number[] = [];
  const durationMs: number[] = [];
  for (const [index, word] of words.entries()) {
    const fromMs = offsetMs + start[index]! * 1000;
    const untilMs = offsetMs + end[index]! * 1000;
    const characters = [...word];
    const each = Math.max(0, untilMs - fromMs) / characters.length;
    for (const [place, character] of characters.entries()) {
      chars.push(character);
      startMs.push(fromMs + place * each);
      durationMs.push(each);
    }
    chars.push(' ');
    startMs.push(untilMs);
    durationMs.push(0);
  }
  return { chars, startMs, durationMs };
}
