/** Returns words of a text, for comparing what was to be said with what was said. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A share of the words that may differ: models write numbers and abbreviations in their own way. */
const TOLERATED = 0.1;

/** Returns whether `said` is the text that was to be said, word for word but for spelling. */
export function isVerbatim(text: string, said: string): boolean {
  const wanted = wordsOf(text);
  const spoken = wordsOf(said);
  return editDistance(wanted, spoken) <= Math.floor(wanted.length * TOLERATED);
}

function editDistance(a: readonly string[], b: readonly string[]): number {
  let row = b.map((_, column) => column + 1);
  row.unshift(0);
  for (const [index, word] of a.entries()) {
    const next = [index + 1];
    for (const [column, other] of b.entries()) {
      const substituted = row[column]! + (word === other ? 0 : 1);
      next.push(Math.min(substituted, row[column + 1]! + 1, next[column]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
