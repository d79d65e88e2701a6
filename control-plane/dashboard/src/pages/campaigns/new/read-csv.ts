import Papa from 'papaparse';
import { type FileRow, MOST_CONTACTS } from './contacts-csv.js';

export interface CsvFile {
  readonly name: string;
  readonly header: readonly string[];
  readonly rows: readonly FileRow[];
}

const LARGEST_BYTES = 16 * 1024 * 1024;

/** Decodes a file as spreadsheets save it: UTF-16 with a byte order mark, else UTF-8. Throws with a sentence. */
export function decodeCsv(bytes: Uint8Array): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new Error('The file is not text in UTF-8 or UTF-16. Save it as “CSV UTF-8”.');
  }
}

/** Returns what separates the columns: the candidate that the first line has most of, outside of quotes. */
function separatorOf(text: string): string {
  const header = text.trimStart().split(/[\r\n]/, 1)[0] ?? '';
  const unquoted = header.replace(/"[^"]*"/g, '');
  const times = (separator: string) => unquoted.split(separator).length;
  return [',', ';', '\t', '|'].reduce((best, one) => (times(one) > times(best) ? one : best));
}

/** The line by which a file names the separator of its columns to Excel; a spreadsheet does not show it. */
const NAMED_SEPARATOR = /^sep=(.)\r?\n/i;

/** Splits the text of a CSV file into header and rows; empty lines are left out. Throws with a sentence. */
export function parseCsv(name: string, whole: string): CsvFile {
  const [first = '', named] = NAMED_SEPARATOR.exec(whole) ?? [];
  const text = whole.slice(first.length);
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: named ?? separatorOf(text) });
  const broken = errors.find(({ type }) => type === 'Quotes');
  if (broken !== undefined) {
    throw new Error(
      `The quotes of row ${(broken.row ?? 0) + 1} do not match. Correct the file and try again.`,
    );
  }
  const [header, ...rows] = data
    .map((cells, index) => ({ row: index + 1, cells }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (header === undefined) throw new Error('The file is empty.');
  if (rows.length === 0) throw new Error('The file has a header and no rows.');
  if (rows.length > MOST_CONTACTS) {
    throw new Error(
      `The file has ${rows.length.toLocaleString('en-US')} rows; a campaign takes ${MOST_CONTACTS.toLocaleString('en-US')}. Split it.`,
    );
  }
  return { name, header: header.cells, rows };
}

/** Reads a dropped or chosen file. Throws with a sentence. */
export async function readCsv(file: File): Promise<CsvFile> {
  if (file.size > LARGEST_BYTES) throw new Error('The file is larger than 16 MiB.');
  return parseCsv(file.name, decodeCsv(new Uint8Array(await file.arrayBuffer())));
}
