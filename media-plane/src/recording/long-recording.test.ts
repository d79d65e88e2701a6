import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PCMU_8K } from '@voice/shared/audio/format';
import { FRAME_BYTES } from '@voice/shared/audio/g711';
import { systemClock } from '@voice/shared/clock/clock';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DECODER_DELAY_SAMPLES, LAME_DELAY_SAMPLES, mp3DurationMs } from '../audio/mp3-format.js';
import { DiskClient } from '../disk/disk-client.js';
import { encodeRecording } from './encode-recording.js';
import { createRecorder } from './recorder.js';
import { decode, marker, onsets, random, SILENCE } from './testing/recorded-audio.js';

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

interface WrittenFrame {
  readonly lane: 'caller' | 'agent';
  readonly frame: Uint8Array;
  readonly positionMs: number;
  readonly writtenAt: number;
}

/** Five minutes as a bad line makes them, in the order in which the recorder gets them. */
function fiveMinutes(minutes = 5) {
  const next = random(7);
  const frames: WrittenFrame[] = [];
  const caller: number[] = [];
  const agent: number[] = [];
  const lengthMs = minutes * 60_000;
  const high = marker(1100);
  const low = marker(600);
  // The caller's frames come all the time: positions off by up to 5 ms, arrival by up to 90 ms, and holes.
  for (let at = 0; at < lengthMs; at += 20) {
    const inSecond = at % 4000;
    const isMarker = inSecond >= 1000 && inSecond < 1100;
    if (inSecond === 1000) caller.push(at);
    if (!isMarker && inSecond > 2000 && next() < 0.1) continue;
    const frame = isMarker ? low[(inSecond - 1000) / 20]! : SILENCE;
    frames.push({
      lane: 'caller',
      frame,
      positionMs: at + Math.round(next() * 10 - 5),
      writtenAt: at + next() * 90,
    });
  }
  // The agent's come only while it speaks, at any fraction of a ms, and up to 600 ms after they were heard.
  for (let at = 3000.3; at < lengthMs - 1000; at += 4000 + Math.floor(next() * 800) / 10) {
    // Not at the same time as a marker of the caller.
    if (at % 4000 < 1300 && at % 4000 > 700) continue;
    agent.push(at);
    const late = next() * 600;
    for (const [n, frame] of high.entries()) {
      frames.push({ lane: 'agent', frame, positionMs: at + n * 20, writtenAt: at + n * 20 + late });
    }
  }
  frames.sort((a, b) => a.writtenAt - b.writtenAt);
  return { frames, caller, agent, lengthMs };
}

describe('a recording of five minutes with jitter and gaps', () => {
  const script = fiveMinutes();
  let path: string;
  let finished: { durationMs: number; bytes: number };

  beforeAll(async () => {
    const { raw, mp3, recorder } = phoneRecorder('call');
    path = mp3;
    const reused = new Uint8Array(FRAME_BYTES);
    let pause = 20_000;
    for (const { lane, frame, positionMs, writtenAt } of script.frames) {
      if (writtenAt > pause) {
        // Real time would give the disk its time, too.
        const written = (pause - 5000) * 7;
        await vi.waitFor(() => expect(statSync(raw).size).toBeGreaterThan(written), {
          interval: 2,
          timeout: 240_000,
        });
        pause += 20_000;
      }
      reused.set(frame);
      recorder[lane](reused, positionMs);
    }
    await recorder.finish();
    finished = await encodeRecording(raw, mp3);
  });

  it('lasts as long as the call', () => {
    expect(Math.abs(finished.durationMs - script.lengthMs)).toBeLessThan(40);
    expect(statSync(path).size).toBe(finished.bytes);
    expect(Math.abs(mp3DurationMs(finished.bytes) - finished.durationMs)).toBeLessThan(80);
  });

  it('has every marker within 40 ms of its time, in its own channel, from beginning to end', async () => {
    const { left, right, sampleRate, errors } = await decode(readFileSync(path), true);
    expect([sampleRate, errors]).toEqual([8000, []]);
    expect(left.length).toBe(right.length);
    for (const [channel, expected] of [
      [left, script.caller],
      [right, script.agent],
    ] as const) {
      const heard = onsets(channel);
      expect(heard).toHaveLength(expected.length);
      const worst = Math.max(...heard.map((at, n) => Math.abs(at - expected[n]!)));
      expect(worst).toBeLessThan(40);
      // The bound that the jitter and the seams allow: drift would break it long before 40 ms.
      expect(worst).toBeLessThan(16);
    }
  });

  it('keeps the voices apart', async () => {
    const { left, right } = await decode(readFileSync(path), true);
    const loudest = (samples: Float32Array, atMs: number) =>
      samples.subarray(atMs * 8 + 160, atMs * 8 + 640).reduce((max, s) => Math.max(max, Math.abs(s)), 0);
    const [at] = script.caller.slice(10);
    expect(loudest(left, at!)).toBeGreaterThan(0.3);
    expect(loudest(right, at!)).toBeLessThan(0.03);
  });

  it('is late by the known delays of coder and decoder in a player that ignores the header', async () => {
    const { left } = await decode(readFileSync(path), false);
    const delayMs = (LAME_DELAY_SAMPLES + DECODER_DELAY_SAMPLES) / 8;
    expect(Math.abs(onsets(left)[0]! - delayMs - script.caller[0]!)).toBeLessThan(16);
  });
});
