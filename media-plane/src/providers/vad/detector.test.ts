import { convertAudio } from '@voice/shared/audio/converter';
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
import { decodeMulaw, encodeMulaw, FRAME_BYTES } from '@voice/shared/audio/g711';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { startKeptVoice } from '@voice/shared/local-voice/testing/kept-voice';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVoiceActivityDetector, type SileroDetector } from './detector.js';
import type { VadEvent, VadSettings } from './port.js';
import { MAX_BATCH } from './silero-model.js';
import { gain, join, noise, silence, tone, trimmed, withNoise } from './testing/sounds.js';

const SETTINGS: VadSettings = { on: 0.5, off: 0.35, minSpeechMs: 60, minSilenceMs: 200 };
const SENTENCES = [
  'Hello, this is Anna speaking.',
  'Yes.',
  'I would like to make an appointment for Tuesday at three, please.',
];

interface Reported {
  readonly event: VadEvent;
  /** Audio written when the event came, ms. */
  readonly writtenMs: number;
}

const clock = new ScriptedClock();
let detector: SileroDetector;
let speech: Int16Array[];

beforeAll(async () => {
  const voice = startKeptVoice();
  try {
    speech = [];
    for (const text of SENTENCES) {
      const bytes: number[] = [];
      for await (const { audio } of voice.speak({ text, voice: 'en-us', language: 'en-US', rate: 175 })) {
        bytes.push(...audio);
      }
      speech.push(trimmed(decodeMulaw(Uint8Array.from(bytes))));
    }
  } finally {
    voice.close();
  }
  detector = await createVoiceActivityDetector({ clock, log: silentLog });
});
afterAll(() => detector.close());

