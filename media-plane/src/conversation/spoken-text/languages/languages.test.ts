import { describe, expect, it } from 'vitest';
import { spokenText } from '../spoken-text.js';

const say = (language: string) => (text: string, spoken: string) => {
  expect(spokenText(text, { language, writesOut: true, startsMidClause: false }).spoken).toBe(spoken);
};

describe('figures in English', () => {
  it.each([
    ['It costs $42.50.', 'It costs forty-two dollars and fifty cents.'],
    ['$1,299', 'one thousand two hundred ninety-nine dollars'],
    ['$1.00 or $0.99', 'one dollar or ninety-nine cents'],
    ['$5 million, or €20', 'five million dollars, or twenty euros'],
    ['$20k or $1.5k', 'twenty thousand dollars or one thousand five hundred dollars'],
    ['1-800-555-1234', 'one, eight zero zero, five five five, one two three four'],
    ['COVID-19', 'COVID-nineteen'],
    ['$9.99/month', 'nine dollars and ninety-nine cents per month'],
    ['Call +1 (555) 123-4567.', 'Call plus one, five five five, one two three, four five six seven.'],
    ['555-123-4567', 'five five five, one two three, four five six seven'],
    ['On 2026-05-03 at 15:30.', 'On May third, twenty twenty-six at fifteen thirty.'],
    ['3/14/2026', 'March fourteenth, twenty twenty-six'],
    ['May 5, 2026', 'May fifth, twenty twenty-six'],
    ['on the 5th of May', 'on the fifth of May'],
    ['at 9:05 a.m. or 3 pm.', 'at nine oh five AM or three PM.'],
    ['at 10:00.', "at ten o'clock."],
    ['10:00-12:00', "ten o'clock to twelve o'clock"],
    ['50% at 25°C', 'fifty percent at twenty-five degrees'],
    ['3.14', 'three point one four'],
    ['1st 2nd 3rd 21st 30th', 'first second third twenty-first thirtieth'],
    ['1,234,567', 'one million two hundred thirty-four thousand five hundred sixty-seven'],
    ['room 402, order number 48213', 'room four zero two, order number four eight two one three'],
    ['in 1999 and 2005', 'in nineteen ninety-nine and two thousand five'],
    ['2 km and 1 kg', 'two kilometers and one kilogram'],
    ['AB-1234, B12', 'A B one two three four, B twelve'],
    ['from 9-5, 24/7', 'from nine to five, twenty-four seven'],
    ['Dr. Smith of St. Louis', 'Doctor Smith of Saint Louis'],
    ['12 Oak St.', 'twelve Oak Street.'],
    ['e.g. pears, plums, etc.', 'for example pears, plums, et cetera.'],
    ['john.doe@example.com', 'john dot doe at example dot com'],
    ['-5 & #3', 'minus five and number three'],
    ['Call 911 or 988 now.', 'Call nine one one or nine eight eight now.'],
    ['She has 911 points.', 'She has nine hundred eleven points.'],
    ['007', 'zero zero seven'],
    ['192.168.1.1', 'one hundred ninety-two point one hundred sixty-eight point one point one'],
  ])('says %j as %j', say('en-US'));

  it('has the day first outside the United States', () => {
    say('en-GB')('4/3/2026', 'March fourth, twenty twenty-six');
  });
});

describe('figures in German', () => {
  it.each([
    ['Am 3. Mai 2026 um 14:30 Uhr.', 'Am dritten Mai zweitausendsechsundzwanzig um vierzehn Uhr dreißig.'],
    ['1.234,50 €', 'eintausendzweihundertvierunddreißig Euro und fünfzig Cent'],
    ['am 03.05.1999', 'am dritten Mai neunzehnhundertneunundneunzig'],
    ['1. Mai, der 3. Termin', 'erster Mai, der dritte Termin'],
    ['z.B. 3,5 km', 'zum Beispiel drei Komma fünf Kilometer'],
    ['1 Uhr, 21, 101', 'ein Uhr, einundzwanzig, einhunderteins'],
    ['Tel. 030 1234567', 'Telefon null drei null, eins zwo drei, vier fünf sechs sieben'],
    ['5 % von 2 Mio. €', 'fünf Prozent von zwei Millionen Euro'],
    ['1/2 Liter, 3/4 der Zeit', 'einhalb Liter, drei Viertel der Zeit'],
  ])('says %j as %j', say('de-DE'));
});

describe('figures in Spanish', () => {
  it.each([
    ['Cuesta 21,50 €.', 'Cuesta veintiún euros con cincuenta céntimos.'],
    ['el 3 de mayo de 2026 a las 15:30', 'el tres de mayo de dos mil veintiséis a las quince y media'],
    ['21 km', 'veintiún kilómetros'],
    ['1/2 hora, 1/2 litro, 3/4 de hora', 'media hora, medio litro, tres cuartos de hora'],
    ['1.000.000', 'un millón'],
    ['Sr. López, 600 123 456', 'señor López, seis cero cero, uno dos tres, cuatro cinco seis'],
  ])('says %j as %j', say('es-ES'));

  it('has a decimal point in Mexico', () => {
    say('es-MX')('$1,299.50', 'mil doscientos noventa y nueve dólares con cincuenta centavos');
  });
});

describe('figures in French', () => {
  it.each([
    ['Le 1er mai 2026 à 15h30', 'Le premier mai deux mille vingt-six à quinze heures trente'],
    ['71, 80, 81 et 99', 'soixante et onze, quatre-vingts, quatre-vingt-un et quatre-vingt-dix-neuf'],
    ['1 500 €', 'mille cinq cents euros'],
    ['1 299,99 €', 'mille deux cent quatre-vingt-dix-neuf euros et quatre-vingt-dix-neuf centimes'],
    ['12 345,5 km', 'douze mille trois cent quarante-cinq virgule cinq kilomètres'],
    ['1/2 litre, 3/4 d’heure, le 1/2', 'un demi litre, trois quarts d’heure, le premier février'],
    ['01 23 45 67 89', 'zéro un, vingt-trois, quarante-cinq, soixante-sept, quatre-vingt-neuf'],
    ['M. Dupont, 2,5 km', 'Monsieur Dupont, deux virgule cinq kilomètres'],
    ['2e, 5e et 9e', 'deuxième, cinquième et neuvième'],
  ])('says %j as %j', say('fr-FR'));
});

describe('figures elsewhere', () => {
  it('are left to the voice', () => {
    say('it-IT')('**3,5 km** per 42 €', '3,5 km per 42 €');
  });
});
