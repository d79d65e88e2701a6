import { describe, expect, it } from 'vitest';
import { parseParameters } from './tools.js';

describe('the arguments of a tool', () => {
  it('are a JSON object', () => {
    expect(parseParameters('{"type": "object"}')).toEqual({ ok: true, value: { type: 'object' } });
  });

  it.each([
    ['{"type":', 'This is no JSON'],
    ['[]', 'A schema is an object'],
    ['null', 'A schema is an object'],
  ])('say what is wrong with %s', (text, problem) => {
    expect(parseParameters(text)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });
});
