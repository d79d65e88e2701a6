/** How far a transcript is from what was said: insertions, deletions and substitutions of words. */
export interface WordErrors {
  readonly errors: number;
  /** Words that were said. */
  readonly words: number;
}

const SPELLINGS: Readonly<Record<string, string>> = { ok: 'okay', 'good-bye': 'goodbye' };

/** Counts the word errors of a transcript; punctuation, capitals and hyphens do not matter. */
export function wordErrors(said: string, heard: string): WordErrors {
  const reference = wordsOf(said);
  const hypothesis = wordsOf(heard);
  // Edit distance, row by row.
  let row = Array.from({ length: hypothesis.length + 1 }, (_, column) => column);
  for (const [index, word] of reference.entries()) {
    const next = [index + 1];
    for (const [column, other] of hypothesis.entries()) {
      const replaced = row[column]! + (word === other ? 0 : 1);
      next.push(Math.min(replaced, row[column + 1]! + 1, next[column]! + 1));
    }
    row = next;
  }
  return { errors: row[hypothesis.length]!, words: reference.length };
}

function wordsOf(text: string): string[] {
  const words = text
    .toLowerCase()
    .replace(/[’]/g, "'")
    .match(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu);
  return (words ?? []).map((word) => (SPELLINGS[word] ?? word).replaceAll('-', ''));
}
