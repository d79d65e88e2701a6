/** Reduces a text to lower-case words without punctuation: what two transcripts of the same speech agree on. */
function normalise(text: string): string {
  // Interim texts come many times a second, and most are plain.
  if (PLAIN.test(text))
    return text
      .toLowerCase()
      .replaceAll("'", '')
      .replace(/[^a-z0-9]+/g, ' ')
      .trim();
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

const PLAIN = /^[\x20-\x7e]*$/;

export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** Returns whether both are the same words. */
export function sameWords(a: string, b: string): boolean {
  return a === b || normalise(a) === normalise(b);
}

export function words(text: string): string[] {
  const plain = normalise(text);
  return plain === '' ? [] : plain.split(' ');
}

/** Joins two texts with one space. */
export function join(a: string, b: string): string {
  if (a === '') return b;
  return b === '' ? a : `${a} ${b}`;
}

/**
 * Returns whether `later` is a newer transcript of the speech that `earlier` is of: at least half its words lead both.
 */
export function continues(earlier: string, later: string): boolean {
  const before = words(earlier);
  const after = words(later);
  let common = 0;
  while (common < before.length && common < after.length && before[common] === after[common]) common += 1;
  return common > 0 && common * 2 >= Math.min(before.length, after.length);
}
