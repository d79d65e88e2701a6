import type { SpokenWord } from '@voice/shared/local-voice/local-voice';
import type { SpeechAlignment } from '../port.js';

/**
 * Converts the words' timings to timings of characters: a word's time is shared by its characters alike, and a space
 * stands between the words.
 * @param offsetMs where the words' text begins in the turn's audio
 * @param first whether no word of the turn was aligned before
 */
export function alignmentOf(words: readonly SpokenWord[], offsetMs: number, first: boolean): SpeechAlignment {
  const chars: string[] = [];
  const startMs: number[] = [];
  const durationMs: number[] = [];
  const add = (char: string, start: number, duration: number) => {
    chars.push(char);
    startMs.push(start);
    durationMs.push(duration);
  };
  for (const [index, word] of words.entries()) {
    const start = offsetMs + word.startMs;
    if (index > 0 || !first) add(' ', start, 0);
    const characters = [...word.text];
    const each = (word.endMs - word.startMs) / characters.length;
    for (const [place, character] of characters.entries()) add(character, start + place * each, each);
  }
  return { chars, startMs, durationMs };
}
