import type { SpeechRule } from './spoken-language.js';
import {
  byThousands,
  byThrees,
  type CalendarDate,
  nouns,
  numbered,
  type SpokenLanguage,
  type TimeOfDay,
  words,
} from './spoken-language.js';

const ONES =
  'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn'.split(
    ' ',
  );
const TENS = 'null zehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'.split(' ');
const MONTHS = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(
  ' ',
);
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['eins', 'erst'],
  ['drei', 'dritt'],
  ['sieben', 'siebt'],
  ['acht', 'acht'],
]);

/** @param last how a single one is said: “eins” at the end, “ein” before more */
function belowThousand(value: number, last = 'eins'): string {
  if (value === 1) return last;
  if (value < 20) return ONES[value]!;
  if (value < 100) {
    const ten = TENS[Math.floor(value / 10)]!;
    const one = value % 10;
    if (one === 0) return ten;
    return `${one === 1 ? 'ein' : ONES[one]}und${ten}`;
  }
  const hundred = `${value < 200 ? 'ein' : ONES[Math.floor(value / 100)]}hundert`;
  return value % 100 === 0 ? hundred : hundred + belowThousand(value % 100, last);
}

function cardinal(value: number, last = 'eins'): string {
  if (value === 0) return ONES[0]!;
  let small = '';
  const large: string[] = [];
  for (const { count, power } of byThousands(value)) {
    if (power === 0) small += belowThousand(count, last);
    else if (power === 1) small += `${belowThousand(count, 'ein')}tausend`;
    else {
      const [one, many] = power === 2 ? ['Million', 'Millionen'] : ['Milliarde', 'Milliarden'];
      large.push(count === 1 ? `eine ${one}` : `${belowThousand(count)} ${many}`);
    }
  }
  return [...large, small].filter(Boolean).join(' ');
}

/** Returns the stem of the ordinal, which the case ends: “dritt”. */
function ordinalStem(value: number): string {
  const said = cardinal(value);
  const rest = value % 100;
  if (rest >= 20 || (rest === 0 && value >= 100)) return `${said}st`;
  const last = ONES[rest]!;
  return said.slice(0, said.length - last.length) + (IRREGULAR.get(last) ?? `${last}t`);
}

function year(value: number): string {
  if (value < 1100 || value > 1999) return cardinal(value);
  const rest = value % 100;
  const hundreds = `${ONES[Math.floor(value / 100)]}hundert`;
  return rest === 0 ? hundreds : hundreds + belowThousand(rest);
}

/** Words before a date that put it into the dative or genitive. */
const OBLIQUE = /\b(?:am|vom|zum|bis|ab|dem|den|des|seit)\s+(?:\p{L}+,\s+)?(?:dem\s+|den\s+)?$/iu;

/** “am dritten Mai”, “der dritte Mai”: the words before decide. */
function date({ day, month, year: of }: CalendarDate, before = ''): string {
  const ending = /\b(?:der|die|das)\s$/i.test(before) ? 'e' : OBLIQUE.test(before) ? 'en' : 'er';
  const said = `${ordinalStem(day)}${ending} ${MONTHS[month - 1]}`;
  return of === undefined ? said : `${said} ${year(of)}`;
}

function time({ hour, minute }: TimeOfDay): string {
  const past = minute === 0 ? '' : ` ${cardinal(minute)}`;
  return `${cardinal(hour, 'ein')} Uhr${past}`;
}

const FULL_YEAR = (text: string | undefined) =>
  text === undefined ? undefined : Number(text.length === 2 ? `20${text}` : text);

function checked(day: string, month: number, of: string | undefined, before: string): string | undefined {
  const number = Number(day);
  if (number < 1 || number > 31 || month < 1 || month > 12) return undefined;
  return date({ day: number, month, year: FULL_YEAR(of) }, before);
}

/** A date has full stops: what has a slash is a part. */
const FRACTIONS: ReadonlyMap<string, string> = new Map([
  ['1/2', 'einhalb'],
  ['1/3', 'ein Drittel'],
  ['2/3', 'zwei Drittel'],
  ['1/4', 'ein Viertel'],
  ['3/4', 'drei Viertel'],
]);

const RULES: readonly SpeechRule[] = [
  {
    pattern: /(?<![\p{L}\d/.,])[1-3]\/[234](?![\p{L}\d/])/uy,
    say: ([fraction]) => FRACTIONS.get(fraction),
  },
  {
    pattern: new RegExp(
      `(?<![\\d.])(\\d{1,2})\\.\\s?(${MONTHS.join('|')})(?:\\s+(\\d{4}))?(?![\\p{L}\\d])`,
      'uy',
    ),
    say: ([, day = '', month = '', of], { before }) => checked(day, MONTHS.indexOf(month) + 1, of, before),
  },
  {
    pattern: /(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})?(?!\d)/y,
    say: (match, { before }) => {
      const [whole, day = '', month = '', of] = match;
      const said = checked(day, Number(month), of, before);
      const last = of === undefined && /^\s*$/.test(match.input.slice(match.index + whole.length));
      return said && last ? `${said}.` : said;
    },
  },
  {
    pattern: /(?<![\d:.,])(\d{1,2})(?:[:.](\d{2}))?\s*Uhr(?!\p{L})/uy,
    say: ([, hour, minute = '0']) => {
      if (Number(hour) > 24 || Number(minute) > 59) return undefined;
      return time({ hour: Number(hour), minute: Number(minute) });
    },
  },
  {
    // “der 3. Termin”, “am 3. und 4. Tag”
    pattern:
      /(?<=(?:^|[^\p{L}])(?:der|die|das|dem|den|des|im|am|zum|zur|vom|beim|jede[rnms]?)\s)(\d{1,3})\.(?=\s+\p{L})/iuy,
    say: ([, value], { before }) => {
      const ending = /(?:der|die|das)\s$/i.test(before) ? 'e' : 'en';
      return ordinalStem(Number(value)) + ending;
    },
  },
];

