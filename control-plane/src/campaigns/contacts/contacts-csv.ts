import type { Readable } from 'node:stream';
import { readCsvRows, separatorHint } from '../../platform/http/csv-rows.js';
import { apiError } from '../../platform/http/error-codes.js';
import { normalisePhone } from '../../telephony/phones/normalise-phone.js';
import {
  ContactList,
  LONGEST_DATA,
  LONGEST_FIELD_NAME,
  MAX_CONTACTS,
  type NewContact,
} from './contact-list.js';

const LONGEST_NAME = 255;
const MOST_COLUMNS = 200;

/** Where in a row each part of a contact stands. */
interface Columns {
  readonly phone: number;
  readonly firstName: number;
  readonly lastName: number;
  readonly custom: readonly { readonly index: number; readonly name: string }[];
  readonly width: number;
}

/** `First Name` and `first_name` are the same column. */
function canonical(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

/** Reads the header; 422 `csv_invalid` when the phone column is missing or a name occurs twice. */
function columnsOf(header: readonly string[]): Columns {
  const names = header.map(canonical);
  if (header.length > MOST_COLUMNS)
    throw apiError('csv_invalid', `The file has more than ${MOST_COLUMNS} columns.`);
  // Every contact has every column's name.
  if (header.some((name) => name.length > LONGEST_FIELD_NAME))
    throw apiError('csv_invalid', `A column's name is longer than ${LONGEST_FIELD_NAME} characters.`);
  const repeated = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (repeated !== undefined) throw apiError('csv_invalid', `The column ${repeated} occurs twice.`);
  const phone = names.indexOf('phone') >= 0 ? names.indexOf('phone') : names.indexOf('phone_number');
  if (phone < 0) {
    throw apiError(
      'csv_invalid',
      `The first line must name the columns, one of them phone or phone_number.${separatorHint(header)}`,
    );
  }
  const [firstName, lastName] = [names.indexOf('first_name'), names.indexOf('last_name')];
  const custom = header.flatMap((name, index) =>
    [phone, firstName, lastName].includes(index) || name.trim() === '' ? [] : [{ index, name: name.trim() }],
  );
  return { phone, firstName, lastName, custom, width: header.length };
}

type Row = { readonly contact: NewContact } | { readonly code: string; readonly message: string };

/** Reads one row as a contact, or what is wrong with it. Pure. */
function contactOf(cells: readonly string[], columns: Columns): Row {
  if (cells.length > columns.width) {
    return {
      code: 'too_many_columns',
      message: `${cells.length} values for ${columns.width} columns; quote values that contain a comma.`,
    };
  }
  const cell = (index: number) => (index < 0 ? '' : (cells[index] ?? ''));
  const written = cell(columns.phone);
  if (written === '') return { code: 'phone_missing', message: 'There is no phone number.' };
  const phone = normalisePhone(written);
  if (phone === null) {
    return { code: 'phone_invalid', message: `"${written.slice(0, 40)}" is not a phone number.` };
  }
  const [first, last] = [cell(columns.firstName), cell(columns.lastName)];
  if (first.length > LONGEST_NAME || last.length > LONGEST_NAME) {
    return { code: 'name_too_long', message: `A name is longer than ${LONGEST_NAME} characters.` };
  }
  const data = Object.fromEntries(columns.custom.map(({ index, name }) => [name, cell(index)]));
  if (JSON.stringify(data).length > LONGEST_DATA) {
    return { code: 'contact_data_too_long', message: 'The other columns are longer than 16 KiB as JSON.' };
  }
  return { contact: { phone, firstName: first || null, lastName: last || null, data } };
}

/**
 * Reads a file of contacts as it comes in; only the contacts are kept. Bad rows are left out and listed
 * by their line; a file that is not one at all, or holds too many rows, is refused.
 */
export async function readContactsCsv(file: Readable): Promise<ContactList> {
  const list = new ContactList();
  let columns: Columns | undefined;
  const requireRoom = () => {
    if (list.rows > MAX_CONTACTS) {
      throw apiError('too_many_contacts', `The file has more than ${MAX_CONTACTS} rows.`);
    }
  };
  await readCsvRows(file, {
    row: (cells, line) => {
      if (!columns) columns = columnsOf(cells);
      else {
        const row = contactOf(cells, columns);
        if ('contact' in row) list.add(row.contact, line);
        else list.refuse({ line, ...row });
      }
      requireRoom();
    },
    malformed: (row) => {
      list.refuse(row);
      requireRoom();
    },
  });
  if (!columns) throw apiError('csv_invalid', 'The file is empty.');
  if (list.contacts.length === 0) {
    throw apiError('csv_invalid', 'The file has no row with a usable phone number.', {
      fields: { errors: list.errors.slice(0, 100) },
    });
  }
  return list;
}
