/** Words that two overlapping pieces of speech can share at most. */
const MOST_SHARED = 6;

/**
 * Returns the later of two texts whose audio overlaps, without the words that the earlier one has said already. The
 * later one's first word may be half a word (the cut went through it): it is dropped, too, when the next ones fit.
 */
export function withoutOverlap(earlier: string, later: string): string {
  const before = wordsOf(earlier);
  const after = wordsOf(later);
  const most = Math.min(MOST_SHARED, before.length, after.length);
  for (let skipped = 0; skipped <= 1; skipped++) {
    for (let count = most; count > 0; count--) {
      const tail = before.slice(-count);
      const head = after.slice(skipped, skipped + count);
      if (head.length === count && tail.every((word, at) => plain(word) === plain(head[at]!))) {
        return after.slice(skipped + count).join(' ');
      }
    }
  }
  return later;
}

/** Removes the full stop of an unfinished text: it cannot be known before the speech has ended. */
export function unfinished(text: string): string {
  return text.replace(/[\s.!?,;:…-]+$/u, '');
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}']/gu, '');
}
