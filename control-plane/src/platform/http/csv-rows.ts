import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, type InfoRecord, parse } from 'csv-parse';
import { apiError } from './error-codes.js';
import { TextDecoding, UnreadableTextError } from './text-decoding.js';
import { nextTurn } from './turns.js';

/** Characters of one row; longer means that a quote was never closed. */
const LONGEST_ROW = 65_536;
/** Bytes that are parsed, and rows that are taken, before others get their turn. */
const PIECE_BYTES = 8192;
const ROWS_A_TURN = 100;
/** Rows without a value: what spreadsheets append to a list, and no more. */
const MOST_EMPTY_ROWS = 20_000;

export interface CsvReader {
  /** Takes a row that is not empty, with the line on which it ends. What it throws ends the reading. */
  row(cells: readonly string[], line: number): void;
  /** Takes a row that is no CSV. What it throws ends the reading. */
  malformed(row: { readonly line: number; readonly code: string; readonly message: string }): void;
}

/** Returns what ended the reading, in words for the client. */
function asRefusal(error: unknown): unknown {
  if (error instanceof UnreadableTextError) {
    return apiError('csv_invalid', 'The file is not text in UTF-8 or UTF-16.', { cause: error });
  }
  if (error instanceof CsvError) {
    return apiError('csv_invalid', `The file is not valid CSV near line ${error.lines}.`, { cause: error });
  }
  return error;
}

/** Gives the file in small pieces, with a turn for others between them. */
async function* inPieces(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of file) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      yield chunk.subarray(at, at + PIECE_BYTES);
      await nextTurn();
    }
  }
}

/**
 * Reads the rows of a CSV file (RFC 4180) as it comes in, and no further than the reader wants. 422 `csv_invalid`
 * where it is none at all.
 */
export async function readCsvRows(file: Readable, reader: CsvReader): Promise<void> {
  let malformedLine: number | undefined;
  let refused: { readonly reason: unknown } | undefined;
  /** Returns whether the reader goes on. */
  const offered = (give: () => void): boolean => {
    try {
      if (!refused) give();
    } catch (reason) {
      refused = { reason };
    }
    return !refused;
  };
  const parser = parse({
    info: true,
    // By itself the parser takes the first line's ending for that of all; joined files have several.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_records_with_error: true,
    trim: true,
    max_record_size: LONGEST_ROW,
    on_skip: (error) => {
      const line = error instanceof CsvError && typeof error.lines === 'number' ? error.lines : 0;
      // Of one bad row the parser complains at each of its quotes.
      if (line === malformedLine) return undefined;
      malformedLine = line;
      const goesOn = offered(() =>
        reader.malformed({
          line,
          code: 'row_malformed',
          message: 'The row cannot be read: a quote is misplaced, or it is too long.',
        }),
      );
      if (!goesOn) parser.destroy();
      return undefined;
    },
  });
  let rows = 0;
  let empty = 0;
  const take = (cells: readonly string[], line: number) => {
    if (!cells.every((cell) => cell === '')) reader.row(cells, line);
    else if (++empty > MOST_EMPTY_ROWS) {
      throw apiError('payload_too_large', `The file has more than ${MOST_EMPTY_ROWS} empty rows.`);
    }
  };
  try {
    await pipeline(file, inPieces, new TextDecoding(), parser, async (parsed) => {
      for await (const { record, info } of parsed as AsyncIterable<{ record: string[]; info: InfoRecord }>) {
        if (!offered(() => take(record, info.lines))) return;
        if (++rows % ROWS_A_TURN === 0) await nextTurn();
      }
    });
  } catch (error) {
    // A pipeline that is left before its source has ended rejects with an error of its own.
    if (!refused) throw asRefusal(error);
  }
  if (refused) throw refused.reason;
}

const OTHER_SEPARATORS = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
] as const;

/** Returns what to add to a complaint about the columns when the first line looks like another dialect's; else ''. */
export function separatorHint(first: readonly string[]): string {
  const other = first.length === 1 && OTHER_SEPARATORS.find(([separator]) => first[0]!.includes(separator));
  return other ? ` Columns are separated by commas; here they seem to be separated by ${other[1]}.` : '';
}
