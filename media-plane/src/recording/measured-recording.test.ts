import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PCMU_8K } from '@voice/shared/audio/format';
import { encodeMulaw, FRAME_BYTES, FRAME_MS, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { waveformFigures } from '@voice/shared/contracts/waveform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskClient } from '../disk/disk-client.js';
import { encodeRecording, waveformPath } from './encode-recording.js';
import { createRecorder } from './recorder.js';

const disk = new DiskClient();

const SOUND = encodeMulaw(Int16Array.from({ length: FRAME_BYTES }, (_, i) => 6000 * Math.sin(i / 6)));
const SILENCE = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);

describe('the latency of a recorded call', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'measured-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  /** Records a caller who speaks for the first two seconds, and an agent who does for one from `answerMs` on. */
  async function measured(answerMs: number, pauseMs?: number) {
    const path = join(dir, 'call.recording');
    const recorder = createRecorder({ path, format: PCMU_8K, clock: new ScriptedClock(), disk });
    for (let at = 0; at < 8000; at += FRAME_MS) {
      if (at === pauseMs) recorder.pause('card number');
      if (pauseMs !== undefined && at === pauseMs + 1500) recorder.resume('card number', at);
      recorder.caller(at >= 1000 && at < 3000 ? SOUND : SILENCE, at);
      if (at >= answerMs && at < answerMs + 1000) recorder.agent(SOUND, at);
    }
    await recorder.finish();
    const mp3 = join(dir, 'call.mp3');
    await encodeRecording(path, mp3);
    return waveformFigures.parse(JSON.parse(readFileSync(waveformPath(mp3), 'utf8')));
  }

  it('is measured while its MP3 is made', async () => {
    expect(await measured(3640)).toEqual({
      responses: [{ caller_ended_at_ms: 3000, agent_began_at_ms: 3640 }],
      barge_ins: [],
    });
  });

  it('is not made up for a time in which nothing was recorded', async () => {
    expect((await measured(5000, 3000)).responses).toEqual([]);
    expect((await measured(4000, 6000)).responses).toHaveLength(1);
  });
});
