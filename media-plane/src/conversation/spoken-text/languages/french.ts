import type { SpeechRule } from './spoken-language.js';
import {
  byThousands,
  type CalendarDate,
  nouns,
  numbered,
  type SpokenLanguage,
  type TimeOfDay,
  words,
} from './spoken-language.js';

const ONES =
  'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf'.split(
    ' ',
  );
const TENS = 'zéro dix vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt'.split(
  ' ',
);
const MONTHS = 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(
  ' ',
);
const HALF = { am: ' du matin', pm: ' de l’après-midi' } as const;

function belowHundred(value: number): string {
  if (value < 20) return ONES[value]!;
  const tens = Math.floor(value / 10);
  const ten = TENS[tens]!;
  // Seventy and ninety go on from sixty and eighty.
  const rest = tens === 7 || tens === 9 ? 10 + (value % 10) : value % 10;
  if (rest === 0) return tens === 8 ? 'quatre-vingts' : ten;
  const and = (rest === 1 || rest === 11) && tens < 8 ? ' et ' : '-';
  return `${ten}${and}${ONES[rest]}`;
}

function belowThousand(value: number): string {
  if (value < 100) return belowHundred(value);
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  const hundred = hundreds === 1 ? 'cent' : `${ONES[hundreds]} cent`;
  if (rest === 0) return hundreds === 1 ? hundred : `${hundred}s`;
  return `${hundred} ${belowHundred(rest)}`;
}

function cardinal(value: number): string {
  if (value === 0) return ONES[0]!;
  return byThousands(value)
    .map(({ count, power }) => {
      if (power === 0) return belowThousand(count);
      // Before “mille” hundreds and eighties lose their s.
      if (power === 1)
        return count === 1 ? 'mille' : `${belowThousand(count).replace(/(cent|vingt)s$/, '$1')} mille`;
      const noun = power === 2 ? 'million' : 'milliard';
      return `${belowThousand(count)} ${noun}${count === 1 ? '' : 's'}`;
    })
    .join(' ');
}

function date({ day, month, year }: CalendarDate): string {
  const said = `${day === 1 ? 'premier' : cardinal(day)} ${MONTHS[month - 1]}`;
  return year === undefined ? said : `${said} ${cardinal(year)}`;
}

/** Hours are feminine: “une heure”, “vingt et une heures”. */
function time({ hour, minute, half }: TimeOfDay): string {
  const said = `${cardinal(hour).replace(/un$/, 'une')} ${hour < 2 ? 'heure' : 'heures'}`;
  const past = minute === 0 ? '' : ` ${cardinal(minute)}`;
  return `${said}${past}${half ? HALF[half] : ''}`;
}

const FRACTIONS: ReadonlyMap<string, string> = new Map([
  ['1/2', 'un demi'],
  ['1/3', 'un tiers'],
  ['2/3', 'deux tiers'],
  ['1/4', 'un quart'],
  ['3/4', 'trois quarts'],
]);

