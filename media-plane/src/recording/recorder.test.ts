import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AudioFormat,
  bytesPerMs,
  frameBytes,
  L16_16K,
  L16_24K,
  PCMA_8K,
  PCMU_8K,
  silenceByte,
} from '@voice/shared/audio/format';
import { encodeMulaw, FRAME_BYTES, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { encodeSamples } from '@voice/shared/audio/samples';
import { systemClock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { MPEGDecoder } from 'mpg123-decoder';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DECODER_DELAY_SAMPLES, LAME_DELAY_SAMPLES, mp3DurationMs, mp3Format } from '../audio/mp3-format.js';
import { encodeRecording, readInto } from './encode-recording.js';
import { EncoderClient } from './encoder-client.js';
import { RawReader } from './raw-recording.js';
import { createRecorder } from './recorder.js';
import { StereoTimeline } from './timeline.js';

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

/** A recorder of a phone line and the paths of what it writes. */
function phoneRecorder(name: string) {
  const raw = join(folder, `${name}.recording`);
  const mp3 = join(folder, `${name}.mp3`);
  return { raw, mp3, recorder: createRecorder({ path: raw, format: PCMU_8K, clock: systemClock }) };
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
function onsets(samples: Float32Array, threshold = 0.1, samplesPerMs = 8): number[] {
  const found: number[] = [];
  let quiet = Number.POSITIVE_INFINITY;
  for (let n = 0; n < samples.length; n++) {
    if (Math.abs(samples[n]!) < threshold) {
      quiet++;
      continue;
    }
    if (quiet > 200 * samplesPerMs) found.push(n / samplesPerMs);
    quiet = 0;
  }
  return found;
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
          timeout: 15_000,
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

describe('a recording', () => {
  it('that was cut off by the end of the process is whole up to its last second', async () => {
    const { raw, mp3, recorder } = phoneRecorder('cut');
    const tone = marker(600);
    for (let at = 0; at < 10_000; at += 20) {
      recorder.caller(at >= 2000 && at < 2100 ? tone[(at - 2000) / 20]! : SILENCE, at);
    }
    await vi.waitFor(() => expect(statSync(raw).size).toBeGreaterThan(9000 * 8), { interval: 2 });
    const cut = join(folder, 'cut-off.recording');
    copyFileSync(raw, cut);
    // The last record is torn.
    appendFileSync(cut, Uint8Array.of(0, 0, 160, 0, 1, 2, 3));
    const { durationMs } = await encodeRecording(cut, mp3);
    expect(durationMs).toBeGreaterThan(9000);
    const { left } = await decode(readFileSync(mp3), true);
    expect(Math.abs(onsets(left)[0]! - 2000)).toBeLessThan(2);
    await recorder.finish();
  });

  it('is on disk within a second, also when the line has fallen silent', async () => {
    const clock = new ScriptedClock();
    const path = join(folder, 'prompt.recording');
    const recorder = createRecorder({ path, format: PCMU_8K, clock });
    recorder.caller(SILENCE, 0);
    clock.advance(1000);
    await vi.waitFor(() => expect(statSync(path).size).toBe(64 + 12 + FRAME_BYTES), { interval: 2 });
    await recorder.finish();
    expect(clock.pending).toBe(0);
  });

  it('is on disk within a second of the hearing, though that was known half a second later', async () => {
    const clock = new ScriptedClock();
    const path = join(folder, 'heard-late.recording');
    const recorder = createRecorder({ path, format: PCMU_8K, clock });
    clock.advance(500);
    recorder.agent(SILENCE, 0);
    clock.advance(450);
    await vi.waitFor(() => expect(statSync(path).size).toBe(64 + 12 + FRAME_BYTES), { interval: 2 });
    await recorder.finish();
  });

  it('is encoded again from the start when its MP3 was left half-made', async () => {
    const { raw, mp3, recorder } = phoneRecorder('again');
    for (const [n, frame] of marker(600).entries()) recorder.caller(frame, n * 20);
    await recorder.finish();
    await encodeRecording(raw, mp3);
    const whole = readFileSync(mp3);
    writeFileSync(mp3, Buffer.concat([whole, whole]));
    await encodeRecording(raw, mp3);
    expect(readFileSync(mp3).equals(whole)).toBe(true);
  });

  it('of nothing is a valid, empty file', async () => {
    const { raw, mp3, recorder } = phoneRecorder('empty');
    expect(await recorder.finish()).toEqual({ durationMs: 0 });
    const { durationMs, bytes } = await encodeRecording(raw, mp3);
    expect(durationMs).toBe(0);
    expect(bytes).toBe(statSync(mp3).size);
  });

  it('beside others does not mix them up, in the thread that encodes them', async () => {
    const encoder = new EncoderClient();
    const all = await Promise.all(
      [500, 1500, 2500].map(async (startsAt) => {
        const { raw, mp3, recorder } = phoneRecorder(`call-${startsAt}`);
        for (const [n, frame] of marker(800).entries()) recorder.agent(frame, startsAt + n * 20);
        recorder.caller(SILENCE, 4000);
        await recorder.finish();
        await encoder.encode(raw, mp3);
        return onsets((await decode(readFileSync(mp3), true)).right);
      }),
    );
    expect(all.map(([at]) => Math.round(at! / 10) * 10)).toEqual([500, 1500, 2500]);
    const nothing = join(folder, 'no-recording');
    writeFileSync(nothing, 'something else, and long enough to be a header of a recording, which it is not');
    await expect(encoder.encode(nothing, `${nothing}.mp3`)).rejects.toMatchObject({
      code: 'recording_unreadable',
      retryable: false,
    });
    await expect(encoder.encode(join(folder, 'missing'), `${nothing}.mp3`)).rejects.toMatchObject({
      code: 'recording_failed',
      retryable: true,
    });
  });
});

describe('a recording that cannot be written', () => {
  it('says so once, keeps the call out of it, and fails at the end', async () => {
    const stopped: string[] = [];
    const recorder = createRecorder({
      path: join(folder, 'no', 'such', 'folder.recording'),
      format: PCMU_8K,
      clock: systemClock,
      onStopped: ({ code }) => stopped.push(code),
    });
    for (let at = 0; at < 5000; at += 20) recorder.caller(SILENCE, at);
    await vi.waitFor(() => expect(stopped).toEqual(['recording_failed']), { interval: 2 });
    for (let at = 5000; at < 9000; at += 20) recorder.caller(SILENCE, at);
    await expect(recorder.finish()).rejects.toMatchObject({ code: 'recording_failed' });
    expect(stopped).toHaveLength(1);
  });

  // A device that is always full.
  it.runIf(process.platform === 'linux')('because the disk is full, says so', async () => {
    const stopped: string[] = [];
    const recorder = createRecorder({
      path: '/dev/full',
      format: PCMU_8K,
      clock: systemClock,
      onStopped: ({ message }) => stopped.push(message),
    });
    recorder.caller(SILENCE, 0);
    await vi.waitFor(() => expect(stopped).toHaveLength(1), { interval: 2 });
    expect(stopped[0]).toMatch(/ENOSPC/);
    await expect(recorder.finish()).rejects.toMatchObject({ code: 'recording_failed' });
  });
});

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
      if (ms === 3500) recorder.resume('command');
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
      if (ms === 2200) recorder.resume('command');
    });
    expect(heard.agent).toEqual([0, 1000, 3000]);
    expect(heard.caller).toEqual([0, 1000, 3000]);
  });

  it('lasts until nobody has a reason any more', async () => {
    const paused: boolean[] = [];
    const heard = await record('reasons', 5000, (recorder, ms) => {
      if (ms === 500) recorder.pause('command');
      if (ms === 1500) recorder.pause('tool:1');
      if (ms === 1600) recorder.pause('tool:1');
      if (ms === 2500) recorder.resume('tool:1');
      if (ms === 2600) paused.push(recorder.isPaused);
      if (ms === 3500) recorder.resume('command');
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
    recorder.resume('command');
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

describe.each<[string, AudioFormat, number]>([
  ['A-law', PCMA_8K, 8000],
  ['L16 at 16 kHz', L16_16K, 16_000],
  ['L16 at 24 kHz', L16_24K, 24_000],
  ['L16 at 48 kHz', { encoding: 'l16', sampleRate: 48_000 }, 48_000],
])('a line of %s', (name, format, rate) => {
  it('is recorded at its own rate, every sound at its time', async () => {
    const raw = join(folder, `${name}.recording`);
    const mp3 = join(folder, `${name}.mp3`);
    const recorder = createRecorder({ path: raw, format, clock: systemClock });
    const silence = new Uint8Array(frameBytes(format)).fill(silenceByte(format));
    const samples = Int16Array.from(
      { length: rate / 10 },
      (_, n) => 14_000 * Math.sin((2 * Math.PI * 1000 * n) / rate),
    );
    const tone = encodeSamples(format.encoding, samples);
    for (let at = 0; at < 3000; at += 20) {
      const from = (at - 1000) * bytesPerMs(format);
      const sounds = at >= 1000 && at < 1100;
      recorder.caller(sounds ? tone.subarray(from, from + frameBytes(format)) : silence, at);
      if (at >= 2000 && at < 2100) recorder.agent(tone.subarray(0, frameBytes(format)), at);
    }
    await recorder.finish();
    const { durationMs, bytes } = await encodeRecording(raw, mp3);
    expect(durationMs).toBeCloseTo(3000, 0);
    expect(Math.abs(mp3DurationMs(bytes, mp3Format(format.sampleRate)) - 3000)).toBeLessThan(150);
    const { left, right, sampleRate, errors } = await decode(readFileSync(mp3), true);
    expect([sampleRate, errors]).toEqual([rate, []]);
    expect(onsets(left, 0.1, rate / 1000).map(Math.round)).toEqual([expect.closeTo(1000, -1)]);
    expect(onsets(right, 0.1, rate / 1000).map(Math.round)).toEqual([expect.closeTo(2000, -1)]);
  });
});
