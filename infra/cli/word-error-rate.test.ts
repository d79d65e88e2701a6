import { describe, expect, it } from 'vitest';
import { wordErrors } from './word-error-rate.js';

describe('word errors', () => {
  it.each([
    ['Yes, please, that would be good.', 'yes please. That would be good', 0, 6],
    ['My name is Sam Taylor.', 'My name is Santailor.', 2, 5],
    ['No, that is all, thank you, goodbye!', 'No, that is all. thank you. good-bye.', 0, 7],
    ['What happens at the check-up?', 'What happens at the checkup?', 0, 5],
    ['In the morning, please.', 'In the the morning', 2, 4],
    ['Hello.', '', 1, 1],
    ['', 'You', 1, 0],
  ])('of "%s" heard as "%s" are %i of %i', (said, heard, errors, words) => {
    expect(wordErrors(said, heard)).toEqual({ errors, words });
  });
});
