import { describe, expect, it } from 'vitest';
import { renderVariables } from './variables.js';

describe('variables in prompts', () => {
  it.each([
    ['Hello {{name}}!', { name: 'Ada' }, 'Hello Ada!'],
    ['Hello {{ name }}!', { name: 'Ada' }, 'Hello Ada!'],
    ['{{n}} of {{n}}', { n: 3 }, '3 of 3'],
    ['ok: {{flag}}', { flag: false }, 'ok: false'],
    ['Hello {{missing}}.', {}, 'Hello .'],
    ['{{a}}', { a: '{{b}}', b: 'no' }, '{{b}}'],
    ['{{constructor}}', {}, ''],
    ['$& {{a}}', { a: '$&' }, '$& $&'],
    ['{ {name}} {name}', { name: 'x' }, '{ {name}} {name}'],
  ])('renders %j with %j', (template, variables, expected) => {
    expect(renderVariables(template, variables as Record<string, string | number | boolean>)).toBe(expected);
  });

  it('are refused where they make a text that no model reads', () => {
    const often = '{{a}}'.repeat(10_000);
    expect(renderVariables(often, { a: 'x'.repeat(20) })).toHaveLength(200_000);
    expect(() => renderVariables(often, { a: 'x'.repeat(4000) })).toThrow(
      expect.objectContaining({ status: 422, code: 'validation_error' }),
    );
  });
});
