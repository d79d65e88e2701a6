import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PCMU_8K } from '@voice/shared/audio/format';
import { encodeMulaw, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DiskClient } from '../disk/disk-client.js';
import { readInto } from './encode-recording.js';
import { RawReader } from './raw-recording.js';
import { createRecorder, type Span } from './recorder.js';
import { recordingResumed } from './recording-resumed.js';
import { StereoTimeline } from './timeline.js';

const disk = new DiskClient();

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'interrupted-recording-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A second that ends with 100 ms of a tone. */
const second = new Uint8Array(8000).fill(MULAW_SILENCE);
second.set(
  encodeMulaw(Int16Array.from({ length: 800 }, (_, n) => 14_000 * Math.sin((2 * Math.PI * 600 * n) / 8000))),
  7200,
);

describe('a recording that could not be written for a while', () => {
  /** A recorder whose folder is missing until `makeRoom`, and what it says. */
  function interrupted(name: string) {
    const clock = new ScriptedClock();
    const inside = join(folder, name);
    const raw = join(inside, 'raw.recording');
    const said: (string | Span | null)[] = [];
    const recorder = createRecorder({
      path: raw,
      format: PCMU_8K,
      clock,
      disk,
      hasRoom: () => existsSync(inside),
      onStopped: ({ code }) => said.push(code),
      onResumed: (lost) => said.push(lost),
    });
    const record = (fromSecond: number, toSecond: number) => {
      for (let at = fromSecond; at < toSecond; at++) recorder.caller(second, at * 1000);
    };
    const makeRoom = () => {
      mkdirSync(inside);
      clock.advance(1000);
    };
    return { clock, raw, said, recorder, record, makeRoom };
  }

  /** When the caller is heard, in whole seconds, and how long the recording is. */
  function heardIn(raw: string): { readonly seconds: number[]; readonly lengthMs: number } {
    const seconds: number[] = [];
    let samples = 0;
    const timeline = new StereoTimeline((caller) => {
      caller.forEach((sample, n) => {
        const at = Math.floor((samples + n) / 8000);
        if (Math.abs(sample) > 1000 && seconds.at(-1) !== at) seconds.push(at);
      });
      samples += caller.length;
    });
    readInto(timeline, new RawReader(raw));
    return { seconds, lengthMs: samples / 8 };
  }
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

  it('is whole when that was short: it waits in memory', async () => {
    const { clock, raw, said, recorder, record, makeRoom } = interrupted('short');
    record(0, 10);
    await expect.poll(() => said, { interval: 2 }).toEqual(['recording_failed']);
    // Without room it is not even tried.
    for (let n = 0; n < 5; n++) clock.advance(1000);
    makeRoom();
    await expect.poll(() => said, { interval: 2 }).toEqual(['recording_failed', null]);
    record(10, 12);
    expect(await recorder.finish()).toEqual({ durationMs: 12_000 });
    expect(heardIn(raw)).toEqual({ seconds: range(0, 12), lengthMs: 12_000 });
    expect(clock.pending).toBe(0);
  });

  it('is silent where more came than may wait, and goes on at the right time, however long that was', async () => {
    const { raw, said, recorder, record, makeRoom } = interrupted('long');
    record(0, 10);
    await expect.poll(() => said, { interval: 2 }).toHaveLength(1);
    record(10, 800);
    makeRoom();
    // The header and a block a second: together they are as many as may wait.
    await expect.poll(() => statSync(raw).size, { interval: 2 }).toBe(64 + 74 * 8012);
    // The last write can be seen in the file before its end is known here: until then, a second more is lost.
    let next = 800;
    const recordOne = () => {
      record(next, ++next);
      return said.length;
    };
    await expect.poll(recordOne, { interval: 2 }).toBe(2);
    recordOne();
    const { untilMs } = said[1] as Span;
    expect(said.slice(1)).toEqual([{ fromMs: 74_000, untilMs }]);
    expect(untilMs).toBeGreaterThanOrEqual(800_000);
    expect(await recorder.finish()).toEqual({ durationMs: next * 1000 });
    const seconds = [...range(0, 74), ...range(untilMs / 1000, next)];
    expect(heardIn(raw)).toEqual({ seconds, lengthMs: next * 1000 });
  });

  it('has room again when the call ends: what waits is written, and the rest is silence', async () => {
    const { raw, said, recorder, record } = interrupted('at-the-end');
    record(0, 10);
    await expect.poll(() => said, { interval: 2 }).toHaveLength(1);
    record(10, 100);
    mkdirSync(join(folder, 'at-the-end'));
    expect(await recorder.finish()).toEqual({ durationMs: 100_000 });
    expect(heardIn(raw)).toEqual({ seconds: [...range(0, 74), 99], lengthMs: 100_000 });
    // The call's last event is out by then.
    expect(said).toHaveLength(1);
  });

  // The limit makes a write fail half through, as a disk does that has room for half of it.
  it.runIf(process.platform === 'linux')('is written again where a write broke off', async () => {
    const clock = new ScriptedClock();
    const raw = join(folder, 'torn.recording');
    const said: (string | null)[] = [];
    const recorder = createRecorder({
      path: raw,
      format: PCMU_8K,
      clock,
      disk,
      onStopped: ({ message }) => said.push(message),
      onResumed: () => said.push(null),
    });
    const size = () => statSync(raw, { throwIfNoEntry: false })?.size;
    recorder.caller(second, 0);
    clock.advance(1000);
    await expect.poll(() => size(), { interval: 2 }).toBe(64 + 8012);
    limitFileSize(String(64 + 8012 + 4000));
    try {
      recorder.caller(second, 1000);
      clock.advance(1000);
      await expect.poll(() => said, { interval: 2 }).toEqual([expect.stringMatching(/EFBIG/)]);
      expect(size()).toBe(64 + 8012 + 4000);
    } finally {
      limitFileSize('unlimited');
    }
    clock.advance(1000);
    await expect.poll(() => said, { interval: 2 }).toHaveLength(2);
    recorder.caller(second, 2000);
    await recorder.finish();
    expect(heardIn(raw)).toEqual({ seconds: [0, 1, 2], lengthMs: 3000 });
  });

  it('says in the timeline what is missing', () => {
    const messages = [null, { fromMs: 31_240, untilMs: 45_000 }].map(recordingResumed);
    expect(messages).toMatchObject([
      { code: 'recording_recovered', message: 'The recording goes on. Nothing is missing in it.' },
      { message: expect.stringContaining('It is silent from 31.2 s to 45.0 s') },
    ]);
  });
});

/** Limits the size of the files that this process writes, in bytes. */
function limitFileSize(soft: string): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${soft}:`], { stdio: 'ignore' });
}
