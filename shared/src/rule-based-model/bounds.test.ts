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
    const tools = Array.from({ length: 5000 }, (_, index) => `tool_${index}`).join(' ');
    const prompts = ['. '.repeat(25_000), 'a?\n'.repeat(25_000), '1. a\n'.repeat(25_000), `1. ${tools}`];
    for (const prompt of prompts) {
      const { facts, steps } = outlineOf(prompt, ['book_it']);
      expect(facts.length + steps.length).toBeLessThanOrEqual(1001);
    }
  });

  it.each([' ', '\t', '“'])('a prompt of %j repeated is read in time linear in its length', (part) => {
    const long = part.repeat(200_000 / part.length);
    for (const start of ['', '1. call find_slots a', '1. ask: a', '- a', '# a', '#', 'a. ']) {
      const { facts, steps } = outlineOf(`${start}${long}b`, ['find_slots']);
      expect(facts.length + steps.length).toBeLessThanOrEqual(1000);
    }
  });

  it('white space in a prompt means the same however much there is', () => {
    const prompt = '1. Ask for the day,  and  then\tcall find_slots.\n#  Facts\n-  We open\u00a0 at nine.';
    expect(outlineOf(prompt, ['find_slots'])).toEqual(
      outlineOf(prompt.replace(/[^\S\n]+/g, ' '.repeat(1000)), ['find_slots']),
    );
  });

  it('an answer of full stops is understood in time linear in its length', () => {
    const tool = {
      name: 'save_note',
      description: '',
      parameters: { type: 'object', properties: { reason: { type: 'string' } }, required: ['reason'] },
    };
    const reply = answer(
      [
        { role: 'system', content: '1. Call save_note.' },
        { role: 'assistant', content: 'Could you tell me your reason?' },
        { role: 'user', content: `It ${'.'.repeat(200_000)} rained` },
      ],
      [tool],
      CIRCUMSTANCES.now,
    );
    expect(reply.calls.map(({ name }) => name)).toEqual(['save_note']);
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
