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
});
