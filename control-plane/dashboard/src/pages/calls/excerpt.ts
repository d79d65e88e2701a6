/** A text around the words that were looked for. */
export interface Excerpt {
  readonly before: string;
  /** As they stand in the text. */
  readonly words: string;
  readonly after: string;
}

/** Letters that are shown before the words. */
const LEAD = 12;

/** Cuts a text so that the words are near its beginning; without words, where they are not in it. */
export function excerptOf(text: string, words: string): Excerpt {
  const at = text.toLowerCase().indexOf(words.toLowerCase());
  if (at < 0 || words === '') return { before: text, words: '', after: '' };
  const before = text.slice(0, at);
  const end = at + words.length;
  const cut = before.length > LEAD ? `…${before.slice(-LEAD).replace(/^\S*\s/, '')}` : before;
  return { before: cut, words: text.slice(at, end), after: text.slice(end) };
}
