/**
 * What each stage costs for 20 ms of one call's audio: `node media-plane/dist/bench/audio-stages.js`. Times differ
 * from machine to machine and from minute to minute, so each stage is measured in turn with a plain copying
 * loop of the same frame, and its cost is printed as a multiple of that as well. At the end: for how long the
 * voice-activity detection of 100 calls holds the event loop at a time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PCMU_8K } from '@voice/shared/audio/format';
import { decodeMulaw, encodeMulaw, FRAME_BYTES, FRAME_MS, PHONE_SAMPLE_RATE } from '@voice/shared/audio/g711';
import { Resampler } from '@voice/shared/audio/resample';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { levelDb } from '../audio/level.js';
import { StereoMp3Encoder } from '../audio/mp3-encoder.js';
import { DiskClient } from '../disk/disk-client.js';
import {
  MAX_BATCH,
  SileroModel,
  SileroStream,
  WINDOW_MS,
  WINDOW_SAMPLES,
} from '../providers/vad/silero-model.js';
import { SpeechGates } from '../providers/vad/speech-gate.js';
import { createRecorder } from '../recording/recorder.js';
import { StereoTimeline } from '../recording/timeline.js';
import { turnAudio } from '../streams/audio-id.js';
import { Pacer } from '../streams/pacer.js';
import { eventLoopHeld } from './event-loop.js';

const disk = new DiskClient();

/** Rounds of each stage, alternating with the copying loop; the median of them counts. */
const ROUNDS = 15;
const FRAMES_A_ROUND = 500;

interface Stage {
  readonly name: string;
  /** Does the stage's work for this many frames of 20 ms. */
  run(frames: number): void | Promise<void>;
}

/** Synthesizes something like speech: a gliding tone with its overtones, louder and softer. */
function voiceLike(samples: number): Int16Array {
  let phase = 0;
  return Int16Array.from({ length: samples }, (_, n) => {
    phase += (2 * Math.PI * (140 + 40 * Math.sin(n / 3000))) / PHONE_SAMPLE_RATE;
    const loudness = 6000 * (1 + Math.sin(n / 900));
    return loudness * (Math.sin(phase) + 0.5 * Math.sin(3 * phase) + 0.3 * Math.sin(7 * phase)) * 0.5;
  });
}

const speech = voiceLike(PHONE_SAMPLE_RATE);
const frame = speech.subarray(4000, 4000 + FRAME_BYTES);
const mulaw = encodeMulaw(frame);

function repeated(name: string, once: () => void): Stage {
  return {
    name,
    run(frames) {
      for (let n = 0; n < frames; n++) once();
    },
  };
}

function copying(): Stage {
  const target = new Int16Array(FRAME_BYTES);
  return repeated('copy a frame (the measure)', () => {
    for (let i = 0; i < FRAME_BYTES; i++) target[i] = frame[i]!;
  });
}

function resampling(fromHz: number, toHz: number): Stage {
  const resampler = new Resampler(fromHz, toHz);
  const input = voiceLike((fromHz * FRAME_MS) / 1000);
  return repeated(`resample ${fromHz} to ${toHz} Hz`, () => resampler.process(input));
}

async function silero(batch: number): Promise<Stage> {
  const model = await SileroModel.load();
  const windows = Array.from({ length: batch }, (_, n) => ({
    stream: new SileroStream(),
    samples: Float32Array.from(speech.subarray(n * 64, n * 64 + WINDOW_SAMPLES), (s) => s / 32_768),
  }));
  const probabilities = new Float32Array(MAX_BATCH);
  return {
    name: `Silero, ${batch} at a time`,
    async run(frames) {
      const runs = Math.ceil((frames * FRAME_MS) / WINDOW_MS / batch);
      for (let n = 0; n < runs; n++) await model.infer(windows, probabilities);
    },
  };
}

