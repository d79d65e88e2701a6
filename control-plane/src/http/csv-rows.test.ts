import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readContactsCsv } from '../campaigns/contacts/contacts-csv.js';
import { readNumbersCsv } from '../compliance/dnc/numbers-csv.js';
import { readCsvRows } from './csv-rows.js';

/** A file of which more is still to come. */
function stillComing(text: string): Readable {
  const file = new PassThrough();
  file.write(text);
  return file;
}

describe('a CSV file that is refused while it still comes in', () => {
  it.each([
    [
      'contacts without a column for the phone',
      readContactsCsv,
      'name;phone\nAnn;+15005550006\n',
      'csv_invalid',
    ],
    ['contacts with a column twice', readContactsCsv, 'phone,a,a\n+15005550006,1,2\n', 'csv_invalid'],
    [
      'more than 10,000 contacts',
      readContactsCsv,
      `phone\n${Array.from({ length: 10_002 }, (_, i) => `+1212${String(5_550_000 + i)}`).join('\n')}\n`,
      'too_many_contacts',
    ],
    ['numbers without a column for them', readNumbersCsv, 'name\nAnn\nBob\n', 'csv_invalid'],
  ] as const)('%s: the reason is told, not a fault of the service', async (_, read, text, code) => {
    await expect(read(stillComing(text))).rejects.toMatchObject({ status: 422, code });
  });
});

describe('a file whose columns are not separated by commas', () => {
  it.each([
    ['semicolons', readContactsCsv, 'phone;first_name\n+15005550006;Ann\n'],
    ['tabs', readContactsCsv, 'phone\tfirst_name\n+15005550006\tAnn\n'],
    ['semicolons', readNumbersCsv, 'number;note\n+15005550006;asked\n'],
  ] as const)('is refused with a word about its %s', async (separators, read, text) => {
    await expect(read(Readable.from([Buffer.from(text)]))).rejects.toMatchObject({
      code: 'csv_invalid',
      message: expect.stringContaining(`separated by ${separators}`),
    });
  });

  it('is told nothing of them where there are none', async () => {
    await expect(readContactsCsv(Readable.from([Buffer.from('name\nAnn\n')]))).rejects.toMatchObject({
      message: 'The first line must name the columns, one of them phone or phone_number.',
    });
  });
});

describe('the rows of a CSV file', () => {
  const rowsOf = async (text: string) => {
    const rows: [number, ...string[]][] = [];
    const malformed: number[] = [];
    await readCsvRows(Readable.from([Buffer.from(text)]), {
      row: (cells, line) => rows.push([line, ...cells]),
      malformed: ({ line }) => malformed.push(line),
    });
    return { rows, malformed };
  };

  it('come with the line on which they end; empty ones are left out', async () => {
    expect(await rowsOf('a,b\r\n\r\n"x\ny",2\n,\n3,4')).toEqual({
      rows: [
        [1, 'a', 'b'],
        [4, 'x\ny', '2'],
        [6, '3', '4'],
      ],
      malformed: [],
    });
  });

  it('are told where a quote is misplaced', async () => {
    expect(await rowsOf('a\n"x"y\n')).toMatchObject({ rows: [[1, 'a']], malformed: [2] });
  });

  it('are refused as a whole when the bytes are no text', async () => {
    const file = Readable.from([Buffer.from('name\nZo\xeb\n', 'latin1')]);
    await expect(readCsvRows(file, { row: () => {}, malformed: () => {} })).rejects.toMatchObject({
      code: 'csv_invalid',
    });
  });
});
