import { TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { expect, it } from 'vitest';
import { ContactList } from './contact-list.js';

const contact = (phone: string) => ({ phone, firstName: null, lastName: null, data: {} });

it('counts every duplicate that was dropped, also beyond those that it names, and none that was kept', () => {
  const list = new ContactList();
  for (let line = 1; line <= 1251; line++) list.add(contact('+14155550100'), line);
  expect([list.contacts.length, list.duplicateCount]).toEqual([1, 1250]);
  expect(list.duplicates).toHaveLength(1000);
  const { number } = TEST_NUMBERS[0]!;
  for (let line = 1252; line <= 1261; line++) list.add(contact(number), line);
  expect([list.rows, list.contacts.length, list.duplicateCount]).toEqual([1261, 11, 1250]);
});
