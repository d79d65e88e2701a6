/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

type Piece = Html | string | number | null | undefined | false | readonly Piece[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Writes a text so that it stands in HTML, and in an attribute's quotes, as it is. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign]!);

function written(piece: Piece): string {
  if (piece instanceof Html) return piece.text;
  if (Array.isArray(piece)) return piece.map(written).join('');
  return piece === null || piece === undefined || piece === false ? '' : escapeHtml(String(piece));
}

/** Builds HTML of a template; what is put in is escaped, unless it is HTML already. Nothing is written for null. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.map((text, n) => text + (n < pieces.length ? written(pieces[n]) : '')).join(''));
}
