/** ISO 4217. */
export type Currency = 'USD' | 'EUR' | 'GBP' | 'CHF' | 'JPY' | 'MXN' | 'CAD' | 'INR';

/** One and many of a thing: “dollar”, “dollars”. */
export type Noun = readonly [one: string, many: string];

/** A time of day; `half` where the text says it. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  readonly half?: 'am' | 'pm' | undefined;
}

export interface CalendarDate {
  readonly day: number;
  /** 1 to 12. */
  readonly month: number;
  readonly year?: number | undefined;
}

/** How a language says what is written in figures and signs. Pure. */
export interface SpokenLanguage {
  /** @param value an integer of 0 to 999,999,999,999 */
  cardinal(value: number): string;
  year(value: number): string;
  date(date: CalendarDate): string;
  time(time: TimeOfDay): string;
  /** Says a counted thing; the words agree where the language wants that. */
  counted(value: number, noun: Noun): string;
  /** Says a group of digits of a telephone number, such as `555`. */
  digitGroup(digits: string): string;
  /** Lengths of the groups that a row of so many digits is said in. */
  groupsOf(digits: number): readonly number[];
  readonly decimalMark: '.' | ',';
  /** Of numeric dates with slashes. */
  readonly monthFirst: boolean;
  /** Full names in lower case, to 1 … 12. */
  readonly months: ReadonlyMap<string, number>;
  readonly signs: Signs;
  /** The words for the amount and for its hundredths. */
  readonly currencies: Readonly<Record<Currency, readonly [Noun, Noun]>>;
  /** Between an amount and its hundredths, with spaces. */
  readonly moneyJoin: string;
  readonly units: ReadonlyMap<string, Noun>;
  /** As they are written, full stop included. */
  readonly abbreviations: ReadonlyMap<string, string>;
  /** Words before a number whose digits are said one by one. */
  readonly dictated: ReadonlySet<string>;
  /** Words before a number that make it a year. */
  readonly beforeYear: ReadonlySet<string>;
  /** Words that belong to the word after them: speech does not pause behind them. */
  readonly binding: ReadonlySet<string>;
  /** Whether a full stop makes a number an ordinal. */
  readonly ordinalStop: boolean;
  /** What is written in a way of the language's own; tried before all else. */
  readonly rules: readonly SpeechRule[];
}

interface Signs {
  readonly dot: string;
  readonly at: string;
  readonly point: string;
  readonly minus: string;
  readonly plus: string;
  readonly percent: string;
  readonly and: string;
  readonly to: string;
  readonly slash: string;
  readonly equals: string;
  readonly per: string;
  readonly times: string;
  readonly number: string;
  readonly degree: Noun;
  readonly million: Noun;
  readonly billion: Noun;
  /** Between a million and its noun, by how that begins. */
  readonly scaledBy: { readonly vowel: string; readonly other: string };
}

export function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** Returns the map of names to their numbers from 1. */
export function numbered(list: string): ReadonlyMap<string, number> {
  return new Map(list.split(' ').map((name, index) => [name, index + 1]));
}

export function nouns(list: Readonly<Record<string, Noun>>): ReadonlyMap<string, Noun> {
  return new Map(Object.entries(list));
}

/** Splits digits into groups of three, the last of four where that leaves no single one. */
export function byThrees(digits: number): readonly number[] {
  if (digits <= 4) return [digits];
  const groups: number[] = [];
  let left = digits;
  while (left > 4) {
    groups.push(3);
    left -= 3;
  }
  return [...groups, left];
}

/** Parts a number by thousands, the largest first; `power` is that of the thousand. */
export function byThousands(value: number): { readonly count: number; readonly power: number }[] {
  const parts: { count: number; power: number }[] = [];
  for (let power = 0, rest = value; rest > 0; power++, rest = Math.floor(rest / 1000)) {
    if (rest % 1000 > 0) parts.unshift({ count: rest % 1000, power });
  }
  return parts;
}

/** Where a rule applies, and how that is said there. */
export interface SpeechRule {
  /** Sticky. */
  readonly pattern: RegExp;
  /** Returns what is said instead; undefined where the rule does not apply after all. */
  readonly say: (match: RegExpExecArray, context: SpeechContext) => string | undefined;
}

export interface SpeechContext {
  /** How the language says numbers and signs; undefined where the voice does so itself or nobody knows. */
  readonly language: SpokenLanguage | undefined;
  /** The last words before, as they are said. */
  readonly before: string;
  /** Says a text within the text, such as that of a link. */
  readonly nested: (text: string) => string;
}
