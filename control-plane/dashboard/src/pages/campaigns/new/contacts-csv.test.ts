import { describe, expect, it } from 'vitest';
import { checkContacts, e164Of, guessMeanings, mappingProblem, variableName } from './contacts-csv.js';
import { decodeCsv, parseCsv } from './read-csv.js';

const RULES = { callable: () => null, mayRepeat: () => false };
const HEADER = ['Phone', 'First Name', 'City'];
const MEANINGS = guessMeanings(HEADER);
const rowsOf = (...rows: string[][]) => rows.map((cells, index) => ({ row: index + 2, cells }));

describe('columns of a CSV file', () => {
  it('guesses what a column holds by its name, each meaning once', () => {
    expect(guessMeanings(['Mobile Number', 'first-name', 'Surname', 'City', '', 'phone'])).toEqual([
      'phone',
      'first_name',
      'last_name',
      'field',
      'skip',
      'field',
    ]);
  });

  it.each([
    [['City'], ['field'], /No column is the phone number/],
    [['a', 'b'], ['phone', 'phone'], /Several columns are the phone number/],
    [['a', 'b', 'c'], ['phone', 'last_name', 'last_name'], /Several columns are the last name/],
    [['a', ''], ['phone', 'field'], /without a name/],
    [['a', 'x y', 'x-y '], ['phone', 'field', 'field'], /Two columns are the variable “x_y”/],
  ] as const)('refuses columns %j as %j', (header, meanings, problem) => {
    expect(mappingProblem(header, meanings)).toMatch(problem);
  });

  it('takes columns with one phone number', () => {
    expect(mappingProblem(HEADER, MEANINGS)).toBeNull();
  });
});

it.each([
  ['First visit', 'First_visit'],
  ['2nd phone', '_2nd_phone'],
  ['city', 'city'],
])('names the variable of column %j %j, as prompts do', (column, variable) => {
  expect(variableName(column)).toBe(variable);
});

describe('e164Of', () => {
  it.each([
    ['+14155550123', '+14155550123'],
    ['(415) 555-0123', '+14155550123'],
    ['1 415 555 0123', '+14155550123'],
    ['00 49 30 123456', '+4930123456'],
    ['011 44 20 7946 0958', '+442079460958'],
    ["'+15005550006 ", '+15005550006'],
    ['+1 415 555', null],
    ['+0 123 456 789', null],
    ['+49 30 1234567890123456', null],
    ['5550123', null],
    ['call me', null],
    ['', null],
  ])('reads %j as %j', (written, number) => {
    expect(e164Of(written)).toBe(number);
  });
});

describe('checkContacts', () => {
  it('makes contacts of the good rows, with their other columns as variables', () => {
    const checked = checkContacts(HEADER, MEANINGS, rowsOf(['415 555 0123', ' Ann ', 'Oslo']), RULES);
    expect(checked).toEqual({
      contacts: [
        { phone: '+14155550123', first_name: 'Ann', last_name: null, contact_data: { City: 'Oslo' } },
      ],
      rows: [2],
      problems: [],
    });
  });

  it('says row by row what is wrong', () => {
    const { contacts, problems } = checkContacts(
      HEADER,
      MEANINGS,
      rowsOf(
        ['', 'Nobody', ''],
        ['12', 'Bob', ''],
        ['+14155550123', 'Ann', ''],
        ['(415) 555-0123', 'Ann again', ''],
        ['+14155550124', 'Cy', 'Paris', 'France'],
        ['+14155550125', 'x'.repeat(256), ''],
        ['+14155550126', 'Di', 'x'.repeat(17_000)],
      ),
      RULES,
    );
    expect(contacts.map(({ phone }) => phone)).toEqual(['+14155550123']);
    expect(problems.map(({ row, problem }) => `${row}: ${problem}`)).toEqual([
      '2: The phone number is missing.',
      '3: This is no phone number.',
      '5: The same number as in row 4.',
      '6: 4 values for 3 columns. Put quotes around values with a comma.',
      '7: A name is longer than 255 characters.',
      '8: The variables are longer than 16 KiB.',
    ]);
  });

  it('lets numbers repeat that may, and leaves out those that cannot be called', () => {
    const { contacts, problems } = checkContacts(
      HEADER,
      MEANINGS,
      rowsOf(['+15005550006'], ['+15005550006'], ['+14155550123']),
      {
        callable: (phone) => (phone.startsWith('+1500555') ? null : 'Not in the sandbox.'),
        mayRepeat: () => true,
      },
    );
    expect(contacts).toHaveLength(2);
    expect(problems).toEqual([{ row: 4, phone: '+14155550123', problem: 'Not in the sandbox.' }]);
  });
});

describe('a CSV file', () => {
  it('is split into header and rows; empty lines keep their number', () => {
    expect(parseCsv('a.csv', 'phone;name\r\n\r\n1;"a;b"\r\n')).toEqual({
      name: 'a.csv',
      header: ['phone', 'name'],
      rows: [{ row: 3, cells: ['1', 'a;b'] }],
    });
  });

  it('is split by the separator that its first line names, which is no row', () => {
    expect(parseCsv('a.csv', 'sep=;\r\nphone;name, first\r\n1;a\r\n')).toEqual({
      name: 'a.csv',
      header: ['phone', 'name, first'],
      rows: [{ row: 2, cells: ['1', 'a'] }],
    });
  });

  it.each([
    ['', 'The file is empty.'],
    ['phone\n', 'The file has a header and no rows.'],
    ['phone,name\n1,"open\n', /quotes of row 2/],
    [`phone\n${'1\n'.repeat(10_001)}`, /10,001 rows; a campaign takes 10,000/],
  ])('is refused with a sentence', (text, message) => {
    expect(() => parseCsv('a.csv', text)).toThrow(message);
  });

  it('is read as UTF-8 or UTF-16, whatever a spreadsheet saved', () => {
    const utf16 = new Uint8Array([0xff, 0xfe, ...[...'né'].flatMap((c) => [c.charCodeAt(0), 0])]);
    expect(decodeCsv(utf16)).toBe('né');
    expect(decodeCsv(new TextEncoder().encode('\uFEFFné'))).toBe('né');
    expect(() => decodeCsv(new Uint8Array([0x6e, 0xe9]))).toThrow(/CSV UTF-8/);
  });
});
