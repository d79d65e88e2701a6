import { describe, expect, it } from 'vitest';
import { outlineOf } from './prompt.js';

describe('the outline of a prompt', () => {
  it('takes facts from prose and from lists, and leaves instructions out', () => {
    const { facts, steps } = outlineOf(`You are a friendly agent. Our shop sells bicycles. Always be polite.
## About us
- we open at nine
* Rental costs ten dollars a day.
Rules:
- Never give discounts.`);
    expect(facts).toEqual([
      'Our shop sells bicycles.',
      'We open at nine.',
      'Rental costs ten dollars a day.',
    ]);
    expect(steps).toEqual([]);
  });

  it.each([
    ['1. Ask: What is your name?', 'What is your name?'],
    ['2) "When shall we come?"', 'When shall we come?'],
    ["3. Ask for the caller's date of birth.", 'Could you tell me your date of birth?'],
    ['4. Ask whether they want a reminder', 'May I ask whether you want a reminder?'],
    ['5. Tell the customer that we will call back.', 'We will call back.'],
    ['6. How did you hear of us?', 'How did you hear of us?'],
  ])('says the step "%s" as "%s"', (line, said) => {
    expect(outlineOf(line).steps).toEqual([{ does: 'say', text: said }]);
  });

  it('takes bullets under a heading of questions as steps', () => {
    expect(outlineOf('Questions to ask:\n- How old is the car?\n- Is it insured?').steps).toEqual([
      { does: 'say', text: 'How old is the car?' },
      { does: 'say', text: 'Is it insured?' },
    ]);
  });

  it.each([
    ['1. Call find_slots.', [{ does: 'call', tool: 'find_slots' }]],
    ['1. Use the `lookup` tool.', [{ does: 'call', tool: 'lookup' }]],
    [
      '1. Ask for the day, then call find_slots with it.',
      [
        { does: 'say', text: 'Could you tell me the day?' },
        { does: 'call', tool: 'find_slots' },
      ],
    ],
    [
      '1. Look for free times with find_slots. Say: "I have found some times."',
      [
        { does: 'call', tool: 'find_slots' },
        { does: 'say', text: 'I have found some times.' },
      ],
    ],
    ['1. Call no_such_tool.', [{ does: 'call', tool: 'no_such_tool' }]],
    ['1. Use your own words?', [{ does: 'say', text: 'Use your own words?' }]],
  ])('takes a tool that the step "%s" names as a call, never as words', (line, steps) => {
    expect(outlineOf(line, ['find_slots', 'lookup']).steps).toEqual(steps);
  });

  it('never says to a caller how to use a tool', () => {
    expect(
      outlineOf('Before you say goodbye, write it down with save_row, once.', ['save_row']).facts,
    ).toEqual([]);
  });
});