export const GERMAN: SpokenLanguage = {
  cardinal,
  year,
  date,
  time,
  counted: (value, [one, many]) =>
    value === 1 ? `${/e$/.test(one) ? 'eine' : 'ein'} ${one}` : `${cardinal(value)} ${many}`,
  digitGroup: (digits) => [...digits].map((digit) => (digit === '2' ? 'zwo' : ONES[Number(digit)])).join(' '),
  groupsOf: byThrees,
  decimalMark: ',',
  monthFirst: false,
  months: numbered(MONTHS.join(' ').toLowerCase()),
  signs: {
    dot: 'Punkt',
    at: 'ät',
    point: 'Komma',
    minus: 'minus',
    plus: 'plus',
    percent: 'Prozent',
    and: 'und',
    to: 'bis',
    slash: 'Schrägstrich',
    equals: 'gleich',
    per: 'pro',
    times: 'mal',
    number: 'Nummer',
    degree: ['Grad', 'Grad'],
    million: ['Million', 'Millionen'],
    billion: ['Milliarde', 'Milliarden'],
    scaledBy: { vowel: ' ', other: ' ' },
  },
  currencies: {
    USD: [
      ['Dollar', 'Dollar'],
      ['Cent', 'Cent'],
    ],
    EUR: [
      ['Euro', 'Euro'],
      ['Cent', 'Cent'],
    ],
    GBP: [
      ['Pfund', 'Pfund'],
      ['Penny', 'Pence'],
    ],
    CHF: [
      ['Franken', 'Franken'],
      ['Rappen', 'Rappen'],
    ],
    JPY: [
      ['Yen', 'Yen'],
      ['Sen', 'Sen'],
    ],
    MXN: [
      ['Peso', 'Pesos'],
      ['Centavo', 'Centavos'],
    ],
    CAD: [
      ['kanadischer Dollar', 'kanadische Dollar'],
      ['Cent', 'Cent'],
    ],
    INR: [
      ['Rupie', 'Rupien'],
      ['Paisa', 'Paise'],
    ],
  },
  moneyJoin: ' und ',
  units: nouns({
    km: ['Kilometer', 'Kilometer'],
    m: ['Meter', 'Meter'],
    cm: ['Zentimeter', 'Zentimeter'],
    mm: ['Millimeter', 'Millimeter'],
    'km/h': ['Kilometer pro Stunde', 'Kilometer pro Stunde'],
    kg: ['Kilogramm', 'Kilogramm'],
    g: ['Gramm', 'Gramm'],
    mg: ['Milligramm', 'Milligramm'],
    l: ['Liter', 'Liter'],
    ml: ['Milliliter', 'Milliliter'],
    min: ['Minute', 'Minuten'],
    Min: ['Minute', 'Minuten'],
    Std: ['Stunde', 'Stunden'],
    kWh: ['Kilowattstunde', 'Kilowattstunden'],
    MB: ['Megabyte', 'Megabyte'],
    GB: ['Gigabyte', 'Gigabyte'],
    qm: ['Quadratmeter', 'Quadratmeter'],
    'm²': ['Quadratmeter', 'Quadratmeter'],
  }),
  abbreviations: new Map([
    ['Dr.', 'Doktor'],
    ['Prof.', 'Professor'],
    ['Hr.', 'Herr'],
    ['Fr.', 'Frau'],
    ['z.B.', 'zum Beispiel'],
    ['z. B.', 'zum Beispiel'],
    ['d.h.', 'das heißt'],
    ['d. h.', 'das heißt'],
    ['u.a.', 'unter anderem'],
    ['usw.', 'und so weiter'],
    ['bzw.', 'beziehungsweise'],
    ['ca.', 'circa'],
    ['ggf.', 'gegebenenfalls'],
    ['inkl.', 'inklusive'],
    ['Nr.', 'Nummer'],
    ['Str.', 'Straße'],
    ['Tel.', 'Telefon'],
    ['MwSt.', 'Mehrwertsteuer'],
  ]),
  dictated: words(
    'nummer code pin konto kundennummer auftragsnummer telefonnummer postleitzahl kennung zimmer flug ticket durchwahl',
  ),
  beforeYear: words('im jahr jahre seit bis von'),
  binding: words(
    'ein eine einen einem einer der die das den dem des zu von für mit aus in im auf an am bei über um und aber oder dass wenn weil mein meine ihr ihre ihren ihrem unser unsere ist sind bin ich wir sie er es nicht als sehr kann werde wird habe hat haben',
  ),
  ordinalStop: true,
  rules: RULES,
};