const RULES: readonly SpeechRule[] = [
  {
    // Else it is a date.
    pattern:
      /(?<![\d/])(?:1\/2(?=\s(?:litre|kilo|tasse|journée|pension|verre|tarif|prix)(?!\p{L}))|[1-3]\/[234](?=\s(?:de |du |des |d[’'])))/uy,
    say: ([fraction]) => FRACTIONS.get(fraction),
  },
  {
    pattern: new RegExp(
      `(?<![\\d.])(\\d{1,2}|1er)\\s+(${MONTHS.join('|')})(?:\\s+(\\d{4}))?(?![\\p{L}\\d])`,
      'iuy',
    ),
    say: ([, day = '', month = '', year]) => {
      const number = Number.parseInt(day, 10);
      if (number < 1 || number > 31) return undefined;
      const of = year === undefined ? undefined : Number(year);
      return date({ day: number, month: MONTHS.indexOf(month.toLowerCase()) + 1, year: of });
    },
  },
  {
    pattern: /(?<![\d:.,])(\d{1,2})\s?h(?:eures?)?\s?(\d{2})?(?![\p{L}\d])/uy,
    say: ([, hour, minute = '0']) => {
      if (Number(hour) > 24 || Number(minute) > 59) return undefined;
      return time({ hour: Number(hour), minute: Number(minute) });
    },
  },
  { pattern: /(?<!\d)1er(?!\p{L})/uy, say: () => 'premier' },
  { pattern: /(?<!\d)1(?:re|ère)(?!\p{L})/uy, say: () => 'première' },
  {
    pattern: /(?<!\d)(\d{1,3})(?:e|è|ème|eme|ième)(?!\p{L})/uy,
    say: ([, value]) => {
      const said = cardinal(Number(value));
      if (said.endsWith('cinq')) return `${said}uième`;
      if (said.endsWith('neuf')) return `${said.slice(0, -1)}vième`;
      return `${said.replace(/[es]$/, '')}ième`;
    },
  },
];

export const FRENCH: SpokenLanguage = {
  cardinal,
  year: cardinal,
  date,
  time,
  counted: (value, [one, many]) =>
    value === 1
      ? `${/(?:livre|roupie|heure|minute|once|tonne)$/.test(one) ? 'une' : 'un'} ${one}`
      : `${cardinal(value)} ${many}`,
  // In pairs, as numbers: “zéro un, vingt-trois”.
  digitGroup: (digits) =>
    digits.length <= 3 && !digits.startsWith('0')
      ? cardinal(Number(digits))
      : [...digits].map((digit) => ONES[Number(digit)]).join(' '),
  groupsOf: (digits) => {
    const pairs = new Array<number>(Math.floor(digits / 2)).fill(2);
    return digits % 2 === 0 ? pairs : [1, ...pairs];
  },
  decimalMark: ',',
  monthFirst: false,
  months: numbered(MONTHS.join(' ')),
  signs: {
    dot: 'point',
    at: 'arobase',
    point: 'virgule',
    minus: 'moins',
    plus: 'plus',
    percent: 'pour cent',
    and: 'et',
    to: 'à',
    slash: 'barre oblique',
    equals: 'égale',
    per: 'par',
    times: 'fois',
    number: 'numéro',
    degree: ['degré', 'degrés'],
    million: ['million', 'millions'],
    billion: ['milliard', 'milliards'],
    scaledBy: { vowel: ' d’', other: ' de ' },
  },
  currencies: {
    USD: [
      ['dollar', 'dollars'],
      ['cent', 'cents'],
    ],
    EUR: [
      ['euro', 'euros'],
      ['centime', 'centimes'],
    ],
    GBP: [
      ['livre', 'livres'],
      ['penny', 'pence'],
    ],
    CHF: [
      ['franc', 'francs'],
      ['centime', 'centimes'],
    ],
    JPY: [
      ['yen', 'yens'],
      ['sen', 'sens'],
    ],
    MXN: [
      ['peso', 'pesos'],
      ['centavo', 'centavos'],
    ],
    CAD: [
      ['dollar canadien', 'dollars canadiens'],
      ['cent', 'cents'],
    ],
    INR: [
      ['roupie', 'roupies'],
      ['paisa', 'paisas'],
    ],
  },
  moneyJoin: ' et ',
  units: nouns({
    km: ['kilomètre', 'kilomètres'],
    m: ['mètre', 'mètres'],
    cm: ['centimètre', 'centimètres'],
    mm: ['millimètre', 'millimètres'],
    'km/h': ['kilomètre à l’heure', 'kilomètres à l’heure'],
    kg: ['kilo', 'kilos'],
    g: ['gramme', 'grammes'],
    mg: ['milligramme', 'milligrammes'],
    l: ['litre', 'litres'],
    ml: ['millilitre', 'millilitres'],
    min: ['minute', 'minutes'],
    Mo: ['mégaoctet', 'mégaoctets'],
    Go: ['gigaoctet', 'gigaoctets'],
    'm²': ['mètre carré', 'mètres carrés'],
  }),
  abbreviations: new Map([
    ['M.', 'Monsieur'],
    ['MM.', 'Messieurs'],
    ['Mme', 'Madame'],
    ['Mmes', 'Mesdames'],
    ['Mlle', 'Mademoiselle'],
    ['Dr', 'Docteur'],
    ['Dr.', 'Docteur'],
    ['Pr.', 'Professeur'],
    ['p. ex.', 'par exemple'],
    ['c.-à-d.', 'c’est-à-dire'],
    ['etc.', 'et cetera'],
    ['env.', 'environ'],
    ['av.', 'avenue'],
    ['bd.', 'boulevard'],
    ['n°', 'numéro'],
    ['N°', 'numéro'],
    ['tél.', 'téléphone'],
    ['RDV', 'rendez-vous'],
    ['SVP', 's’il vous plaît'],
  ]),
  dictated: words('numéro code pin compte commande poste postal référence chambre vol billet dossier'),
  beforeYear: words('en année depuis jusqu'),
  binding: words(
    'le la les un une des du de d à au aux pour avec par en dans sur et ou mais que qui si mon ma mes votre vos notre nos son sa ses est sont je nous il elle vous on ne pas très plus l j c qu s n m t peux peut ai a',
  ),
  ordinalStop: false,
  rules: RULES,
};
