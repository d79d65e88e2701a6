import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readContactsCsv } from '../../campaigns/contacts/contacts-csv.js';
import { readNumbersCsv } from '../../compliance/dnc/numbers-csv.js';
import { readCsvRows } from './csv-rows.js';

/** A file of which more is still to come. */
function stillComing(text: string): Readable {
  const file = new PassThrough();
  file.write(text);
  return file;
}

describe('a CSV file that is refused while it still comes in', () => {
  // @rule 4.24
  it.each([
    [
      'contacts without a column for the phone',
      readContactsCsv,
      'name;phone\nAnn;+15005550006\n',
      { status: 422, code: 'csv_invalid' },
    ],
    [
      'contacts with a column twice',
      readContactsCsv,
      'phone,a,a\n+15005550006,1,2\n',
      { status: 422, code: 'csv_invalid' },
    ],
    [
      'more than 10,000 contacts',
      readContactsCsv,
      `phone\n${Array.from({ length: 10_002 }, (_, i) => `+1212${String(5_550_000 + i)}`).join('\n')}\n`,
      { status: 413, code: 'too_many_contacts' },
    ],
    [
      'more than 10,000 rows that are no CSV',
      readContactsCsv,
      `phone\n${'"x"y\n'.repeat(10_002)}`,
      { status: 413, code: 'too_many_contacts' },
    ],
    [
      'more than 20,000 empty rows',
      readContactsCsv,
      `phone\n${',\n'.repeat(20_100)}`,
      { status: 413, code: 'payload_too_large' },
    ],
    [
      'more numbers than a file may have',
      (file: Readable) => readNumbersCsv(file, 1000),
      `phone\n${'1\n'.repeat(1100)}`,
      { status: 413, code: 'payload_too_large' },
    ],
    [
      'numbers without a column for them',
      readNumbersCsv,
      'name\nAnn\nBob\n',
      { status: 422, code: 'csv_invalid' },
    ],
  ] as const)('%s: the reason is given, not a fault of the service', async (_, read, text, refusal) => {
    await expect(read(stillComing(text))).rejects.toMatchObject(refusal);
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

  it('gets nothing of them where there are none', async () => {
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

  /** What was read of the text, and how often others had their turn meanwhile. */
  const turnsWhile = async (text: string) => {
    let turns = 0;
    let done = false;
    const count = () => {
      turns++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    const { rows } = await rowsOf(text);
    done = true;
    return { rows, turns };
  };

  it('leave others their turn: one at the least after each hundred of them', async () => {
    const { rows, turns } = await turnsWhile('x\n'.repeat(20_000));
    expect(rows).toHaveLength(20_000);
    expect(turns).toBeGreaterThanOrEqual(200);
  });

  it('leave others their turn after each 8 KiB as well, where there are few of them that are long', async () => {
    const { rows, turns } = await turnsWhile(`${'y'.repeat(1023)}\n`.repeat(1024));
    expect(rows).toHaveLength(1024);
    expect(turns).toBeGreaterThanOrEqual(128);
  });

  it('are read no further than the reader wants', async () => {
    let read = 0;
    async function* endless() {
      for (;;) {
        read += 65_536;
        yield Buffer.from('a,b\n'.repeat(16_384));
      }
    }
    const stop = new Error('enough');
    let taken = 0;
    const reader = {
      row: () => {
        if (++taken === 50_000) throw stop;
      },
      malformed: () => {},
    };
    await expect(readCsvRows(Readable.from(endless()), reader)).rejects.toBe(stop);
    // 50,000 rows of 4 bytes, and what the stages hold.
    expect(read).toBeLessThan(2 * 1024 * 1024);
  });

  it('are reported where a quote is misplaced', async () => {
    expect(await rowsOf('a\n"x"y\n')).toMatchObject({ rows: [[1, 'a']], malformed: [2] });
  });

  it('are refused as a whole when the bytes are no text', async () => {
    const file = Readable.from([Buffer.from('name\nZo\xeb\n', 'latin1')]);
    await expect(readCsvRows(file, { row: () => {}, malformed: () => {} })).rejects.toMatchObject({
      code: 'csv_invalid',
    });
  });
});
