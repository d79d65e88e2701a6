import { words } from '../words.js';
import { PHRASES, type Phrases } from './phrase-table.js';

const plain = (text: string): string => ` ${words(text).join(' ')} `;

const NONE: Phrases = { machine: [], hints: [], person: [], menu: [] };

const PREPARED: ReadonlyMap<string, Phrases> = new Map(
  Object.entries(PHRASES).map(([language, phrases]) => [
    language,
    {
      machine: phrases.machine.map(plain),
      hints: phrases.hints.map(plain),
      person: phrases.person.map(plain),
      menu: phrases.menu.map(plain),
    },
  ]),
);

/** What of the table is in a text. */
export interface PhrasesFound {
  /** The first of the machine's phrases; null when there is none. */
  readonly machine: string | null;
  /** How many different hints. */
  readonly hints: number;
  readonly person: boolean;
  readonly menu: boolean;
}

const NOTHING: PhrasesFound = { machine: null, hints: 0, person: false, menu: false };

/** @param language BCP 47; English greetings are known beside it, since many carriers' own greeting is in English */
export function findPhrases(text: string, language: string): PhrasesFound {
  if (text === '') return NOTHING;
  const primary = language.split('-')[0]?.toLowerCase() ?? '';
  const tables = [PREPARED.get(primary) ?? NONE, ...(primary === 'en' ? [] : [PREPARED.get('en') ?? NONE])];
  let spoken = plain(text);
  let person = false;
  for (const phrase of tables.flatMap((table) => table.person)) {
    if (!spoken.includes(phrase)) continue;
    person = true;
    // What a person asks counts against no machine, though it has a machine's words in it.
    spoken = spoken.replaceAll(phrase, ' ');
  }
  const first = tables.flatMap((table) => table.machine).find((phrase) => spoken.includes(phrase));
  return {
    machine: first?.trim() ?? null,
    hints: tables.flatMap((table) => table.hints).filter((phrase) => spoken.includes(phrase)).length,
    person,
    menu: tables.some((table) => table.menu.some((phrase) => spoken.includes(phrase))),
  };
}
