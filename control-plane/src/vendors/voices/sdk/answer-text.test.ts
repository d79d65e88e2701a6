import { expect, it } from 'vitest';
import { answerText } from './answer-text.js';

it('an answer is written out for the SDK without what is null', () => {
  const answer = { voices: [{ id: 'a', labels: { accent: null, gender: 'female' } }], token: null, count: 0 };
  expect(answerText(answer)).toBe('{"voices":[{"id":"a","labels":{"gender":"female"}}],"count":0}');
  expect([answerText(undefined), answerText(null)]).toEqual([undefined, undefined]);
});
