import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LlmMessage, LlmTool } from '../language-model/conversation.js';
import { type Answer, answer } from './answer.js';

/** A Sunday. */
const NOW = Date.parse('2026-11-22T10:00:00Z');
const findSlotsArguments = z.strictObject({
  from: z.iso.datetime({ offset: true }),
  to: z.iso.datetime({ offset: true }),
  duration_minutes: z.number().int().min(5).max(480),
});
const bookArguments = z.strictObject({
  start: z.iso.datetime({ offset: true }),
  name: z.string().min(1),
  email: z.email(),
  guests: z.array(z.string()),
  reminder: z.boolean(),
  kind: z.enum(['check_up', 'emergency']),
  notes: z.string().max(10).optional(),
});
const tool = (name: string, description: string, schema: z.ZodType): LlmTool => ({
  name,
  description,
  parameters: z.toJSONSchema(schema) as Record<string, unknown>,
});
const FIND = tool('find_slots', 'Finds free times in the calendar.', findSlotsArguments);
const BOOK = tool('create_event', 'Makes an event in the calendar.', bookArguments);
const END: LlmTool = {
  name: 'end_call',
  description: 'Ends the call.',
  parameters: { type: 'object', properties: {} },
};

const PROMPT = `You are a receptionist.

Steps:
1. Ask: Which day suits you best?
2. Call find_slots.
3. Ask: Which of these times do you take?
4. Ask for their full name and use create_event to book it.
5. Call end_call.`;

/** Plays the caller's lines and the tools' results as the pipeline would. */
function converse(
  lines: readonly string[],
  results: Readonly<Record<string, string>>,
  tools = [FIND, BOOK, END],
) {
  const messages: LlmMessage[] = [{ role: 'system', content: PROMPT }];
  const turns: Answer[] = [];
  const take = () => {
    for (let round = 0; round < 4; round++) {
      const reply = answer(messages, tools, NOW);
      turns.push(reply);
      const toolCalls = reply.calls.map(({ name, arguments: args }, index) => ({
        id: `${messages.length}-${index}`,
        name,
        arguments: JSON.stringify(args),
      }));
      messages.push({ role: 'assistant', content: reply.text, toolCalls });
      const answered = toolCalls.filter(({ name }) => results[name] !== undefined);
      for (const { id, name } of answered)
        messages.push({ role: 'tool', toolCallId: id, content: results[name]! });
      if (answered.length === 0) return;
    }
  };
  take();
  for (const line of lines) {
    messages.push({ role: 'user', content: line });
    take();
  }
  return turns;
}

describe('steps that name tools', () => {
  const turns = converse(
    ['Tuesday would be fine.', 'The first one.', 'My name is Sam Taylor.', 'sam@example.com'],
    {
      find_slots: JSON.stringify({ slots: ['2026-11-24T09:00:00Z', '2026-11-24T09:30:00Z'] }),
      create_event: '{"message":"It is booked."}',
    },
  );
  const calls = turns.flatMap((turn) => turn.calls);

  it('are carried out in their order, once each', () => {
    expect(calls.map(({ name }) => name)).toEqual(['find_slots', 'create_event', 'end_call']);
  });

  it('are never said aloud', () => {
    for (const { text } of turns)
      expect(text).not.toMatch(/find_slots|create_event|end_call|\b(?:call|use)\b/i);
  });

  it('give arguments that fit the tools’ schemas, from what the caller has said', () => {
    expect(findSlotsArguments.parse(calls[0]!.arguments)).toEqual({
      from: '2026-11-24T09:00:00.000Z',
      to: '2026-11-24T17:00:00.000Z',
      duration_minutes: 5,
    });
    expect(bookArguments.parse(calls[1]!.arguments)).toMatchObject({
      start: '2026-11-24T09:00:00Z',
      name: 'Sam Taylor',
      email: 'sam@example.com',
      kind: 'check_up',
    });
  });

  it('say what the tool found, and go on', () => {
    expect(turns.map(({ text }) => text).join(' ')).toMatch(
      /slots: 2026-11-24T09:00:00Z or 2026-11-24T09:30:00Z\. Which of these times do you take\?/,
    );
  });

  it('are left out, in silence, where the agent has no such tool', () => {
    const without = converse(['Tuesday.', 'Any.', 'Sam.'], {}, [END]);
    expect(without.map(({ text }) => text).join(' ')).not.toMatch(/find_slots|create_event/);
    expect(without.flatMap(({ calls }) => calls.map(({ name }) => name))).toEqual(['end_call']);
  });

  it('call even when the caller says nothing that helps, with all that is required', () => {
    const [call] = converse(['I do not mind.'], { find_slots: 'None.' }).flatMap((turn) => turn.calls);
    expect(findSlotsArguments.parse(call!.arguments).from).toBe('2026-11-23T09:00:00.000Z');
  });
});
