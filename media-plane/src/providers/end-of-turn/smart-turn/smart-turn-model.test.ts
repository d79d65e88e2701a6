import { L16_16K } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import { installedModels } from '../../../testing/installed-models.js';
import { REFERENCE_PROBABILITY, referenceSamples } from '../testing/reference-features.js';
import { SmartTurn } from './smart-turn.js';
import { modelThread } from './smart-turn-client.js';

const { endOfTurn } = installedModels();
if (!endOfTurn) console.warn('Smart Turn: SKIPPED, the model is not installed: npm run models');

describe.skipIf(!endOfTurn)('Smart Turn, the real model on its thread', () => {
  it('gives the probability that the reference gives', async () => {
    const detector = new SmartTurn({
      start: modelThread(endOfTurn!.model),
      // It stands still: a question asked while the model loads does not get stale.
      clock: new ScriptedClock(),
      log: silentLog,
    });
    try {
      const session = detector.open(L16_16K);
      const samples = Int16Array.from(referenceSamples(), (sample) => sample * 32_768);
      const bytes = new Uint8Array(samples.buffer);
      for (let at = 0; at < bytes.length; at += FRAME_MS * 32)
        session.write(bytes.subarray(at, at + FRAME_MS * 32));
      const probability = await new Promise<number>((resolve) => session.judge(resolve));
      expect(Math.abs(probability - REFERENCE_PROBABILITY)).toBeLessThan(0.02);
    } finally {
      await detector.close();
    }
  }, 60_000);
});
