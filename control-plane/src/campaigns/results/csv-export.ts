import { stringify } from 'csv-stringify/sync';
import type { ExtractedRow } from './schemas.js';

/** Rows of one export (specification, section 8). */
export const EXPORT_ROWS = 5000;

const FIXED = [
  'call_id',
  'contact_id',
  'phone',
  'first_name',
  'last_name',
  'started_at',
  'duration_seconds',
  'outcome',
  'outcome_score',
  'sentiment',
  'summary',
] as const satisfies readonly (keyof ExtractedRow)[];

/** What a spreadsheet takes for the beginning of a formula, full-width forms included (OWASP: CSV injection). */
const FORMULA = /^[\s]*[=+\-@\t\r\n＝＋－＠]/;
const PHONE = /^\+\d{1,15}$/;

/** Returns a value as a cell that no spreadsheet computes; numbers and telephone numbers stay as they are. */
export function cellOf(value: unknown): string | number {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return FORMULA.test(text) && !PHONE.test(text) ? `'${text}` : text;
}

/**
 * Returns the rows as CSV in UTF-8 with a byte order mark: the call's columns, then every field that any of them has. A
 * field that is named like a column of the call gets a prefix.
 */
export function exportCsv(rows: readonly ExtractedRow[]): string {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row.extracted_data ?? {})))];
  const header = fields.map((name) =>
    (FIXED as readonly string[]).includes(name) ? `extracted_${name}` : name,
  );
  return stringify(
    [
      [...FIXED, ...header].map(cellOf),
      ...rows.map((row) => [
        ...FIXED.map((column) => cellOf(row[column])),
        ...fields.map((name) => cellOf(row.extracted_data?.[name])),
      ]),
    ],
    { bom: true, record_delimiter: 'windows', quoted_match: /[\r\n]/ },
  );
}

/** `Content-Disposition` of a file named after the campaign (RFC 6266, with the name in RFC 5987 form). */
export function attachmentNamed(name: string): string {
  const printable = name.replace(/[\p{Cc}\p{Cf}/\\:*?"<>|\s]+/gu, ' ').trim() || 'campaign';
  const ascii =
    printable
      .normalize('NFKD')
      .replace(/[^\x20-\x7e]+/g, '')
      .trim() || 'campaign';
  const encoded = encodeURIComponent(`${printable}.csv`).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}.csv"; filename*=UTF-8''${encoded}`;
}