/** Lets what is due be looked at. */
async function settle(): Promise<void> {
  clock.advance(20);
  for (let n = 0; n < 6; n++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Several calls at the same time, 20 ms after 20 ms; what is reported for each. */
async function listen(
  calls: readonly Int16Array[],
  settings = SETTINGS,
  format: AudioFormat = PCMU_8K,
): Promise<Reported[][]> {
  const reported: Reported[][] = calls.map(() => []);
  let writtenMs = 0;
  const sessions = calls.map((_, n) =>
    detector.open({ ...settings, format }, (event) => reported[n]!.push({ event, writtenMs })),
  );
  const audio = calls.map((samples) => convertAudio(encodeMulaw(samples), { from: PCMU_8K, to: format }));
  const frame = frameBytes(format);
  const reused = new Uint8Array(frame);
  const longest = Math.max(...audio.map(({ length }) => length));
  for (let at = 0; at < longest; at += frame) {
    writtenMs = (at + frame) / bytesPerMs(format);
    for (const [n, bytes] of audio.entries()) {
      reused.fill(silenceByte(format));
      reused.set(bytes.subarray(at, at + frame));
      sessions[n]!.write(reused);
    }
    reused.fill(silenceByte(format));
    await settle();
  }
  for (const session of sessions) session.close();
  return reported;
}

const listenTo = async (samples: Int16Array, settings = SETTINGS) => (await listen([samples], settings))[0]!;

describe.each([
  ['clean', (samples: Int16Array) => samples, 40, 80],
  ['20 dB softer', (samples: Int16Array) => gain(samples, -20), 40, 80],
  ['on a noisy line', (samples: Int16Array) => withNoise(samples, 600), 100, 110],
] as const)('real speech, %s', (_, line, startToleranceMs, endToleranceMs) => {
  it.each([0, 1, 2])('sentence %i is found within 150 ms of its onset, and its end too', async (index) => {
    const sentence = speech[index]!;
    const onset = 1000;
    const end = onset + sentence.length / 8;
    const reported = await listenTo(line(join(silence(onset), sentence, silence(1000))));
    expect(reported.map(({ event }) => event.type)).toEqual(['speech_started', 'speech_stopped']);
    const [started, stopped] = reported as [Reported, Reported];
    expect(started.writtenMs - onset).toBeLessThanOrEqual(150);
    expect(Math.abs(started.event.atMs - onset)).toBeLessThanOrEqual(startToleranceMs);
    expect(Math.abs(stopped.event.atMs - end)).toBeLessThanOrEqual(endToleranceMs);
    expect(stopped.writtenMs - end).toBeLessThanOrEqual(400);
    for (const { event, writtenMs } of reported) expect(event.atMs).toBeLessThanOrEqual(writtenMs);
  });
});

describe('what is no speech', () => {
  it.each([
    ['digital silence', () => silence(4000)],
    ['soft noise', () => noise(4000, 300)],
    ['loud noise', () => noise(4000, 6000)],
    ['a tone', () => join(silence(500), tone(2000, 440), silence(500))],
    ['a ringback tone', () => join(silence(500), tone(2000, 440, 480), silence(500))],
    ['an answering machine beep', () => join(silence(500), tone(500, 1000), silence(500))],
  ])('%s is not taken for it', async (_, make) => {
    expect(await listenTo(make())).toEqual([]);
  });

  it('the key tones of a phone are not taken for it', async () => {
    const keys = [
      [697, 1209],
      [770, 1336],
      [852, 1477],
    ].flatMap((pair) => [tone(100, ...pair), silence(100)]);
    expect(await listenTo(join(silence(500), ...keys, silence(500)))).toEqual([]);
  });
});

describe('the gate', () => {
  it('keeps silence away from the model', async () => {
    const before = detector.work;
    await listenTo(silence(3200));
    expect(detector.work.inferred - before.inferred).toBe(0);
    expect(detector.work.gated - before.gated).toBe(100);
  });

  it('lets speech through', async () => {
    const before = detector.work;
    await listenTo(join(silence(960), speech[2]!, silence(960)));
    const windows = Math.ceil(speech[2]!.length / 256);
    const { inferred, assumed } = detector.work;
    const passed = inferred + assumed - before.inferred - before.assumed;
    expect(passed).toBeGreaterThanOrEqual(windows);
    expect(passed).toBeLessThan(windows + 15);
  });
});

describe('a hundred calls', () => {
  it('get the same events as each would alone', async () => {
    const calls = Array.from({ length: 100 }, (_, n) =>
      join(silence(100 + n * 13), speech[n % 2]!, silence(1000)),
    );
    const together = await listen(calls);
    expect(detector.work.skipped).toBe(0);
    for (const n of [0, 1, 42, 99]) {
      const alone = await listenTo(calls[n]!);
      expect(together[n]!.map(({ event }) => event)).toEqual(alone.map(({ event }) => event));
    }
  });

  it('do not keep one waiting whose next window decides whether somebody speaks', async () => {
    const events: VadEvent[] = [];
    const open = (onEvent: (event: VadEvent) => void) =>
      detector.open({ ...SETTINGS, format: PCMU_8K }, onEvent);
    const others = Array.from({ length: 20 }, () => open(() => {}));
    const session = open((event) => events.push(event));
    const audio = encodeMulaw(join(silence(500), speech[0]!));
    const turns = async () => {
      for (let n = 0; n < 6; n++) await new Promise<void>((resolve) => setImmediate(resolve));
    };
    for (let at = 0; events.length === 0 && at + FRAME_BYTES <= audio.length; at += FRAME_BYTES) {
      session.write(audio.subarray(at, at + FRAME_BYTES));
      await turns();
      if (events.length > 0) break;
      const before = events.length;
      clock.advance(20);
      await turns();
      // Not by the timer that collects the windows of many calls.
      expect(events.length).toBe(before);
    }
    for (const one of [session, ...others]) one.close();
    expect(events.map(({ type }) => type)).toEqual(['speech_started']);
  });

  it('share a run every 60 ms in the midst of speech, though timers are early and frames come at all times', async () => {
    const early = new (class extends ScriptedClock {
      override schedule(delayMs: number, task: () => void) {
        return super.schedule(Math.max(0, delayMs - 1), task);
      }
    })();
    const shared = await createVoiceActivityDetector({ clock: early, log: silentLog });
    const sessions = Array.from({ length: 20 }, () =>
      shared.open({ ...SETTINGS, format: PCMU_8K }, () => {}),
    );
    const audio = encodeMulaw(speech[2]!);
    const runs: number[] = [];
    for (let ms = 0; ms < 600; ms++) {
      const at = Math.floor(ms / 20) * FRAME_BYTES;
      const { inferred } = shared.work;
      sessions[ms % 20]!.write(audio.subarray(at, at + FRAME_BYTES));
      early.advance(1);
      for (let n = 0; n < 4; n++) await new Promise<void>((resolve) => setImmediate(resolve));
      if (shared.work.inferred > inferred) runs.push(ms);
    }
    await shared.close();
    // Once all speak, and until they pause.
    const together = runs.filter((ms) => ms >= 100);
    expect(together.length).toBeGreaterThanOrEqual(8);
    const gaps = together.slice(1).map((ms, n) => ms - together[n]!);
    expect(Math.min(...gaps)).toBe(60);
  });

  it('do not keep one waiting whose next window decides that nobody speaks any more', async () => {
    const call = withNoise(join(silence(1000), speech[0]!, silence(1000)), 600);
    const among = await listen([call, ...Array.from({ length: 20 }, () => silence(call.length / 8))]);
    expect(among[0]!.map(({ event }) => event.type)).toEqual(['speech_started', 'speech_stopped']);
    expect(among[0]![1]).toEqual((await listenTo(call))[1]);
  });

  it('hold the event loop for one batch at most: in between it turns', async () => {
    const sessions = Array.from({ length: 100 }, () =>
      detector.open({ ...SETTINGS, format: PCMU_8K }, () => {}),
    );
    const audio = encodeMulaw(speech[2]!);
    const perTurn: number[] = [];
    for (let at = 0; at + FRAME_BYTES <= 8000; at += FRAME_BYTES) {
      for (const session of sessions) session.write(audio.subarray(at, at + FRAME_BYTES));
      clock.advance(20);
      for (let n = 0; n < 12; n++) {
        const { inferred } = detector.work;
        await new Promise<void>((resolve) => setImmediate(resolve));
        perTurn.push(detector.work.inferred - inferred);
      }
    }
    for (const session of sessions) session.close();
    expect(Math.max(...perTurn)).toBe(MAX_BATCH);
  });
});

describe('a session', () => {
  it('finds a short answer in three seconds that a stalled line brings at once', async () => {
    const reported: VadEvent[] = [];
    const session = detector.open({ ...SETTINGS, format: PCMU_8K }, (event) => reported.push(event));
    const audio = encodeMulaw(join(silence(500), speech[1]!, silence(2000)));
    for (let at = 0; at + FRAME_BYTES <= audio.length; at += FRAME_BYTES) {
      session.write(audio.subarray(at, at + FRAME_BYTES));
    }
    for (let n = 0; n < 60; n++) await settle();
    session.close();
    expect(reported.map(({ type }) => type)).toEqual(['speech_started', 'speech_stopped']);
    expect(reported[0]?.atMs).toBeGreaterThanOrEqual(400);
    expect(reported[0]?.atMs).toBeLessThanOrEqual(700);
  });

  it('judges what it has no time to look at like what was before, and stays in time', async () => {
    const reported: VadEvent[] = [];
    const skipped = detector.work.skipped;
    const session = detector.open({ ...SETTINGS, format: PCMU_8K }, (event) => reported.push(event));
    const audio = encodeMulaw(join(speech[2]!, speech[2]!, silence(1000)));
    // All at once: 7 s come in one turn of the event loop.
    for (let at = 0; at + FRAME_BYTES <= audio.length; at += FRAME_BYTES) {
      session.write(audio.subarray(at, at + FRAME_BYTES));
    }
    for (let n = 0; n < 60; n++) await settle();
    session.close();
    expect(detector.work.skipped).toBeGreaterThan(skipped);
    for (const { atMs } of reported) expect(atMs).toBeLessThanOrEqual(audio.length / 8);
  });

  it('takes frames of any length', async () => {
    const audio = encodeMulaw(join(silence(500), speech[1]!, silence(600)));
    const reported: VadEvent[] = [];
    const session = detector.open({ ...SETTINGS, format: PCMU_8K }, (event) => reported.push(event));
    for (let at = 0, n = 0; at < audio.length; n++) {
      const length = [37, 160, 320, 1][n % 4]!;
      session.write(audio.subarray(at, at + length));
      at += length;
      await settle();
    }
    session.close();
    expect(reported.map(({ type }) => type)).toEqual(['speech_started', 'speech_stopped']);
  });

  it('is silent after it was closed', async () => {
    const reported: VadEvent[] = [];
    const session = detector.open({ ...SETTINGS, format: PCMU_8K }, (event) => reported.push(event));
    const audio = encodeMulaw(speech[0]!);
    for (let at = 0; at < 4800; at += FRAME_BYTES) session.write(audio.subarray(at, at + FRAME_BYTES));
    session.close();
    session.close();
    session.write(audio);
    await settle();
    expect(reported).toEqual([]);
  });

  it('whose listener fails harms no other', async () => {
    const failing = detector.open({ ...SETTINGS, format: PCMU_8K }, () => {
      throw new Error('listener');
    });
    const sound: VadEvent[] = [];
    const other = detector.open({ ...SETTINGS, format: PCMU_8K }, (event) => sound.push(event));
    const audio = encodeMulaw(join(speech[0]!, silence(600)));
    for (let at = 0; at + FRAME_BYTES <= audio.length; at += FRAME_BYTES) {
      const frame = audio.subarray(at, at + FRAME_BYTES);
      failing.write(frame);
      other.write(frame);
      await settle();
    }
    failing.close();
    other.close();
    expect(sound.map(({ type }) => type)).toEqual(['speech_started', 'speech_stopped']);
  });
});

describe.each<[string, AudioFormat]>([
  ['A-law', PCMA_8K],
  ['L16 at 16 kHz', L16_16K],
  ['L16 at 24 kHz', L16_24K],
  ['L16 at 48 kHz', { encoding: 'l16', sampleRate: 48_000 }],
])('the same speech in %s', (_, format) => {
  it('begins and ends where it does in mu-law', async () => {
    const call = join(silence(600), speech[0]!, silence(700), speech[1]!, silence(800));
    const ends = (speech[0]!.length + speech[1]!.length) / 8 + 1300;
    const reported = (await listen([call], SETTINGS, format))[0]!;
    const places = reported.map(({ event }) => [event.type, event.atMs] as const);
    expect(places.map(([type]) => type)).toEqual([
      'speech_started',
      'speech_stopped',
      'speech_started',
      'speech_stopped',
    ]);
    for (const [n, expected] of [
      600,
      600 + speech[0]!.length / 8,
      1300 + speech[0]!.length / 8,
      ends,
    ].entries()) {
      expect(Math.abs(places[n]![1] - expected)).toBeLessThan(120);
    }
    expect((await listen([silence(2000)], SETTINGS, format))[0]).toEqual([]);
  });
});

describe('calls of both rates at once', () => {
  it('get the events of their own speech only', async () => {
    const reported = new Map<string, VadEvent[]>();
    const mulaw = encodeMulaw(join(silence(400), speech[0]!, silence(600)));
    const calls = ([PCMU_8K, L16_16K, PCMU_8K, L16_16K] as const).map((format, n) => {
      const events: VadEvent[] = [];
      reported.set(`${n}`, events);
      return {
        audio: convertAudio(mulaw, { from: PCMU_8K, to: format }),
        frame: frameBytes(format),
        session: detector.open({ ...SETTINGS, format }, (event) => events.push(event)),
      };
    });
    for (let n = 0; n < mulaw.length / FRAME_BYTES - 1; n++) {
      for (const { session, audio, frame } of calls)
        session.write(audio.subarray(n * frame, (n + 1) * frame));
      await settle();
    }
    for (const { session } of calls) session.close();
    for (const events of reported.values()) {
      expect(events.map(({ type }) => type)).toEqual(['speech_started', 'speech_stopped']);
    }
  });
});
