import { describe, expect, it } from 'vitest';
import { CascadedStage } from './testing/cascaded-stage.js';

const ANSWER = '<think>They owe us.</think>Your total is **$42.50** for today 👍. Shall I send it to you?';

describe('what a call says of what its model writes', () => {
  it('is words; transcript and history keep the writing', async () => {
    const stage = new CascadedStage({ answers: [ANSWER, 'Goodbye.'], firstMessage: 'Hi, it is **Anna**.' });
    await stage.pass(3000);
    await stage.callerSays('How much is it?');
    await stage.pass(9000);
    await stage.callerSays('No, thank you.');
    await stage.pass(3000);
    expect(stage.spoken).toEqual([
      'Hi, it is Anna.',
      'Your total is forty-two dollars and fifty cents for today.',
      'Shall I send it to you?',
      'Goodbye.',
    ]);
    const written = 'Your total is **$42.50** for today 👍. Shall I send it to you?';
    expect(stage.turns()[2]).toBe(`agent: ${written}`);
    expect(stage.model.requests.at(-1)?.messages).toContainEqual({ role: 'assistant', content: written });
  });

  it('counts as heard by what was said of it, when the caller interrupts', async () => {
    const stage = new CascadedStage({ answers: [ANSWER, 'Goodbye.'] });
    await stage.pass(200);
    await stage.callerSays('How much is it?');
    // The first words are out, the amount is being said.
    await stage.pass(1700);
    await stage.callerSays('Stop, that will do.');
    await stage.pass(3000);
    expect(stage.turns()[1]).toBe('agent: Your total is —');
    expect(stage.model.requests.at(-1)?.messages).toContainEqual({
      role: 'assistant',
      content: 'Your total is',
    });
  });
});
