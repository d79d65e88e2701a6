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
  'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve'.split(
    ' ',
  );
const TENS = 'cero diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa'.split(' ');
const HUNDREDS =
  'cero ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos'.split(
    ' ',
  );
const MONTHS =
  'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ');
const HALF = { am: 'de la mañana', pm: 'de la tarde' } as const;

function belowThousand(value: number): string {
  if (value < 30) return ONES[value]!;
  if (value < 100) {
    const ten = TENS[Math.floor(value / 10)]!;
    return value % 10 === 0 ? ten : `${ten} y ${ONES[value % 10]}`;
  }
  if (value === 100) return 'cien';
  const hundred = HUNDREDS[Math.floor(value / 100)]!;
  return value % 100 === 0 ? hundred : `${hundred} ${belowThousand(value % 100)}`;
}

/** Shortens a one before a noun: “veintiún mil”, “un millón”. */
function beforeNoun(said: string): string {
  return said.replace(/veintiuno$/, 'veintiún').replace(/uno$/, 'un');
}

function belowMillion(value: number): string {
  return byThousands(value)
    .map(({ count, power }) => {
      if (power === 0) return belowThousand(count);
      return count === 1 ? 'mil' : `${beforeNoun(belowThousand(count))} mil`;
    })
    .join(' ');
}

/** Counts in millions: a billion is “mil millones”. */
function cardinal(value: number): string {
  if (value === 0) return ONES[0]!;
  const millions = Math.floor(value / 1_000_000);
  const rest = value % 1_000_000;
  const large =
    millions === 0 ? '' : millions === 1 ? 'un millón' : `${beforeNoun(belowMillion(millions))} millones`;
  return [large, rest === 0 ? '' : belowMillion(rest)].filter(Boolean).join(' ');
}

function date({ day, month, year }: CalendarDate): string {
  const said = `${day === 1 ? 'primero' : cardinal(day)} de ${MONTHS[month - 1]}`;
  return year === undefined ? said : `${said} de ${cardinal(year)}`;
}

/** Hours are feminine: “la una”, “las veintiuna”. */
function time({ hour, minute, half }: TimeOfDay): string {
  const said = cardinal(hour).replace(/un[oó]$/, 'una');
  const past =
    minute === 0 ? '' : minute === 15 ? ' y cuarto' : minute === 30 ? ' y media' : ` y ${cardinal(minute)}`;
  return half ? `${said}${past} ${HALF[half]}` : `${said}${past}`;
}

function digitGroup(digits: string): string {
  return [...digits].map((digit) => ONES[Number(digit)]).join(' ');
}

const FRACTIONS: ReadonlyMap<string, string> = new Map([
  ['1/3', 'un tercio'],
  ['2/3', 'dos tercios'],
  ['1/4', 'un cuarto'],
  ['3/4', 'tres cuartos'],
]);

const RULES: readonly SpeechRule[] = [
  // Else it is a date.
  { pattern: /(?<![\d/])1\/2(?=\s(?:litro|kilo|día|precio|metro)(?!\p{L}))/uy, say: () => 'medio' },
  { pattern: /(?<![\d/])1\/2(?=\s(?:hora|taza|docena|jornada|pensión)(?!\p{L}))/uy, say: () => 'media' },
  {
    pattern: /(?<![\d/])[1-3]\/[34](?=\sde\s)/uy,
    say: ([fraction]) => FRACTIONS.get(fraction),
  },
  {
    pattern: new RegExp(
      `(?<![\\d.])(\\d{1,2})º?\\s+de\\s+(${MONTHS.join('|')})(?:\\s+del?\\s+(\\d{4}))?(?![\\p{L}\\d])`,
      'iuy',
    ),
    say: ([, day = '', month = '', year]) => {
      const number = Number(day);
      if (number < 1 || number > 31) return undefined;
      const of = year === undefined ? undefined : Number(year);
      return date({ day: number, month: MONTHS.indexOf(month.toLowerCase()) + 1, year: of });
    },
  },
  {
    pattern: /(?<![\d:.,])(\d{1,2})(?:[:.](\d{2}))?\s?([ap])\.?\s?m\b\.?/iy,
    say: ([, hour, minute = '0', half]) => {
      if (Number(hour) > 12 || Number(minute) > 59) return undefined;
      return time({
        hour: Number(hour),
        minute: Number(minute),
        half: half?.toLowerCase() === 'a' ? 'am' : 'pm',
      });
    },
  },
  {
    // A telephone, not millions.
    pattern: /(?<![\d.,])([679]\d{2}) (\d{3}) (\d{3})(?![\d.,]\d|\s?[€$%])/y,
    say: ([, ...groups]) => groups.map(digitGroup).join(', '),
  },
  {
    pattern: /(?<!\d)([1-9]|10)([ºª]|\.[ºª])/y,
    say: ([, value, mark]) => {
      const stem = 'primer segund tercer cuart quint sext séptim octav noven décim'.split(' ')[
        Number(value) - 1
      ];
      return `${stem}${mark?.endsWith('ª') ? 'a' : 'o'}`;
    },
  },
];

