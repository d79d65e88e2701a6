import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, type InfoRecord, parse } from 'csv-parse';
import { apiError } from './error-codes.js';
import { TextDecoding, UnreadableTextError } from './text-decoding.js';

/** Characters of one row; longer means that a quote was never closed. */
const LONGEST_ROW = 65_536;

export interface CsvReader {
  /** Takes a row that is not empty, with the line on which it ends. What it throws ends the reading. */
  row(cells: readonly string[], line: number): void;
  /** Told of a row that is no CSV. */
  malformed(row: { readonly line: number; readonly code: string; readonly message: string }): void;
}

/** What ended the reading, as a client is told. */
function asRefusal(error: unknown): unknown {
  if (error instanceof UnreadableTextError) {
    return apiError('csv_invalid', 'The file is not text in UTF-8 or UTF-16.', { cause: error });
  }
  if (error instanceof CsvError) {
    return apiError('csv_invalid', `The file is not valid CSV near line ${error.lines}.`, { cause: error });
  }
  return error;
}

/** Reads the rows of a CSV file (RFC 4180) as it comes in. 422 `csv_invalid` where it is none at all. */
export async function readCsvRows(file: Readable, reader: CsvReader): Promise<void> {
  let malformedLine: number | undefined;
  const parser = parse({
    info: true,
    // By itself the parser takes the first line's ending for that of all; joined files have several.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    skip_records_with_error: true,
    trim: true,
    max_record_size: LONGEST_ROW,
    on_skip: (error) => {
      const line = error instanceof CsvError && typeof error.lines === 'number' ? error.lines : 0;
      // Of one bad row the parser complains at each of its quotes.
      if (line === malformedLine) return undefined;
      malformedLine = line;
      reader.malformed({
        line,
        code: 'row_malformed',
        message: 'The row cannot be read: a quote is misplaced, or it is too long.',
      });
      return undefined;
    },
  });
  let refused: { readonly reason: unknown } | undefined;
  try {
    await pipeline(file, new TextDecoding(), parser, async (rows) => {
      for await (const { record, info } of rows as AsyncIterable<{ record: string[]; info: InfoRecord }>) {
        try {
          reader.row(record, info.lines);
        } catch (reason) {
          refused = { reason };
          throw reason;
        }
      }
    });
  } catch (error) {
    // A pipeline that is left before its source has ended rejects with an AbortError of its own.
    throw refused ? refused.reason : asRefusal(error);
  }
}

const OTHER_SEPARATORS = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
] as const;

/** What to add to a complaint about the columns when the first line looks like another dialect's; else ''. */
export function separatorHint(first: readonly string[]): string {
  const other = first.length === 1 && OTHER_SEPARATORS.find(([separator]) => first[0]!.includes(separator));
  return other ? ` Columns are separated by commas; here they seem to be separated by ${other[1]}.` : '';
}
