import { FRAME_MS } from '@voice/shared/audio/g711';
import { describe, expect, it } from 'vitest';
import { CascadedStage } from './testing/cascaded-stage.js';

const TEXT = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen';
const STALLS_AT_MS = 1000;

/** A call whose carrier stops playing for a while in the middle of the turn, and gives marks back as it plays. */
async function interruptedAfter(ms: number, stallMs: number): Promise<string> {
  const stage = new CascadedStage({ firstMessage: TEXT });
  const { clock, line } = stage;
  let drainedAt = 0;
  line.sendAudio = () => {
    drainedAt = Math.max(clock.monotonic(), drainedAt) + FRAME_MS;
    return true;
  };
  line.sendMark = (name) => {
    const playedAt = drainedAt > STALLS_AT_MS ? drainedAt + stallMs : drainedAt;
    clock.schedule(playedAt - clock.monotonic(), () => line.listener?.onMark(name));
  };
  await stage.pass(ms);
  stage.recogniser.speechStarted();
  await stage.pass(500);
  stage.recogniser.transcribes('no wait stop');
  return stage.of('turn').find(({ turn }) => turn.interrupted)!.turn.heard_text;
}

describe('what was heard of an interrupted turn', () => {
  it('ends where the carrier was by its marks, not where time says', async () => {
    const inTime = await interruptedAfter(2000, 0);
    expect(await interruptedAfter(2000 + 600, 600)).toBe(inTime);
    const byTime = await interruptedAfter(2000 + 600, 0);
    expect(byTime.length).toBeGreaterThan(inTime.length);
    expect(TEXT.startsWith(byTime)).toBe(true);
  });
});
