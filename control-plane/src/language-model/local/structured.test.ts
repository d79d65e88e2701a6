import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { labelFor, signalIn } from './signals.js';
import { answerByRules } from './structured.js';

const choice = { provider: 'local', model: '', params: {} };
const ask = <T>(purpose: string, schema: z.ZodType<T>, user: string) =>
  answerByRules({ choice, system: '', user, schema, purpose }).value;

describe('what a conversation came to', () => {
  it.each([
    ['', 'nobody_spoke'],
    ['Please remove me from your list.', 'do_not_call'],
    ['You have the wrong number.', 'wrong_number'],
    ['I am not interested, thank you.', 'refused'],
    ['Call me back later, please.', 'call_back'],
    ['Yes, Tuesday works.', 'agreed'],
    ['It is raining here.', 'answered'],
  ])('%j is %s', (said, signal) => {
    expect(signalIn(said, false)).toBe(signal);
  });

  it.each([
    ['agreed', ['booked', 'call_back', 'not_interested'], 'booked'],
    ['call_back', ['booked', 'call_back', 'not_interested'], 'call_back'],
    ['refused', ['Appointment made', 'Declined'], 'Declined'],
    ['do_not_call', ['sold', 'not sold'], 'not sold'],
    ['nobody_spoke', ['won', 'lost'], 'lost'],
    ['agreed', [], null],
  ] as const)('%s among %j is %j', (signal, labels, label) => {
    expect(labelFor(signal, labels)).toBe(label);
  });
});

describe('an analysis by rules', () => {
  const schema = z.object({
    outcome: z.enum(['booked', 'not_interested']),
    outcome_score: z.number().min(0).max(1),
    summary: z.string().min(1),
    sentiment: z.enum(['positive', 'neutral', 'negative']),
    scorecard: z.object({ politeness: z.object({ score: z.number(), reason: z.string() }) }),
    extracted_data: z.object({
      name: z.union([z.string(), z.null()]),
      email: z.union([z.string(), z.null()]),
      children: z.union([z.number(), z.null()]),
    }),
  });
  const transcript = [
    'Ended by: caller_hangup',
    'agent: Hello. May I have your name?',
    'caller: My name is Grace Hopper.',
    'agent: How many children do you have?',
    'caller: Two. What does it cost?',
    'agent: Eighty dollars. Shall I book it?',
    'caller: Yes, that works. Thank you.',
  ].join('\n');

  it('returns outcome, summary, sentiment and score, and extracts what was said', () => {
    const analysis = ask('analysis', schema, transcript);
    expect(analysis).toMatchObject({ outcome: 'booked', sentiment: 'positive' });
    expect(analysis.extracted_data).toEqual({ name: 'Grace Hopper', email: null, children: 2 });
    expect(analysis.summary).toContain('What does it cost?');
    expect(analysis.scorecard.politeness.score).toBeGreaterThan(0.5);
  });

  it('takes a value that the schema of its field refuses for none', () => {
    const email = z.string().endsWith('@b.example').nullable();
    const narrow = z.object({ extracted_data: z.object({ email, name: z.string().nullable() }) });
    const said = 'agent: Your name and your email?\ncaller: My name is Grace. Write to grace@a.example.';
    expect(ask('analysis', narrow, said).extracted_data).toEqual({ email: null, name: 'Grace' });
  });

  it('looks for a hundred fields, in time linear in what was said', () => {
    const fields = Array.from({ length: 150 }, (_, i) => [`email_${i}`, z.string().nullable()] as const);
    const many = z.object({ extracted_data: z.object(Object.fromEntries(fields)) });
    const mail = 'caller: Mine is ann@a.example.';
    const found = Object.values(
      ask('analysis', many, `caller: ${'a'.repeat(90_000)}\n${mail}`).extracted_data,
    );
    expect(found.filter((value) => value === 'ann@a.example')).toHaveLength(100);
    expect(found.slice(100)).toEqual(Array(50).fill(null));
  });

  it('invents nothing: a field that nobody filled and that must not be null is an invalid answer', () => {
    const strict = z.object({ extracted_data: z.object({ email: z.string() }) });
    expect(() => ask('analysis', strict, transcript)).toThrow(
      expect.objectContaining({ code: 'language_model_invalid_answer' }),
    );
  });
});

describe('criteria by rules', () => {
  const schema = z.object({
    outcome_labels: z.array(z.string()).min(2),
    success_criteria: z.string(),
    extraction_schema: z.record(z.string(), z.unknown()),
  });

  it.each([
    ['Book demos with owners; get their email', 'booked', 'email'],
    ['Collect overdue invoices', 'promised_to_pay', 'amount'],
    ['Say hello', 'goal_reached', 'notes'],
  ])('%s', (goal, label, field) => {
    const criteria = ask('criteria', schema, goal);
    expect(criteria.outcome_labels[0]).toBe(label);
    expect(criteria.extraction_schema).toMatchObject({ type: 'object', properties: { [field]: {} } });
  });

  it('any other question gets an empty list, or none', () => {
    expect(ask('insights', z.object({ insights: z.array(z.string()) }), 'x')).toEqual({ insights: [] });
    expect(() => ask('riddle', z.object({ answer: z.string() }), 'x')).toThrow(/no answer for answer/);
  });
});
