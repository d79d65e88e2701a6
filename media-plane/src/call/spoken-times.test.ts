import { FRAME_MS } from '@voice/shared/audio/g711';
import { describe, expect, it } from 'vitest';
import { testCallPlan } from '../testing/call-plan.js';
import { CallStage } from '../testing/call-stage.js';
import { ScriptedLanguageModel, scriptedConversation, scriptedVoice } from '../testing/scripted-providers.js';
import { realtimeStage } from './testing/realtime-stage.js';

const FRAME = new Uint8Array(160);
/** Speech begins with this frame, and the line stalls before it. */
const STALL_MS = 1500;

function cascadedStage() {
  const plan = testCallPlan({}, { first_message: '' });
  return new CallStage({
    plan,
    createConversation: ({ clock, recogniser }) =>
      scriptedConversation(plan, clock, {
        recogniser,
        model: new ScriptedLanguageModel(['Until six.']),
        voice: scriptedVoice(),
      }),
  });
}

/** The line brings nothing for a while, then at once all that was spoken meanwhile: silence, and a second of speech. */
async function speaksWhileTheLineStalls(stage: CallStage): Promise<void> {
  await stage.pass(200);
  await stage.clock.advanceAsync(STALL_MS);
  for (let n = 0; n < STALL_MS / FRAME_MS; n++) stage.lineBrings(FRAME);
  stage.recogniser.speechStarted(1000);
}

const callersTimes = (stage: CallStage) =>
  stage
    .of('turn')
    .filter(({ turn }) => turn.role === 'caller')
    .map(({ turn }) => [turn.started_at_ms, turn.ended_at_ms]);

describe("a caller's turn in the transcript", () => {
  it('has the time of speaking, as the recording has, where the line brought it late', async () => {
    const stage = cascadedStage();
    await speaksWhileTheLineStalls(stage);
    await stage.pass(200);
    stage.recogniser.speechStopped();
    stage.recogniser.transcribes('When do you close?');
    await stage.pass(1500);
    expect(callersTimes(stage)).toEqual([[680, 1880]]);
  });

  it('has it, too, where all of it came late, and words come after it', async () => {
    const stage = cascadedStage();
    await speaksWhileTheLineStalls(stage);
    stage.recogniser.speechStopped();
    stage.recogniser.transcribes('When do');
    stage.recogniser.transcribes('you close?');
    await stage.pass(1500);
    expect(callersTimes(stage)).toEqual([[680, 1680]]);
  });

  it('has it where a speech-to-speech model transcribes afterwards', async () => {
    const { stage, provider } = realtimeStage({ answers: ['Until six.'] });
    await speaksWhileTheLineStalls(stage);
    stage.recogniser.speechStopped();
    await stage.pass(2500);
    provider.session.emit({ type: 'caller_transcript', item: 'i1', text: 'When do you close?', final: true });
    expect(callersTimes(stage)).toEqual([[680, 1680]]);
  });
});
