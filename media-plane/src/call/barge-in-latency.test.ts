import { PCMU_8K } from '@voice/shared/audio/format';
import { decodeMulaw, FRAME_BYTES, FRAME_MS, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { startKeptVoice } from '@voice/shared/local-voice/testing/kept-voice';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { levelDb } from '../audio/level.js';
import { createVoiceActivityDetector, type SileroDetector } from '../providers/vad/detector.js';
import { testCallPlan } from '../testing/call-plan.js';
import { CallStage } from '../testing/call-stage.js';
import { ScriptedLanguageModel, scriptedConversation, scriptedVoice } from '../testing/scripted-providers.js';

/** The first begins so softly that the detector believes in it late, the last with a vowel. */
const INTERRUPTIONS = ['Sorry, wait a moment please.', 'Hold on, let me say something.', 'No, stop.'];
const ANSWER =
  'Our opening hours are from nine in the morning until six in the evening, every day but Sunday.';
/** A frame is surely speech from here on, dB: what a bench takes for the caller's first. */
const LOUD_DB = -40;
/** Other calls on the worker, so that windows are collected for several. */
const OTHERS = 12;
const STEP_MS = 5;
const SILENCE = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);

let detector: SileroDetector;
const speech: Uint8Array[] = [];
/** Time is the test's; the model runs in real time, and each step waits for it. */
let stage: CallStage | undefined;

beforeAll(async () => {
  const voice = startKeptVoice();
  for (const text of INTERRUPTIONS) {
    const parts: Uint8Array[] = [];
    for await (const { audio } of voice.speak({ text, voice: 'en-us+m3', language: 'en-US' }))
      parts.push(audio);
    speech.push(Buffer.concat(parts));
  }
  voice.close();
  detector = await createVoiceActivityDetector({
    clock: {
      now: () => stage!.clock.now(),
      monotonic: () => stage!.clock.monotonic(),
      schedule: (delayMs, task) => stage!.clock.schedule(delayMs, task),
      sleep: (delayMs, signal) => stage!.clock.sleep(delayMs, signal),
    },
    log: silentLog,
  });
});
afterAll(() => detector.close());

/** Returns when the agent fell silent, from the caller's first loud frame, and how late it was by its own account, in ms. */
async function interruptedBy(audio: Uint8Array, silentFrames: number) {
  const plan = testCallPlan({}, { first_message: ANSWER });
  const call = new CallStage({
    plan,
    createConversation: ({ clock, recogniser }) =>
      scriptedConversation(plan, clock, {
        recogniser: Object.assign(recogniser, { detector }),
        model: new ScriptedLanguageModel([]),
        voice: scriptedVoice(),
      }),
  });
  stage = call;
  const { clock, line, recogniser } = call;
  const others = Array.from({ length: OTHERS }, () =>
    detector.open({ on: 0.5, off: 0.35, minSpeechMs: 60, minSilenceMs: 200, format: PCMU_8K }, () => {}),
  );
  let silentAt: number | undefined;
  line.clear = () => {
    silentAt = clock.monotonic();
  };
  let position = 0;
  const say = async (frame: Uint8Array) => {
    line.listener?.onAudio(frame, position, false);
    position += FRAME_MS;
    for (let ms = 0; ms < FRAME_MS; ms += STEP_MS) {
      for (let n = 0; n < 4; n++) await new Promise<void>((resolve) => setImmediate(resolve));
      clock.advance(STEP_MS);
    }
  };
  for (let n = 0; n < silentFrames; n++) await say(SILENCE);
  let loudAt: number | undefined;
  for (let at = 0; silentAt === undefined && at + FRAME_BYTES <= audio.length; at += FRAME_BYTES) {
    const frame = audio.subarray(at, at + FRAME_BYTES);
    if (levelDb(decodeMulaw(frame)) > LOUD_DB) loudAt ??= clock.monotonic();
    await say(frame);
  }
  recogniser.transcribes('wait a moment');
  for (const one of others) one.close();
  const bargeIn = call.of('turn_metrics').find(({ metrics }) => metrics.barge_in_latency_ms !== null);
  return { afterMs: silentAt! - loudAt!, ownMs: bargeIn!.metrics.barge_in_latency_ms! };
}

describe('an agent that is interrupted', () => {
  it.each(INTERRUPTIONS.map((text, index) => [text, index] as const))(
    'by “%s” is silent 100 ms after its first loud frame, however that lies in the windows',
    async (_, index) => {
      // Eight frames are five windows: no other place is there.
      for (let frame = 0; frame < 8; frame++) {
        const { afterMs, ownMs } = await interruptedBy(speech[index]!, 20 + frame);
        expect(afterMs).toBeLessThanOrEqual(100);
        // It counts from where the level rose, in the frame before or one earlier: never less than was measured.
        expect(ownMs).toBeGreaterThanOrEqual(afterMs);
        expect(ownMs).toBeLessThanOrEqual(afterMs + 2 * FRAME_MS);
      }
    },
  );
});
