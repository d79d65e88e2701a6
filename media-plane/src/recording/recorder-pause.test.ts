import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PCMU_8K } from '@voice/shared/audio/format';
import { MULAW_SILENCE } from '@voice/shared/audio/g711';
import { systemClock } from '@voice/shared/clock/clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DiskClient } from '../disk/disk-client.js';
import { encodeRecording, readInto } from './encode-recording.js';
import { RawReader } from './raw-recording.js';
import { createRecorder } from './recorder.js';
import { decode, marker, onsets, SILENCE } from './testing/recorded-audio.js';
import { StereoTimeline } from './timeline.js';

const disk = new DiskClient();

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'recorder-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A recorder of a phone line and the paths of what it writes. */
function phoneRecorder(name: string) {
  const raw = join(folder, `${name}.recording`);
  const mp3 = join(folder, `${name}.mp3`);
  return { raw, mp3, recorder: createRecorder({ path: raw, format: PCMU_8K, clock: systemClock, disk }) };
}

describe('a pause', () => {
  /** Both lanes sound for 100 ms every second; what was heard of the agent is written 300 ms late. */
  async function record(
    name: string,
    lengthMs: number,
    at: (recorder: ReturnType<typeof createRecorder>, ms: number) => void,
  ) {
    const { raw, mp3, recorder } = phoneRecorder(name);
    const [low, high] = [marker(600), marker(1100)];
    for (let ms = 0; ms < lengthMs; ms += 20) {
      at(recorder, ms);
      const late = ms - 300;
      recorder.caller(ms % 1000 < 100 ? low[(ms % 1000) / 20]! : SILENCE, ms);
      if (late >= 0 && late % 1000 < 100) recorder.agent(high[(late % 1000) / 20]!, late);
    }
    await recorder.finish();
    const { durationMs } = await encodeRecording(raw, mp3);
    const { left, right } = await decode(readFileSync(mp3), true);
    const round = (times: number[]) => times.map((time) => Math.round(time / 20) * 20);
    return { durationMs, caller: round(onsets(left)), agent: round(onsets(right)) };
  }

  it('is silence on both lanes, and time goes on', async () => {
    const heard = await record('paused', 6000, (recorder, ms) => {
      if (ms === 1500) recorder.pause('command');
      if (ms === 3500) recorder.resume('command', ms);
    });
    expect(heard.caller).toEqual([0, 1000, 4000, 5000]);
    expect(heard.agent).toEqual([0, 1000, 4000, 5000]);
    expect(heard.durationMs).toBeCloseTo(6000, -2);
  });

  it('drops what was heard in it, however late it comes, and keeps what was heard before', async () => {
    const heard = await record('late', 4000, (recorder, ms) => {
      // The agent's sound of 1,000 ms comes from 1,300 on.
      if (ms === 1200) recorder.pause('command');
      // The agent's sound of 2,000 ms comes when it is over.
      if (ms === 2200) recorder.resume('command', ms);
    });
    expect(heard.agent).toEqual([0, 1000, 3000]);
    expect(heard.caller).toEqual([0, 1000, 3000]);
  });

  it('drops what was said in it and waited for the network until after its end', async () => {
    const { raw, mp3, recorder } = phoneRecorder('stalled');
    const tone = marker(600);
    const say = (atMs: number) => {
      for (const [n, frame] of tone.entries()) recorder.caller(frame, atMs + n * 20);
    };
    say(0);
    // Nothing comes from 300 ms on; what was said in the pause comes when that is over.
    recorder.caller(SILENCE, 280);
    recorder.pause('command');
    recorder.resume('command', 800);
    say(400);
    say(600);
    recorder.caller(SILENCE, 800);
    say(1000);
    await recorder.finish();
    const { durationMs } = await encodeRecording(raw, mp3);
    const { left } = await decode(readFileSync(mp3), true);
    expect(onsets(left).map((time) => Math.round(time / 20) * 20)).toEqual([0, 1000]);
    expect(durationMs).toBeCloseTo(1100, -2);
  });

  it('lasts until nobody has a reason any more', async () => {
    const paused: boolean[] = [];
    const heard = await record('reasons', 5000, (recorder, ms) => {
      if (ms === 500) recorder.pause('command');
      if (ms === 1500) recorder.pause('tool:1');
      if (ms === 1600) recorder.pause('tool:1');
      if (ms === 2500) recorder.resume('tool:1', ms);
      if (ms === 2600) paused.push(recorder.isPaused);
      if (ms === 3500) recorder.resume('command', ms);
      if (ms === 3600) paused.push(recorder.isPaused);
    });
    expect(paused).toEqual([true, false]);
    expect(heard.caller).toEqual([0, 4000]);
  });

  it('at the end of a call, or longer than any gap may be, keeps the time', async () => {
    const { raw, recorder } = phoneRecorder('long-pause');
    const tone = marker(600);
    recorder.caller(tone[0]!, 0);
    recorder.pause('command');
    const second = new Uint8Array(8000).fill(MULAW_SILENCE);
    for (let at = 1000; at < 620_000; at += 1000) recorder.caller(second, at);
    recorder.resume('command', 620_000);
    recorder.caller(tone[0]!, 620_000);
    recorder.pause('command');
    recorder.caller(SILENCE, 630_000);
    await recorder.finish();
    let samples = 0;
    let lastSound = 0;
    const timeline = new StereoTimeline((caller) => {
      const sound = caller.findLastIndex((sample) => Math.abs(sample) > 1000);
      if (sound >= 0) lastSound = samples + sound;
      samples += caller.length;
    });
    readInto(timeline, new RawReader(raw));
    expect(samples / 8).toBe(630_020);
    expect(Math.abs(lastSound / 8 - 620_019)).toBeLessThan(2);
  });
});
