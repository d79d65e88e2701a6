import { FRAME_MS } from '@voice/shared/audio/g711';
import { describe, expect, it } from 'vitest';
import { testCallPlan } from '../testing/call-plan.js';
import { CallStage } from '../testing/call-stage.js';
import { ScriptedLanguageModel, scriptedConversation, scriptedVoice } from '../testing/scripted-providers.js';

const FRAME = new Uint8Array(160);

/** A call, and where in the recording it places the caller's frames, in ms. */
function stageOf() {
  const placed: number[] = [];
  const plan = testCallPlan({}, { first_message: '' });
  const stage = new CallStage({
    plan,
    recorder: {
      caller: (_frame, atMs) => placed.push(atMs),
      agent: () => {},
      pause: () => {},
      resume: () => {},
      isPaused: false,
      finish: async () => ({ durationMs: 0 }),
    },
    createConversation: ({ clock, recogniser }) =>
      scriptedConversation(plan, clock, {
        recogniser,
        model: new ScriptedLanguageModel([]),
        voice: scriptedVoice(),
      }),
  });
  const hear = (positionMs: number) => stage.line.listener?.onAudio(FRAME, positionMs, false);
  return { stage, placed, hear };
}

describe("the caller's frames in the recording", () => {
  it('stand where they came in time, also when the first ones are late', async () => {
    const { stage, placed, hear } = stageOf();
    await stage.clock.advanceAsync(120);
    for (let position = 0; position <= 80; position += FRAME_MS) hear(position);
    for (let position = 100; position < 200; position += FRAME_MS) {
      hear(position);
      await stage.clock.advanceAsync(FRAME_MS);
    }
    expect(placed.slice(-5)).toEqual([100, 120, 140, 160, 180]);
  });

  it('stand where they came, too, when the call began after the stream', async () => {
    const { stage, placed, hear } = stageOf();
    hear(0);
    hear(90);
    for (let position = 110; position < 210; position += FRAME_MS) {
      await stage.clock.advanceAsync(FRAME_MS);
      hear(position);
    }
    expect(placed).toEqual([0, 20, 40, 60, 80]);
  });
});