const EUROPEAN: SpokenLanguage = {
  cardinal,
  year: cardinal,
  date,
  time,
  counted: (value, [one, many]) =>
    value === 1 ? `${/a$/.test(one) ? 'una' : 'un'} ${one}` : `${beforeNoun(cardinal(value))} ${many}`,
  digitGroup,
  groupsOf: byThrees,
  decimalMark: ',',
  monthFirst: false,
  months: numbered(MONTHS.join(' ')),
  signs: {
    dot: 'punto',
    at: 'arroba',
    point: 'coma',
    minus: 'menos',
    plus: 'más',
    percent: 'por ciento',
    and: 'y',
    to: 'a',
    slash: 'barra',
    equals: 'igual a',
    per: 'por',
    times: 'por',
    number: 'número',
    degree: ['grado', 'grados'],
    million: ['millón', 'millones'],
    billion: ['mil millones', 'mil millones'],
    scaledBy: { vowel: ' de ', other: ' de ' },
  },
  currencies: {
    USD: [
      ['dólar', 'dólares'],
      ['centavo', 'centavos'],
    ],
    EUR: [
      ['euro', 'euros'],
      ['céntimo', 'céntimos'],
    ],
    GBP: [
      ['libra', 'libras'],
      ['penique', 'peniques'],
    ],
    CHF: [
      ['franco', 'francos'],
      ['céntimo', 'céntimos'],
    ],
    JPY: [
      ['yen', 'yenes'],
      ['sen', 'sen'],
    ],
    MXN: [
      ['peso', 'pesos'],
      ['centavo', 'centavos'],
    ],
    CAD: [
      ['dólar canadiense', 'dólares canadienses'],
      ['centavo', 'centavos'],
    ],
    INR: [
      ['rupia', 'rupias'],
      ['paisa', 'paisas'],
    ],
  },
  moneyJoin: ' con ',
  units: nouns({
    km: ['kilómetro', 'kilómetros'],
    m: ['metro', 'metros'],
    cm: ['centímetro', 'centímetros'],
    mm: ['milímetro', 'milímetros'],
    'km/h': ['kilómetro por hora', 'kilómetros por hora'],
    kg: ['kilo', 'kilos'],
    g: ['gramo', 'gramos'],
    mg: ['miligramo', 'miligramos'],
    l: ['litro', 'litros'],
    ml: ['mililitro', 'mililitros'],
    min: ['minuto', 'minutos'],
    h: ['hora', 'horas'],
    MB: ['megabyte', 'megabytes'],
    GB: ['gigabyte', 'gigabytes'],
    'm²': ['metro cuadrado', 'metros cuadrados'],
  }),
  abbreviations: new Map([
    ['Sr.', 'señor'],
    ['Sra.', 'señora'],
    ['Srta.', 'señorita'],
    ['Dr.', 'doctor'],
    ['Dra.', 'doctora'],
    ['Ud.', 'usted'],
    ['Uds.', 'ustedes'],
    ['p. ej.', 'por ejemplo'],
    ['p.ej.', 'por ejemplo'],
    ['etc.', 'etcétera'],
    ['aprox.', 'aproximadamente'],
    ['núm.', 'número'],
    ['tel.', 'teléfono'],
    ['Avda.', 'avenida'],
    ['EE.UU.', 'Estados Unidos'],
    ['EE. UU.', 'Estados Unidos'],
  ]),
  dictated: words('número código pin cuenta pedido extensión postal referencia habitación vuelo billete'),
  beforeYear: words('en año desde hasta'),
  binding: words(
    'el la los las un una unos unas a al de del para con por en sobre y e o u pero que si como mi mis tu su sus nuestro nuestra es son soy era yo se le lo me te nos no muy más ha han he hay puede puedo',
  ),
  ordinalStop: false,
  rules: RULES,
};

/** Where decimals are written with a point. */
const WITH_POINT: ReadonlySet<string> = new Set(['MX', 'US', 'GT', 'HN', 'NI', 'PA', 'PE', 'SV', 'DO', 'PR']);
const AMERICAN: SpokenLanguage = { ...EUROPEAN, decimalMark: '.' };

export function spanish(region: string | undefined): SpokenLanguage {
  return region !== undefined && WITH_POINT.has(region) ? AMERICAN : EUROPEAN;
}
