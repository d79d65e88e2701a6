import { describe, expect, it } from 'vitest';
import { CascadedStage } from './testing/cascaded-stage.js';

const ANSWER = 'We are open until six. After that, you can leave a message with my colleague.';

/** Lets the caller ask; their turn is not over yet, and the model has answered. */
async function askedAhead(mode: 'off' | 'llm' | 'llm_and_voice'): Promise<CascadedStage> {
  const stage = new CascadedStage({
    answers: [ANSWER, 'And on Sunday until five.'],
    turnTaking: { preemptive_generation: mode },
  });
  await stage.pass(500);
  stage.recogniser.speechStarted();
  await stage.pass(800);
  stage.recogniser.speechStopped();
  await stage.pass(60);
  stage.recogniser.transcribes('When do you close?');
  await stage.pass(100);
  expect(stage.carrier).not.toContain('audio');
  return stage;
}

describe('what of an answer is made before the turn is sure', () => {
  it.each([
    ['off', 0, []],
    ['llm', 1, []],
    ['llm_and_voice', 1, ['We are open until six.']],
  ] as const)('is with %s: %i request, and of the voice %j', async (mode, requests, spoken) => {
    const stage = await askedAhead(mode);
    expect(stage.model.requests).toHaveLength(requests);
    expect(stage.spoken).toEqual(spoken);
    await stage.pass(8000);
    expect(stage.carrier).toContain('audio');
    expect(stage.turns()).toEqual(['caller: When do you close?', `agent: ${ANSWER}`]);
    expect(stage.spoken.join(' ')).toBe(ANSWER);
  });

  it.each(['llm', 'llm_and_voice'] as const)(
    'is never heard with %s when the caller goes on',
    async (mode) => {
      const stage = await askedAhead(mode);
      stage.recogniser.speechStarted();
      await stage.pass(400);
      stage.recogniser.transcribes('on Sundays', false);
      stage.recogniser.speechStopped();
      await stage.pass(60);
      stage.recogniser.transcribes('on Sundays');
      await stage.pass(8000);
      expect(stage.turns()).toEqual([
        'caller: When do you close? on Sundays',
        'agent: And on Sunday until five.',
      ]);
      const heard = stage.spoken.filter((text) => text.includes('message'));
      expect(heard).toEqual([]);
    },
  );
});
