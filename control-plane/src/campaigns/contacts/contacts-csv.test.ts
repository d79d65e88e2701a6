import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readContactsCsv } from './contacts-csv.js';

const read = (file: string) => readContactsCsv(Readable.from([Buffer.from(file)]));

it('leaves out a contact whose custom fields are longer than the API takes them', async () => {
  const rest = (length: number) => 'x'.repeat(length - '{"note":""}'.length);
  const list = await read(`phone,note\n+14155550100,${rest(16_384)}\n+14155550101,${rest(16_385)}\n`);
  expect(list.contacts.map(({ phone }) => phone)).toEqual(['+14155550100']);
  expect(list.errors).toMatchObject([{ line: 3, code: 'contact_data_too_long' }]);
});

it('refuses a name of a column that every contact would carry, however long it is', async () => {
  expect((await read(`phone,${'n'.repeat(128)}\n+14155550100,1\n`)).contacts).toHaveLength(1);
  await expect(read(`phone,${'n'.repeat(129)}\n+14155550100,1\n`)).rejects.toMatchObject({
    code: 'csv_invalid',
  });
});
