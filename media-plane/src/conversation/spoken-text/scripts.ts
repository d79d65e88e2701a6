const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** What Chinese and Japanese sentences end and begin with. */
const NO_SPACE_AFTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]$/u;
const NO_SPACE_BEFORE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/** Returns whether the character is of a script that puts no spaces between words. */
export function isUnspacedScript(char: string): boolean {
  return UNSPACED.test(char);
}

/** Joins two pieces of text: by a space, except where the script has none between sentences. */
export function joinPieces(before: string, after: string): string {
  if (before === '' || after === '') return before + after;
  // The text before may be a whole answer: its end alone is looked at.
  const unspaced = NO_SPACE_AFTER.test(before.slice(-2)) && NO_SPACE_BEFORE.test(after);
  return unspaced ? before + after : `${before} ${after}`;
}
