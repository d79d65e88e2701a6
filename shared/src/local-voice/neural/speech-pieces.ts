import { piecesOf } from '../speech/sentences.js';

/** Characters up to which a text is spoken in one breath: its first sound comes soon enough. */
const SHORT = 26;
/** A first clause has at least and at most so many, so that it is soon made and long enough to hide the next. */
const FIRST_SHORTEST = 6;
const FIRST_LONGEST = 44;
/** The longest that the model is given at once. */
const LONGEST = 160;
/** Before these words a sentence can breathe. */
const BREATH =
  /\s(?=(?:and|or|but|so|because|if|when|while|that|which|who|where|with|for|from|to|at|in|on|of)\s)/giu;

/** A part of a text that is synthesised at once. */
export interface SpeechPiece {
  readonly text: string;
  /** How much silence follows it inside the text, in ms; undefined at its end: as the voice makes it. */
  readonly tailMs: number | undefined;
}

/** Silence behind the parts of a text, by the character that ends them, in ms. */
const TAIL_MS: Readonly<Record<string, number>> = {
  ',': 110,
  ';': 160,
  ':': 160,
  '.': 260,
  '?': 260,
  '!': 260,
};
const BREATH_MS = 20;

/**
 * Cuts a text for a model that gives its audio only when all of it is made: a short first clause, so that the
 * first sound comes soon; then sentences.
 */
export function speechPieces(text: string): SpeechPiece[] {
  const parts = piecesOf(text)
    .flatMap((piece) =>
      piece.split(
        /(?<!\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs)\.)(?<=[.!?…]["”’')\]]*)\s+(?=["“‘(¿¡]?[\p{Lu}\p{N}])/u,
      ),
    )
    .flatMap(shortened);
  const [first, ...rest] = parts;
  if (first === undefined) return [];
  const all = [...firstSoon(first), ...rest];
  return all.map((part, index) => ({
    text: part,
    tailMs: index === all.length - 1 ? undefined : (TAIL_MS[lastMark(part)] ?? BREATH_MS),
  }));
}

function firstSoon(sentence: string): string[] {
  if (sentence.length <= SHORT) return [sentence];
  const clause = /^.*?[,;:–—](?=\s)/u.exec(sentence)?.[0];
  if (clause && clause.length >= FIRST_SHORTEST && clause.length <= FIRST_LONGEST)
    return cutAt(sentence, clause.length);
  if (sentence.length <= FIRST_LONGEST) return [sentence];
  return cutAt(sentence, breathBefore(sentence, FIRST_LONGEST) ?? sentence.length);
}

/** Splits a long sentence at its clauses, or where it can breathe. */
function shortened(sentence: string): string[] {
  if (sentence.length <= LONGEST) return [sentence];
  const clauses = [...sentence.slice(0, LONGEST).matchAll(/[,;:–—](?=\s)/gu)].map(({ index }) => index + 1);
  const at = clauses.at(-1) ?? breathBefore(sentence, LONGEST) ?? sentence.lastIndexOf(' ', LONGEST);
  if (at <= 0) return [sentence];
  const [head, tail] = cutAt(sentence, at);
  return tail === undefined ? [sentence] : [head!, ...shortened(tail)];
}

/** Finds the last place before `limit` at which a sentence can breathe, not too near its beginning. */
function breathBefore(sentence: string, limit: number): number | undefined {
  const places = [...sentence.matchAll(BREATH)].map(({ index }) => index);
  return places.filter((at) => at >= FIRST_SHORTEST * 2 && at <= limit).at(-1);
}

function cutAt(text: string, at: number): string[] {
  return [text.slice(0, at).trim(), text.slice(at).trim()].filter((part) => part !== '');
}

function lastMark(text: string): string {
  return /([.,;:?!])["”’')\]]*$/u.exec(text)?.[1] ?? '';
}