function pacing(): Stage {
  let now = 0;
  let tick = () => {};
  const clock: Clock = {
    ...systemClock,
    monotonic: () => now,
    schedule(_delayMs, task) {
      tick = task;
      return { cancel: () => {} };
    },
  };
  const pacer = new Pacer(clock, (error) => {
    throw error;
  });
  const output = pacer.open(
    { sendAudio: () => true, sendMark: () => {}, clear: () => {} },
    { onFirstFrame: () => {}, onFinished: () => {}, onPlayed: () => {} },
  );
  let turn = 0;
  return {
    name: 'pace',
    run(frames) {
      const id = turnAudio(++turn);
      output.begin(id);
      for (let n = 0; n < frames; n++) {
        output.write(id, mulaw);
        now += FRAME_MS;
        tick();
      }
      output.clear(id);
    },
  };
}

function encoding(encoder: StereoMp3Encoder): Stage {
  const left = speech.subarray(0, 4032);
  // Mostly one of the two speaks.
  const right = new Int16Array(left.length);
  return {
    name: 'MP3, stereo (after the call)',
    run(frames) {
      for (let n = 0; n < (frames * FRAME_BYTES) / left.length; n++) encoder.encode(left, right);
    },
  };
}

function liveRecording(): Stage {
  const folder = mkdtempSync(join(tmpdir(), 'benchmark-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  return {
    name: 'recording, both lanes, to the disk',
    async run(frames) {
      const path = join(folder, 'call.recording');
      const recorder = createRecorder({ path, format: PCMU_8K, clock: systemClock, disk });
      for (let n = 0; n < frames; n++) {
        recorder.caller(mulaw, n * FRAME_MS);
        recorder.agent(mulaw, n * FRAME_MS);
      }
      await recorder.finish();
    },
  };
}

async function stages(): Promise<Stage[]> {
  const gate = (await SpeechGates.load()).open(PHONE_SAMPLE_RATE);
  const timeline = new StereoTimeline(() => {});
  let position = 0;
  const decoded = new Int16Array(FRAME_BYTES);
  const encoded = new Uint8Array(FRAME_BYTES);
  return [
    repeated('decode mu-law', () => decodeMulaw(mulaw, decoded)),
    repeated('encode mu-law', () => encodeMulaw(frame, encoded)),
    repeated('level', () => levelDb(frame)),
    resampling(22_050, 8000),
    resampling(8000, 16_000),
    resampling(48_000, 16_000),
    repeated('voice-activity gate', () => gate.mayBeSpeech(frame)),
    await silero(1),
    await silero(MAX_BATCH),
    pacing(),
    liveRecording(),
    repeated('placing both lanes (after the call)', () => {
      timeline.place('caller', mulaw, position);
      timeline.place('agent', mulaw, position);
      position += FRAME_MS;
    }),
    encoding(await StereoMp3Encoder.create()),
  ];
}

/** Returns the stage's cost, in us a frame. */
async function measure(stage: Stage): Promise<number> {
  const from = performance.now();
  await stage.run(FRAMES_A_ROUND);
  return ((performance.now() - from) * 1000) / FRAMES_A_ROUND;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

const reference = copying();
process.stdout.write('stage                              us / 20 ms   times a copy\n');
for (const stage of [reference, ...(await stages())]) {
  const times: number[] = [];
  const ratios: number[] = [];
  // The first two rounds warm up.
  for (let round = -2; round < ROUNDS; round++) {
    const copy = await measure(reference);
    const time = await measure(stage);
    if (round < 0) continue;
    times.push(time);
    ratios.push(time / copy);
  }
  const time = median(times).toFixed(2).padStart(10);
  process.stdout.write(`${stage.name.padEnd(34)} ${time} ${median(ratios).toFixed(1).padStart(14)}\n`);
}

const CALLS = 100;
const { medianMs, p90Ms, worstMs } = await eventLoopHeld(CALLS, encodeMulaw(speech));
process.stdout.write(
  `\nvoice activity of ${CALLS} calls that all speak holds the event loop at a time for ` +
    `${medianMs.toFixed(1)} ms in the median, ${p90Ms.toFixed(1)} ms at p90, ${worstMs.toFixed(1)} ms at worst\n`,
);
