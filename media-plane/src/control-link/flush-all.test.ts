import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { expect, it } from 'vitest';
import { flushAll } from './flush-all.js';

it('waits for the MP3 of the longest call, which takes longer than anything else may stand still', async () => {
  const clock = new ScriptedClock();
  const startedAt = clock.monotonic();
  const uploads = {
    pendingCount: 2,
    get encodedMs() {
      return 100 * (clock.monotonic() - startedAt);
    },
    async flush(signal: AbortSignal) {
      await clock.sleep(40_000, signal).catch(() => {});
      if (!signal.aborted) this.pendingCount = 0;
    },
  };
  const sender = { flush: async () => {} };
  const flushed = flushAll({ sender, spool: { pendingCount: 0 }, uploads, clock, log: silentLog });
  await clock.advanceAsync(40_100, 250);
  await flushed;
  expect(uploads.pendingCount).toBe(0);
});
