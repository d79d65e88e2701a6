import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeMulaw, FRAME_BYTES, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { MPEGDecoder } from 'mpg123-decoder';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DECODER_DELAY_SAMPLES, LAME_DELAY_SAMPLES } from '../audio/mp3-format.js';
import { createRecorder, recordingDurationMs } from './recorder.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'recorder-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The frames of a marker: 100 ms of a loud tone. */
function marker(hz: number): Uint8Array[] {
  const samples = Int16Array.from(
    { length: 800 },
    (_, n) => 14_000 * Math.sin((2 * Math.PI * hz * n) / 8000),
  );
  const bytes = encodeMulaw(samples);
  return Array.from({ length: 5 }, (_, n) => bytes.subarray(n * FRAME_BYTES, (n + 1) * FRAME_BYTES));
}

const SILENCE = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);

/** A repeatable source of numbers in 0..1. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function decode(bytes: Uint8Array, enableGapless: boolean) {
  const decoder = new MPEGDecoder({ enableGapless });
  await decoder.ready;
  const { channelData, sampleRate, errors } = decoder.decode(bytes);
  const [left, right] = channelData;
  const result = { left: left!.slice(), right: right!.slice(), sampleRate, errors };
  decoder.free();
  return result;
}

/** When sound begins after at least 200 ms of quiet, in ms. */
function onsets(samples: Float32Array, threshold = 0.1): number[] {
  const found: number[] = [];
  let quiet = Number.POSITIVE_INFINITY;
  for (let n = 0; n < samples.length; n++) {
    if (Math.abs(samples[n]!) < threshold) {
      quiet++;
      continue;
    }
    if (quiet > 1600) found.push(n / 8);
    quiet = 0;
  }
  return found;
}

interface Told {
  readonly lane: 'caller' | 'agent';
  readonly frame: Uint8Array;
  readonly positionMs: number;
  readonly toldAt: number;
}

/** Five minutes as a bad line makes them, in the order in which the recorder is told. */
function fiveMinutes(minutes = 5) {
  const next = random(7);
  const told: Told[] = [];
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
    told.push({
      lane: 'caller',
      frame,
      positionMs: at + Math.round(next() * 10 - 5),
      toldAt: at + next() * 90,
    });
  }
  // The agent's come only while it speaks, at any fraction of a ms, and up to 600 ms after they were heard.
  for (let at = 3000.3; at < lengthMs - 1000; at += 4000 + Math.floor(next() * 800) / 10) {
    // Not at the same time as a marker of the caller.
    if (at % 4000 < 1300 && at % 4000 > 700) continue;
    agent.push(at);
    const late = next() * 600;
    for (const [n, frame] of high.entries()) {
      told.push({ lane: 'agent', frame, positionMs: at + n * 20, toldAt: at + n * 20 + late });
    }
  }
  told.sort((a, b) => a.toldAt - b.toldAt);
  return { told, caller, agent, lengthMs };
}

describe('a recording of five minutes with jitter and gaps', () => {
  const script = fiveMinutes();
  let path: string;
  let finished: { durationMs: number; bytes: number };

  beforeAll(async () => {
    path = join(folder, 'call.mp3');
    const recorder = createRecorder({ path });
    const reused = new Uint8Array(FRAME_BYTES);
    let pause = 30_000;
    for (const { lane, frame, positionMs, toldAt } of script.told) {
      if (toldAt > pause) {
        // Real time would give the encoder its time, too.
        const written = (pause - 5000) * 4;
        await vi.waitFor(() => expect(statSync(path).size).toBeGreaterThan(written), {
          interval: 10,
          timeout: 15_000,
        });
        pause += 30_000;
      }
      reused.set(frame);
      recorder[lane](reused, positionMs);
    }
    finished = await recorder.finish();
  });

  it('lasts as long as the call', () => {
    expect(Math.abs(finished.durationMs - script.lengthMs)).toBeLessThan(40);
    expect(statSync(path).size).toBe(finished.bytes);
    expect(Math.abs(recordingDurationMs(finished.bytes) - finished.durationMs)).toBeLessThan(80);
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

describe('a recording', () => {
  it('that was cut off by the end of the process can be played', async () => {
    const path = join(folder, 'cut.mp3');
    const recorder = createRecorder({ path });
    const tone = marker(600);
    for (let at = 0; at < 10_000; at += 20) {
      const frame = at >= 2000 && at < 2100 ? tone[(at - 2000) / 20]! : SILENCE;
      recorder.caller(frame, at);
    }
    // Without the last second (frames may be late) and a block.
    await vi.waitFor(() => expect(recordingDurationMs(statSync(path).size)).toBeGreaterThan(8000), {
      interval: 10,
      timeout: 15_000,
    });
    const { left } = await decode(readFileSync(path), true);
    expect(left.length / 8).toBeGreaterThan(8000);
    expect(Math.abs(onsets(left)[0]! - 2000)).toBeLessThan(2);
    await recorder.finish();
  });

  it('of nothing is a valid, empty file', async () => {
    const recording = await createRecorder({ path: join(folder, 'empty.mp3') }).finish();
    expect(recording.durationMs).toBe(0);
    expect(recording.bytes).toBe(statSync(join(folder, 'empty.mp3')).size);
  });

  it('that is abandoned leaves no file', async () => {
    const path = join(folder, 'abandoned.mp3');
    const recorder = createRecorder({ path });
    recorder.caller(SILENCE, 0);
    await recorder.abandon();
    await recorder.abandon();
    expect(() => statSync(path)).toThrow('ENOENT');
    await expect(recorder.finish()).rejects.toMatchObject({ code: 'recording_failed' });
  });

  it('that cannot be written fails at the end and troubles the call no earlier', async () => {
    const recorder = createRecorder({ path: join(folder, 'no', 'such', 'folder.mp3') });
    for (let at = 0; at < 5000; at += 20) recorder.caller(SILENCE, at);
    await expect(recorder.finish()).rejects.toMatchObject({ code: 'recording_failed' });
  });

  it('beside others does not mix them up', async () => {
    const all = await Promise.all(
      [500, 1500, 2500].map(async (startsAt) => {
        const path = join(folder, `call-${startsAt}.mp3`);
        const recorder = createRecorder({ path });
        for (const [n, frame] of marker(800).entries()) recorder.agent(frame, startsAt + n * 20);
        recorder.caller(SILENCE, 4000);
        await recorder.finish();
        return onsets((await decode(readFileSync(path), true)).right);
      }),
    );
    expect(all.map(([at]) => Math.round(at! / 10) * 10)).toEqual([500, 1500, 2500]);
  });
});
