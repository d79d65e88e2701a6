import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { MAX_ROWS, readNumbersCsv } from './numbers-csv.js';

const read = (text: string) => readNumbersCsv(Readable.from([Buffer.from(text)]));
const numbersIn = async (text: string) => [...(await read(text)).numbers];
const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');

describe('a file of numbers', () => {
  it.each([
    ['phone', 'name,Phone\nAnn,+12125550110\n'],
    ['phone_number', 'name, Phone-Number \nAnn,+12125550110\n'],
    ['number', 'number,name\n+12125550110,Ann\n'],
    ['telephone', 'a,b,TELEPHONE\n1,2,+12125550110\n'],
    ['no name at all', '+12125550110,Ann\n'],
  ])('is read by the column of %s', async (_name, text) => {
    expect(await numbersIn(text)).toEqual(['+12125550110']);
  });

  it('has each number once, and lists by its line what is none', async () => {
    const list = await read('phone,name\n+12125550110,\n(212) 555-0110,\nabc,\n,Bob\n+12125550111,\n');
    expect([...list.numbers]).toEqual(['+12125550110', '+12125550111']);
    expect(list).toMatchObject({ rows: 5, errorCount: 2 });
    expect(list.errors).toEqual([
      { line: 4, code: 'phone_invalid', message: '"abc" is not a phone number.' },
      { line: 5, code: 'phone_invalid', message: '"" is not a phone number.' },
    ]);
  });

  it('counts a row without the column, and one that is no CSV, as refused', async () => {
    const list = await read('name,phone\nAnn\nBob,+12125550110\n"x"y,1\n');
    expect(list).toMatchObject({ rows: 3, errorCount: 2 });
    expect(list.errors).toEqual(
      expect.arrayContaining([
        { line: 2, code: 'phone_invalid', message: '"" is not a phone number.' },
        expect.objectContaining({ line: 4, code: 'row_malformed' }),
      ]),
    );
  });

  it('quotes 40 characters of what is no number', async () => {
    const { errors } = await read(`phone\n+12125550110\n${'x'.repeat(41)}\n`);
    expect(errors[0]!.message).toBe(`"${'x'.repeat(40)}" is not a phone number.`);
  });

  it('lists its first thousand errors and counts the others', async () => {
    const list = await read(`phone\n+12125550110\n${lines(1001, () => 'x')}\n`);
    expect([list.errors.length, list.errorCount]).toEqual([1000, 1001]);
  });

  it.each([
    ['has no usable number', `phone\n${lines(101, () => 'x')}\n`, 'no row with a usable phone number'],
    ['names no column of numbers', 'name,city\nAnn,Rome\n', 'one of them phone.'],
    ['is separated by something else', 'name;phone\nAnn;+12125550110\n', 'semicolons'],
    ['is empty', '', 'no row with a usable phone number'],
  ])('is refused where it %s', async (_what, text, words) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'csv_invalid',
      message: expect.stringContaining(words),
    });
  });

  it('shows a hundred of its errors where it has nothing else', async () => {
    const refused = await read(`phone\n${lines(101, () => 'x')}\n`).catch((error: unknown) => error);
    expect((refused as { fields: { errors: object[] } }).fields.errors).toHaveLength(100);
  });

  it('has at most so many rows, whatever is in them: by default 100,000', async () => {
    const three = (row: string) => Readable.from([Buffer.from(`phone\n+12125550110\n${row}\n${row}\n`)]);
    for (const row of ['x', '"x"y', '+12125550110']) {
      expect(await readNumbersCsv(three(row), 3)).toMatchObject({ rows: 3 });
      await expect(readNumbersCsv(three(row), 2)).rejects.toMatchObject({ code: 'payload_too_large' });
    }
    const malformed = Readable.from([Buffer.from('phone\n"x"y\n"x"y\n"x"y\n')]);
    await expect(readNumbersCsv(malformed, 2)).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(MAX_ROWS).toBe(100_000);
  });
});
