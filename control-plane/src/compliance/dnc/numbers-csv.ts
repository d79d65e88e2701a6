import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, type InfoRecord, parse } from 'csv-parse';
import { normalisePhone } from '../../campaigns/contacts/phone.js';
import { TextDecoding, UnreadableTextError } from '../../campaigns/contacts/text-decoding.js';
import { apiError } from '../../http/error-codes.js';

/** Rows of one file; a longer list is sent as several files. */
export const MAX_ROWS = 100_000;
/** Characters of one row; longer means that a quote was never closed. */
const LONGEST_ROW = 65_536;
/** Errors that are told one by one; the rest is counted. */
const TOLD = 1000;
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
    if (this.errors.length < TOLD) this.errors.push(error);
  }
}

/** Where the numbers stand: by the header, or in the first column of a file that has none. */
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
  throw apiError('csv_invalid', `The first line must name the columns, one of them ${COLUMN_NAMES[0]}.`);
}

/** Reads a do-not-call list as it comes in. Bad rows are left out and told by their line. */
export async function readNumbersCsv(file: Readable): Promise<NumberList> {
  const list = new NumberList();
  let column: number | undefined;
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
    if (list.rows > MAX_ROWS) throw apiError('csv_invalid', `The file has more than ${MAX_ROWS} rows.`);
  };
  const parser = parse({
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    skip_records_with_error: true,
    trim: true,
    max_record_size: LONGEST_ROW,
    on_skip: (error) => {
      const line = error instanceof CsvError && typeof error.lines === 'number' ? error.lines : 0;
      list.refuse({
        line,
        code: 'row_malformed',
        message: 'The row cannot be read: a quote is misplaced, or it is too long.',
      });
      return undefined;
    },
  });
  try {
    await pipeline(file, new TextDecoding(), parser, async (rows) => {
      for await (const { record, info } of rows as AsyncIterable<{ record: string[]; info: InfoRecord }>) {
        if (column === undefined) {
          const { index, isHeader } = columnOf(record);
          column = index;
          if (isHeader) continue;
        }
        take(record[column] ?? '', info.lines);
      }
    });
  } catch (error) {
    if (error instanceof UnreadableTextError) {
      throw apiError('csv_invalid', 'The file is not text in UTF-8 or UTF-16.', { cause: error });
    }
    if (error instanceof CsvError) {
      throw apiError('csv_invalid', `The file is not valid CSV near line ${error.lines}.`, { cause: error });
    }
    throw error;
  }
  if (list.numbers.size === 0) {
    throw apiError('csv_invalid', 'The file has no row with a usable phone number.', {
      fields: { errors: list.errors.slice(0, 100) },
    });
  }
  return list;
}
