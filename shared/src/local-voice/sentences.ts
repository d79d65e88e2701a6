/** Characters up to which a text is synthesised in one piece. */
const LONGEST_PIECE = 400;

/**
 * Cuts a long text at its sentences (and a sentence without end at a word), so that one long text cannot
 * keep others waiting. Nothing is lost: the pieces joined by a space are the text with its white space made plain.
 */
export function piecesOf(text: string): string[] {
  const plain = text.trim().replace(/\s+/gu, ' ');
  if (plain === '') return [];
  if (plain.length <= LONGEST_PIECE) return [plain];
  const pieces: string[] = [];
  let piece = '';
  const add = (part: string) => {
    if (piece !== '' && piece.length + 1 + part.length > LONGEST_PIECE) {
      pieces.push(piece);
      piece = '';
    }
    piece = piece === '' ? part : `${piece} ${part}`;
  };
  for (const sentence of plain.split(/(?<=[.!?…])\s(?=\p{Lu})/u)) {
    if (sentence.length <= LONGEST_PIECE) add(sentence);
    else for (const word of sentence.split(' ')) add(word);
  }
  pieces.push(piece);
  return pieces;
}
