/** Symbols of a Piper voice beside its phonemes: padding, beginning, end. */
const PAD = '_';
const BEGIN = '^';
const END = '$';
/** What a voice has learned to make of the end of a clause. */
const MARKS = /[.,;:?!](?=["”’')\]]*(?:\s|$))/gu;

/**
 * Joins espeak-ng's phonemes to one text with its punctuation, as Piper's voices were trained: espeak-ng gives the
 * clauses without their marks, and divides each into phonemes by `_`.
 */
export function withPunctuation(ipa: string, text: string): string {
  const clauses = ipa
    .split('|')
    .map((clause) => clause.replaceAll('_', '').trim())
    .filter((clause) => clause !== '');
  const marks = text.match(MARKS) ?? [];
  const ends = /[.,;:?!]["”’')\]]*\s*$/u.test(text);
  // As many marks as clauses: each has its own. Else espeak-ng has read one otherwise (`p.m.`, a bracket).
  const fits = marks.length === clauses.length - (ends ? 0 : 1);
  return clauses
    .map((clause, index) => {
      const last = index === clauses.length - 1;
      if (last) return clause + (ends ? marks.at(-1)! : '');
      return clause + (fits ? marks[index]! : ',');
    })
    .join(' ');
}

/** Ids of the phonemes, padded as the model wants them; symbols that the voice does not know are left out. */
export function phonemeIds(ipa: string, ids: ReadonlyMap<string, readonly number[]>): number[] {
  const pad = ids.get(PAD) ?? [0];
  const sequence = [...(ids.get(BEGIN) ?? []), ...pad];
  for (const symbol of ipa.normalize('NFD')) {
    const known = ids.get(symbol);
    if (known && symbol !== PAD && symbol !== BEGIN && symbol !== END) sequence.push(...known, ...pad);
  }
  sequence.push(...(ids.get(END) ?? []));
  return sequence;
}
