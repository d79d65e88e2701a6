/** Reads a list of contacts from the rows of a CSV file: which column is what, and what is wrong with each row. Pure. */

/** Contacts of a campaign, at most. */
export const MOST_CONTACTS = 10_000;
const LONGEST_NAME = 255;
/** Characters of a field's name and of all fields of a contact as JSON, as the service takes them. */
const LONGEST_FIELD_NAME = 128;
const LONGEST_FIELDS = 16_384;

/** What a column holds; `field`: a variable of the calls, named as the column is. */
export const MEANINGS = ['phone', 'first_name', 'last_name', 'field', 'skip'] as const;
export type Meaning = (typeof MEANINGS)[number];

/** A row and its place in the file, counted as a spreadsheet does: the header is row 1. */
export interface FileRow {
  readonly row: number;
  readonly cells: readonly string[];
}

interface Contact {
  readonly phone: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly contact_data: Readonly<Record<string, string>>;
}

/** One row that is left out, and why. */
export interface RowProblem {
  readonly row: number;
  /** What the row has in the column of the phone number. */
  readonly phone: string;
  readonly problem: string;
}

export interface CheckedContacts {
  readonly contacts: readonly Contact[];
  /** The row of each contact. */
  readonly rows: readonly number[];
  readonly problems: readonly RowProblem[];
}

const GUESSES: readonly (readonly [Meaning, RegExp])[] = [
  ['phone', /^((mobile|cell|tele|contact)?_?phone|mobile|cell|tel)(_?(number|no|nr))?$|^(e_?164|number)$/],
  ['first_name', /^(first|given|fore)_?name$/],
  ['last_name', /^(last|family)_?name$|^surname$/],
];

/** Guesses what each column holds by its name; each meaning is given once, an unnamed column is skipped. */
export function guessMeanings(header: readonly string[]): Meaning[] {
  const given = new Set<Meaning>();
  return header.map((name) => {
    const canonical = name
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_');
    if (canonical === '') return 'skip';
    const [guess] = GUESSES.find(([, pattern]) => pattern.test(canonical)) ?? [];
    if (guess === undefined || given.has(guess)) return 'field';
    given.add(guess);
    return guess;
  });
}

/** Returns what a prompt calls the variable of a column, as the service names it: `First visit` is `First_visit`. */
export function variableName(column: string): string {
  return column
    .trim()
    .replace(/\W+/g, '_')
    .replace(/^(?=\d)/, '_');
}

/** Returns what is wrong with the choice of columns, as a sentence; null when the rows can be read by it. */
export function mappingProblem(header: readonly string[], meanings: readonly Meaning[]): string | null {
  const times = (meaning: Meaning) => meanings.filter((chosen) => chosen === meaning).length;
  if (times('phone') === 0) return 'No column is the phone number. Choose the one that is.';
  if (times('phone') > 1) return 'Several columns are the phone number. Choose one.';
  if (times('first_name') > 1) return 'Several columns are the first name. Choose one.';
  if (times('last_name') > 1) return 'Several columns are the last name. Choose one.';
  const fields = header.map((name) => name.trim()).filter((_, column) => meanings[column] === 'field');
  if (fields.includes(''))
    return 'A column without a name cannot be a variable. Skip it, or name it in the file.';
  const long = fields.find((name) => name.length > LONGEST_FIELD_NAME);
  if (long !== undefined)
    return `The name “${long.slice(0, 40)}…” is too long for a variable. Skip that column.`;
  const repeated = fields.find(
    (name, index) => fields.map(variableName).indexOf(variableName(name)) !== index,
  );
  return repeated === undefined
    ? null
    : `Two columns are the variable “${variableName(repeated)}”. Skip one of them.`;
}

/**
 * Returns a number as E.164; null when it cannot be one. As the service reads it: national notation counts as US, `00`
 * and `011` before the country code are understood.
 */
export function e164Of(text: string): string | null {
  const written = text.normalize('NFKC').replace(/^['"=\s]+|["\s]+$/g, '');
  if (!/^\+?[\d\s().\-/–]+$/.test(written)) return null;
  const digits = written.replace(/\D/g, '');
  const international = written.startsWith('+') ? digits : /^(?:00|011)([1-9]\d*)$/.exec(digits)?.[1];
  if (international === undefined) {
    if (/^[2-9]\d{9}$/.test(digits)) return `+1${digits}`;
    return /^1[2-9]\d{9}$/.test(digits) ? `+${digits}` : null;
  }
  // In North America all numbers are of one length.
  const shape = international.startsWith('1') ? /^1[2-9]\d{9}$/ : /^[2-9]\d{6,14}$/;
  return shape.test(international) ? `+${international}` : null;
}

/** Checks the rows by the chosen columns. `callable` says why a number cannot be called; null when it can. */
export function checkContacts(
  header: readonly string[],
  meanings: readonly Meaning[],
  rows: readonly FileRow[],
  rules: {
    readonly callable: (phone: string) => string | null;
    readonly mayRepeat: (phone: string) => boolean;
  },
): CheckedContacts {
  const contacts: Contact[] = [];
  const kept: number[] = [];
  const problems: RowProblem[] = [];
  const firstRows = new Map<string, number>();
  const column = (meaning: Meaning) => meanings.indexOf(meaning);
  for (const { row, cells } of rows) {
    const cell = (index: number) => (index < 0 ? '' : (cells[index] ?? '').trim());
    const written = cell(column('phone'));
    const [first, last] = [cell(column('first_name')), cell(column('last_name'))];
    const contact_data = Object.fromEntries(
      header.flatMap((name, index) => (meanings[index] === 'field' ? [[name.trim(), cell(index)]] : [])),
    );
    const phone = e164Of(written);
    const earlier = phone === null || rules.mayRepeat(phone) ? undefined : firstRows.get(phone);
    const problem =
      cells.length > header.length
        ? `${cells.length} values for ${header.length} columns. Put quotes around values with a comma.`
        : written === ''
          ? 'The phone number is missing.'
          : phone === null
            ? 'This is no phone number.'
            : earlier !== undefined
              ? `The same number as in row ${earlier}.`
              : Math.max(first.length, last.length) > LONGEST_NAME
                ? `A name is longer than ${LONGEST_NAME} characters.`
                : JSON.stringify(contact_data).length > LONGEST_FIELDS
                  ? 'The variables are longer than 16 KiB.'
                  : rules.callable(phone);
    if (problem !== null || phone === null) {
      problems.push({ row, phone: written, problem: problem ?? '' });
      continue;
    }
    firstRows.set(phone, row);
    contacts.push({ phone, first_name: first || null, last_name: last || null, contact_data });
    kept.push(row);
  }
  return { contacts, rows: kept, problems };
}
