import { describe, expect, it } from 'vitest';
import { answer } from './answer.js';
import { outlineOf } from './prompt.js';
import { completed } from './tools.js';
import { means } from './understanding.js';

const CIRCUMSTANCES = { said: ['Hello.'], now: Date.UTC(2026, 10, 22), offered: [] };
const madeUp = (parameters: Record<string, unknown>) =>
  completed({ name: 'book', description: '', parameters }, {}, CIRCUMSTANCES);
const valuesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, member) => sum + valuesIn(member), 1)
    : 1;

describe("whatever a tool's schema wants", () => {
  it.each<[string, object]>([
    ['a list of a billion', { type: 'array', minItems: 1_000_000_000, items: { type: 'integer' } }],
    [
      'lists of lists of lists',
      {
        type: 'array',
        minItems: 1000,
        items: { type: 'array', minItems: 1000, items: { type: 'array', minItems: 1000 } },
      },
    ],
    [
      'the same member again and again, in each of its members',
      Array.from({ length: 8 }).reduce<object>(
        (inner) => ({ type: 'object', required: Array(100).fill('a'), properties: { a: inner } }),
        { type: 'integer' },
      ),
    ],
  ])('no more than a few hundred values are made up: %s', (_, schema) => {
    const made = madeUp({ type: 'object', properties: { x: schema }, required: ['x'] });
    expect(valuesIn(made)).toBeGreaterThan(2);
    expect(valuesIn(made)).toBeLessThan(300);
  });

  it('a text is made up to a thousand characters', () => {
    const properties = { x: { type: 'string', minLength: 1_000_000_000 } };
    expect(String(madeUp({ type: 'object', properties, required: ['x'] }).x)).toHaveLength(1000);
  });
});

describe('whatever a prompt or a caller says', () => {
  it('no more than a thousand parts of a prompt are read', () => {
    for (const prompt of ['. '.repeat(25_000), 'a?\n'.repeat(25_000), '1. a\n'.repeat(25_000)]) {
      const { facts, steps } = outlineOf(prompt, ['book_it']);
      expect(facts.length + steps.length).toBeLessThanOrEqual(1001);
    }
  });

  it('is understood in time linear in its length', () => {
    for (const said of ['talk ', 'robot ', 'a', '0', 'speak a ', '1-']) {
      const text = said.repeat(200_000 / said.length);
      expect(means('human', text) || means('robot', text)).toBe(false);
      const tool = {
        name: 'write_email',
        description: 'Writes an email.',
        parameters: { type: 'object', properties: { email: { type: 'string' } }, required: ['email'] },
      };
      const reply = answer([{ role: 'user', content: `${text} email` }], [tool], CIRCUMSTANCES.now);
      expect(reply.calls).toEqual([]);
    }
  });
});
