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

async function callerGoesOn(stage: CascadedStage): Promise<void> {
  stage.recogniser.speechStarted();
  await stage.pass(400);
  stage.recogniser.transcribes('on Sundays', false);
  stage.recogniser.speechStopped();
  await stage.pass(60);
  stage.recogniser.transcribes('on Sundays');
  await stage.pass(8000);
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

  it.each(['llm', 'llm_and_voice'] as const)('is never heard with %s when they go on', async (mode) => {
    const stage = await askedAhead(mode);
    await callerGoesOn(stage);
    expect(stage.turns()).toEqual([
      'caller: When do you close? on Sundays',
      'agent: And on Sunday until five.',
    ]);
    expect(stage.spoken.filter((text) => text.includes('message'))).toEqual([]);
  });

  it('is in the usage as used in vain when it is dropped, as a part of what was used', async () => {
    const stage = await askedAhead('llm_and_voice');
    await callerGoesOn(stage);
    stage.line.listener?.onClosed();
    const [ended] = stage.of('ended');
    expect(ended?.usage).toMatchObject({
      llm: { input_tokens: 20, output_tokens: 10 },
      tts: { characters: 'We are open until six.'.length + 'And on Sunday until five.'.length },
      wasted: [
        { kind: 'llm', reason: 'dropped_guess', input_tokens: 10, output_tokens: 5 },
        { kind: 'tts', reason: 'dropped_guess', characters: 'We are open until six.'.length },
      ],
    });
    expect(stage.statistics.guesses.dropped).toBe(1);
    expect(stage.statistics.wasted()).toMatchObject([
      { reason: 'dropped_guess', inputTokens: 10, outputTokens: 5, characters: 22 },
    ]);
  });

  it('is in the usage as used in vain as far as a caller who interrupts did not hear it', async () => {
    const stage = await askedAhead('llm');
    await stage.pass(1400);
    stage.recogniser.speechStarted();
    await stage.pass(200);
    stage.recogniser.transcribes('no wait stop', false);
    await stage.pass(400);
    stage.line.listener?.onClosed();
    const [ended] = stage.of('ended');
    const cut = stage.of('turn').find(({ turn }) => turn.role === 'agent')?.turn;
    expect(cut?.interrupted).toBe(true);
    expect(ended?.usage.wasted).toMatchObject([
      { kind: 'llm', reason: 'cut_speech', input_tokens: 0 },
      { kind: 'tts', reason: 'cut_speech', characters: expect.any(Number) },
    ]);
    const characters = ended?.usage.wasted?.flatMap((waste) =>
      waste.kind === 'tts' ? waste.characters : [],
    );
    expect(characters).toEqual([ANSWER.length - 1 - (cut?.heard_text.length ?? 0)]);
  });
});
