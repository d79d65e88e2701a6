import type { RecognisedWord } from '../recognition/recogniser.js';

const CONFIDENCE = 0.98;

/** Normalises a word: without its punctuation, in lower case. */
function bare(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}'-]+/gu, '');
}

export function transcriptOf(words: readonly RecognisedWord[], punctuated: boolean): string {
  return words.map((word) => (punctuated ? word.text : bare(word.text))).join(' ');
}

/** Builds `channel.alternatives[0]` of a Results message; times in s. */
export function alternative(words: readonly RecognisedWord[], punctuated: boolean) {
  return {
    transcript: transcriptOf(words, punctuated),
    confidence: words.length === 0 ? 0 : CONFIDENCE,
    words: words.map((word) => ({
      word: bare(word.text),
      start: word.startMs / 1000,
      end: word.endMs / 1000,
      confidence: CONFIDENCE,
      ...(punctuated ? { punctuated_word: word.text } : {}),
    })),
  };
}

/** Builds `words` of a TurnInfo message; times in s. */
export function fluxWords(words: readonly RecognisedWord[]) {
  return words.map((word) => ({
    word: word.text,
    confidence: CONFIDENCE,
    start: word.startMs / 1000,
    end: word.endMs / 1000,
  }));
}
