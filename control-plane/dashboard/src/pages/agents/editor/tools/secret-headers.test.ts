import { expect, it } from 'vitest';
import { enteredHeaders, keptNames, sentHeaders } from './secret-headers.js';

const STORED = ['Authorization', 'X-Key'];

it('sends nothing while all stored headers stay and none was entered', () => {
  expect(sentHeaders(STORED, STORED, {})).toBeUndefined();
  expect(keptNames(STORED, undefined)).toEqual(STORED);
});

it('names what stays, beside what was entered', () => {
  const sent = sentHeaders(STORED, ['X-Key'], { 'X-Team': 'sales' });
  expect(sent).toEqual({ 'X-Key': null, 'X-Team': 'sales' });
  expect([keptNames(STORED, sent), enteredHeaders(sent)]).toEqual([['X-Key'], { 'X-Team': 'sales' }]);
  expect(sentHeaders(STORED, [], {})).toEqual({});
});

it('replaces a stored header by an entered one of its name', () => {
  const sent = sentHeaders(STORED, STORED, { 'X-Key': 'new' });
  expect(sent).toEqual({ Authorization: null, 'X-Key': 'new' });
  expect(keptNames(STORED, sent)).toEqual(['Authorization']);
});
