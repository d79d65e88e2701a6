/** When each character is spoken, in ms from the start of the text's audio; contiguous, and as long as it. */
export interface CharTiming {
  readonly char: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface RenderedSpeech {
  /** Mu-law at 8,000 Hz. */
  readonly audio: Uint8Array;
  readonly chars: readonly CharTiming[];
}

/** What gives the emulated service its voice. */
export interface SpeechSource {
  render(text: string, signal: AbortSignal): Promise<RenderedSpeech>;
  close(): void;
}

export interface TimedWord {
  readonly text: string;
  readonly startMs: number;
}

/**
 * Derives character times from word times: each word begins at its time, and what lies between two beginnings is
 * shared out evenly. The first character begins at 0 and the last ends with the audio.
 */
export function charTimings(text: string, words: readonly TimedWord[], audioMs: number): CharTiming[] {
  const chars = [...text];
  const anchors = anchorsOf(text, words).filter((anchor) => anchor.at > 0 && anchor.ms < audioMs);
  anchors.unshift({ at: 0, ms: 0 });
  anchors.push({ at: chars.length, ms: audioMs });
  const timings: CharTiming[] = [];
  for (let i = 0; i + 1 < anchors.length; i++) {
    const from = anchors[i]!;
    const to = anchors[i + 1]!;
    const each = (to.ms - from.ms) / (to.at - from.at);
    for (let at = from.at; at < to.at; at++) {
      const startMs = from.ms + (at - from.at) * each;
      timings.push({ char: chars[at]!, startMs, endMs: startMs + each });
    }
  }
  return timings;
}

interface Anchor {
  /** Number of the character. */
  readonly at: number;
  readonly ms: number;
}

/** Finds where words begin in the text; words that are not found there, or go backwards in time, are left out. */
function anchorsOf(text: string, words: readonly TimedWord[]): Anchor[] {
  const anchors: Anchor[] = [];
  let searchFrom = 0;
  let lastMs = 0;
  for (const word of words) {
    const index = text.indexOf(word.text, searchFrom);
    if (index < 0 || word.startMs < lastMs) continue;
    searchFrom = index + word.text.length;
    lastMs = word.startMs;
    anchors.push({ at: [...text.slice(0, index)].length, ms: word.startMs });
  }
  return anchors;
}
