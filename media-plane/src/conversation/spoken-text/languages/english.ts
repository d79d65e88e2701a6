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
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'zero ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const THOUSANDS = ['', 'thousand', 'million', 'billion'];
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['one', 'first'],
  ['two', 'second'],
  ['three', 'third'],
  ['five', 'fifth'],
  ['eight', 'eighth'],
  ['nine', 'ninth'],
  ['twelve', 'twelfth'],
]);
const HALF = { am: 'AM', pm: 'PM' } as const;

function belowThousand(value: number): string {
  if (value < 20) return ONES[value]!;
  if (value < 100) {
    const ten = TENS[Math.floor(value / 10)]!;
    return value % 10 === 0 ? ten : `${ten}-${ONES[value % 10]}`;
  }
  const hundred = `${ONES[Math.floor(value / 100)]} hundred`;
  return value % 100 === 0 ? hundred : `${hundred} ${belowThousand(value % 100)}`;
}

function cardinal(value: number): string {
  if (value === 0) return ONES[0]!;
  return byThousands(value)
    .map(({ count, power }) => `${belowThousand(count)} ${THOUSANDS[power]}`.trim())
    .join(' ');
}

function ordinal(value: number): string {
  return cardinal(value).replace(/[a-z]+$/, (last) => {
    const irregular = IRREGULAR.get(last);
    return irregular ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  });
}

function year(value: number): string {
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  if (value < 1100 || value > 2999 || value % 1000 < 10) return cardinal(value);
  if (rest === 0) return `${cardinal(hundreds)} hundred`;
  return `${cardinal(hundreds)} ${rest < 10 ? `oh ${ONES[rest]}` : cardinal(rest)}`;
}

function date({ day, month, year: of }: CalendarDate): string {
  const said = `${MONTHS[month - 1]} ${ordinal(day)}`;
  return of === undefined ? said : `${said}, ${year(of)}`;
}

function time({ hour, minute, half }: TimeOfDay): string {
  const past = minute === 0 ? '' : minute < 10 ? ` oh ${ONES[minute]}` : ` ${cardinal(minute)}`;
  if (half) return `${cardinal(hour)}${past} ${HALF[half]}`;
  if (minute === 0 && hour > 0 && hour <= 12) return `${cardinal(hour)} o'clock`;
  return `${cardinal(hour)}${past === '' ? ' hundred' : past}`;
}

const MONTH = 'January|February|March|April|May|June|July|August|September|October|November|December';
const SHORT_MONTH = 'Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec';
const NAMED_MONTH = `(${MONTH}|(?:${SHORT_MONTH})\\.?)`;

function monthOf(name: string): number {
  return MONTHS.findIndex((month) => month.startsWith(name.replace('.', '').slice(0, 3))) + 1;
}

function dateOf(month: string, day: string, of: string | undefined): string | undefined {
  const number = Number(day);
  if (number < 1 || number > 31) return undefined;
  return date({ day: number, month: monthOf(month), year: of === undefined ? undefined : Number(of) });
}

const RULES: readonly SpeechRule[] = [
  {
    pattern: new RegExp(
      `(?<![\\p{L}])${NAMED_MONTH}\\s+(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s+(\\d{4}))?(?![\\d:]|\\s?[ap]\\.?m)`,
      'uy',
    ),
    say: ([, month = '', day = '', of]) => dateOf(month, day, of),
  },
  {
    pattern: new RegExp(
      `(?<![\\d.])(\\d{1,2})(?:st|nd|rd|th)?\\s+(?:of\\s+)?${NAMED_MONTH}(?:,?\\s+(\\d{4}))?(?![\\p{L}\\d])`,
      'uy',
    ),
    say: ([, day = '', month = '', of], { before }) => {
      const number = Number(day);
      if (number < 1 || number > 31) return undefined;
      const end = of === undefined ? '' : `, ${year(Number(of))}`;
      return `${/\bthe $/i.test(before) ? '' : 'the '}${ordinal(number)} of ${MONTHS[monthOf(month) - 1]}${end}`;
    },
  },
  { pattern: /(?<![\d.,])(\d{1,6})(?:st|nd|rd|th)(?!\p{L})/uy, say: ([, value]) => ordinal(Number(value)) },
  {
    pattern:
      /(?<![\d:.,])(\d{1,2})(?:[:.](\d{2}))?\s?([ap])(?:m\b|\.\s?m\.)(?=(\s+[\p{Ll}\p{N}]|\s*\p{P})?)/iuy,
    say: (match) => {
      const [, hour = '', minute = '0', half] = match;
      if (Number(hour) > 24 || Number(minute) > 59) return undefined;
      const said = time({
        hour: Number(hour),
        minute: Number(minute),
        half: half?.toLowerCase() === 'a' ? 'am' : 'pm',
      });
      // The abbreviation's full stop is the sentence's as well.
      const endsSentence = match[0].endsWith('.') && match[4] === undefined;
      return endsSentence ? `${said}.` : said;
    },
  },
  {
    // A street behind its name, else a saint.
    pattern: /(?<!\p{L})St\.(?!\p{L})/uy,
    say: ({ index, input }, { before }) => {
      if (!/\p{Lu}\p{Ll}+\s$/u.test(before)) return 'Saint';
      return /^\s*$/.test(input.slice(index + 3)) ? 'Street.' : 'Street';
    },
  },
  { pattern: /(?<!\p{L})No\.(?=\s?\d)/uy, say: () => 'number ' },
  { pattern: /(?<!\d)24\/7(?!\d)/y, say: () => 'twenty-four seven' },
  { pattern: /(?<![\d/])1\/2(?![\d/])/y, say: () => 'one half' },
  {
    // Numbers of services, above all those of emergencies.
    pattern:
      /(?<=(?:^|[^\p{L}])(?:call|calling|dial|dialing|dialling|phone|ring|text|contact|or)\s)(?:[2-9]11|988|112|999)(?![\p{L}\d]|[.,:/-]\d)/iuy,
    say: ([digits]) => [...digits].map((digit) => ONES[Number(digit)]).join(' '),
  },
  { pattern: /(?<![\d/])1\/4(?![\d/])/y, say: () => 'one quarter' },
  { pattern: /(?<![\d/])3\/4(?![\d/])/y, say: () => 'three quarters' },
];

