import type { Readable } from 'node:stream';
import { readCsvRows, separatorHint } from '../../platform/http/csv-rows.js';
import { apiError } from '../../platform/http/error-codes.js';
import { normalisePhone } from '../../telephony/phones/normalise-phone.js';

/** Rows of one file; a longer list is sent as several files. */
export const MAX_ROWS = 100_000;
/** Errors that are listed one by one; the rest is counted. */
const MAX_LISTED_ERRORS = 1000;
const COLUMN_NAMES = ['phone', 'phone_number', 'number', 'telephone'];

export interface NumberRowError {
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

/** The numbers of a file, each once, and what is wrong with the other rows. */
export class NumberList {
  readonly numbers = new Set<string>();
  readonly errors: NumberRowError[] = [];
  rows = 0;
  errorCount = 0;

  add(number: string): void {
    this.rows++;
    this.numbers.add(number);
  }

  refuse(error: NumberRowError): void {
    this.rows++;
    this.errorCount++;
    if (this.errors.length < MAX_LISTED_ERRORS) this.errors.push(error);
  }
}

/** Finds where the numbers stand: by the header, or in the first column of a file that has none. */
function columnOf(first: readonly string[]): { readonly index: number; readonly isHeader: boolean } {
  const names = first.map((name) =>
    name
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_'),
  );
  const index = names.findIndex((name) => COLUMN_NAMES.includes(name));
  if (index >= 0) return { index, isHeader: true };
  if (normalisePhone(first[0] ?? '') !== null) return { index: 0, isHeader: false };
  throw apiError(
    'csv_invalid',
    `The first line must name the columns, one of them ${COLUMN_NAMES[0]}.${separatorHint(first)}`,
  );
}

/** Reads a do-not-call list as it comes in. Bad rows are left out and listed by their line. */
export async function readNumbersCsv(file: Readable, mostRows = MAX_ROWS): Promise<NumberList> {
  const list = new NumberList();
  let column: number | undefined;
  const requireRoom = () => {
    if (list.rows > mostRows) {
      throw apiError(
        'payload_too_large',
        `The file has more than ${mostRows} rows; send it as several files.`,
      );
    }
  };
  const take = (written: string, line: number) => {
    const number = normalisePhone(written);
    if (number !== null) list.add(number);
    else {
      list.refuse({
        line,
        code: 'phone_invalid',
        message: `"${written.slice(0, 40)}" is not a phone number.`,
      });
    }
    requireRoom();
  };
  await readCsvRows(file, {
    row: (cells, line) => {
      if (column === undefined) {
        const { index, isHeader } = columnOf(cells);
        column = index;
        if (isHeader) return;
      }
      take(cells[column] ?? '', line);
    },
    malformed: (row) => {
      list.refuse(row);
      requireRoom();
    },
  });
  if (list.numbers.size === 0) {
    throw apiError('csv_invalid', 'The file has no row with a usable phone number.', {
      fields: { errors: list.errors.slice(0, 100) },
    });
  }
  return list;
}
