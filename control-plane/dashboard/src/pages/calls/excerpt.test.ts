import { expect, it } from 'vitest';
import { excerptOf } from './excerpt.js';

it('begins a little before the words, at the beginning of a word', () => {
  const text = 'Good morning, I would like to know whether there is Parking at the clinic.';
  expect(excerptOf(text, 'parking')).toEqual({
    before: '…there is ',
    words: 'Parking',
    after: ' at the clinic.',
  });
});

it.each([
  ['Parking?', 'park', { before: '', words: 'Park', after: 'ing?' }],
  ['Nothing of it.', 'park', { before: 'Nothing of it.', words: '', after: '' }],
])('shows %j whole', (text, words, excerpt) => expect(excerptOf(text, words)).toEqual(excerpt));