/** American by default; British and other dates have the day first. */
export function english(region: string | undefined): SpokenLanguage {
  return region === undefined || region === 'US' ? AMERICAN : BRITISH;
}

const AMERICAN: SpokenLanguage = {
  cardinal,
  year,
  date,
  time,
  counted: (value, [one, many]) => `${cardinal(value)} ${value === 1 ? one : many}`,
  digitGroup: (digits) => [...digits].map((digit) => ONES[Number(digit)]).join(' '),
  groupsOf: (digits) => (digits === 11 ? [1, 3, 3, 4] : byThrees(digits)),
  decimalMark: '.',
  monthFirst: true,
  months: numbered(MONTHS.join(' ').toLowerCase()),
  signs: {
    dot: 'dot',
    at: 'at',
    point: 'point',
    minus: 'minus',
    plus: 'plus',
    percent: 'percent',
    and: 'and',
    to: 'to',
    slash: 'slash',
    equals: 'equals',
    per: 'per',
    times: 'times',
    number: 'number',
    degree: ['degree', 'degrees'],
    million: ['million', 'million'],
    billion: ['billion', 'billion'],
    scaledBy: { vowel: ' ', other: ' ' },
  },
  currencies: {
    USD: [
      ['dollar', 'dollars'],
      ['cent', 'cents'],
    ],
    EUR: [
      ['euro', 'euros'],
      ['cent', 'cents'],
    ],
    GBP: [
      ['pound', 'pounds'],
      ['penny', 'pence'],
    ],
    CHF: [
      ['franc', 'francs'],
      ['centime', 'centimes'],
    ],
    JPY: [
      ['yen', 'yen'],
      ['sen', 'sen'],
    ],
    MXN: [
      ['peso', 'pesos'],
      ['centavo', 'centavos'],
    ],
    CAD: [
      ['Canadian dollar', 'Canadian dollars'],
      ['cent', 'cents'],
    ],
    INR: [
      ['rupee', 'rupees'],
      ['paisa', 'paise'],
    ],
  },
  moneyJoin: ' and ',
  units: nouns({
    km: ['kilometer', 'kilometers'],
    m: ['meter', 'meters'],
    cm: ['centimeter', 'centimeters'],
    mm: ['millimeter', 'millimeters'],
    mi: ['mile', 'miles'],
    ft: ['foot', 'feet'],
    mph: ['mile an hour', 'miles an hour'],
    'km/h': ['kilometer an hour', 'kilometers an hour'],
    kg: ['kilogram', 'kilograms'],
    g: ['gram', 'grams'],
    mg: ['milligram', 'milligrams'],
    lb: ['pound', 'pounds'],
    lbs: ['pound', 'pounds'],
    oz: ['ounce', 'ounces'],
    l: ['liter', 'liters'],
    ml: ['milliliter', 'milliliters'],
    min: ['minute', 'minutes'],
    mins: ['minute', 'minutes'],
    hrs: ['hour', 'hours'],
    sec: ['second', 'seconds'],
    ms: ['millisecond', 'milliseconds'],
    kWh: ['kilowatt hour', 'kilowatt hours'],
    MB: ['megabyte', 'megabytes'],
    GB: ['gigabyte', 'gigabytes'],
    TB: ['terabyte', 'terabytes'],
    sqft: ['square foot', 'square feet'],
  }),
  abbreviations: new Map([
    ['Dr.', 'Doctor'],
    ['Mr.', 'Mister'],
    ['Mrs.', 'Missis'],
    ['Ms.', 'Miz'],
    ['Prof.', 'Professor'],
    ['e.g.', 'for example'],
    ['i.e.', 'that is'],
    ['etc.', 'et cetera'],
    ['vs.', 'versus'],
    ['approx.', 'approximately'],
    ['Inc.', 'Incorporated'],
    ['Ltd.', 'Limited'],
    ['Ave.', 'Avenue'],
    ['Blvd.', 'Boulevard'],
    ['Rd.', 'Road'],
    ['Apt.', 'Apartment'],
    ['ext.', 'extension'],
    ['ASAP', 'as soon as possible'],
    ['w/o', 'without'],
    ['w/', 'with'],
  ]),
  dictated: words(
    'number code pin account order id extension confirmation zip reference room flight case ticket policy',
  ),
  beforeYear: words('in since of year from until till by before after around during early late'),
  binding: words(
    'a an the of to in on at by for with from and or but so if that this these those my your our their his her its is are was am be i we you he she it they will would can could not no as than about into very'.concat(
      ' have has had do does did',
    ),
  ),
  ordinalStop: false,
  rules: RULES,
};

const BRITISH: SpokenLanguage = { ...AMERICAN, monthFirst: false };
