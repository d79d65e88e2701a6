/** Characters up to which a text is synthesised in one piece; espeak-ng's string buffer holds any such piece. */
export const LONGEST_PIECE = 400;

/**
 * Cuts a long text at its sentences (a sentence without end at a word, a word without end anywhere), so that
 * one long text cannot keep others waiting. White space and control characters become single spaces.
 */
export function piecesOf(text: string): string[] {
  const plain = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  if (plain === '') return [];
  const pieces: string[] = [];
  let piece = '';
  const add = (part: string) => {
    if (piece !== '' && piece.length + 1 + part.length > LONGEST_PIECE) {
      pieces.push(piece);
      piece = '';
    }
    piece = piece === '' ? part : `${piece} ${part}`;
  };
  for (const sentence of plain.length > LONGEST_PIECE ? plain.split(/(?<=[.!?…])\s(?=\p{Lu})/u) : [plain]) {
    if (sentence.length <= LONGEST_PIECE) add(sentence);
    else for (const word of sentence.split(' ')) for (const part of shortened(word)) add(part);
  }
  pieces.push(piece);
  return pieces;
}

/** Splits a word into parts of at most half a piece in code points, so a whole one in UTF-16 units. */
function shortened(word: string): string[] {
  if (word.length <= LONGEST_PIECE) return [word];
  const characters = [...word];
  const parts: string[] = [];
  for (let at = 0; at < characters.length; at += LONGEST_PIECE / 2) {
    parts.push(characters.slice(at, at + LONGEST_PIECE / 2).join(''));
  }
  return parts;
}
