import { describe, expect, it } from 'vitest';
import { promptProblems, variablesOf } from './prompt-lint.js';

describe('the variables of a prompt', () => {
  it('are listed once, in their order, from all texts', () => {
    expect(variablesOf('Hello {{ first_name }}, {{city}}.', '{{first_name}}! {{ 9 }}')).toEqual([
      'first_name',
      'city',
    ]);
  });
});

describe('problems of a prompt', () => {
  const found = (text: string) =>
    promptProblems(text).map(({ from, to, message }) => [text.slice(from, to), message.split('.')[0]]);

  it('are variables that are not closed, or have no name', () => {
    expect(found('Hi {{name\nand {{9 lives}}.')).toEqual([
      ['{{', 'This variable is not closed'],
      ['{{9 lives}}', 'No variable has such a name'],
    ]);
  });

  it('are single braces around a name', () => {
    expect(found('Hi {name}.')).toEqual([['{name}', 'This is said as it is written']]);
  });

  it('are not in a prompt that is right', () => expect(found('Hi {{name}}, say {"a": 1}.')).toEqual([]));
});
