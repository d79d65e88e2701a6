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
import { FRAME_BYTES } from '@voice/shared/audio/g711';
import { encodeSamples } from '@voice/shared/audio/samples';
import { systemClock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mp3DurationMs, mp3Format } from '../audio/mp3-format.js';
import { DiskClient } from '../disk/disk-client.js';
import { encodeRecording } from './encode-recording.js';
import { EncoderClient } from './encoder-client.js';
import { createRecorder } from './recorder.js';
import { decode, marker, onsets, SILENCE } from './testing/recorded-audio.js';

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

describe('a recording', () => {
  it('that was cut off by the end of the process is whole up to its last second', async () => {
    const { raw, mp3, recorder } = phoneRecorder('cut');
    const tone = marker(600);
    for (let at = 0; at < 10_000; at += 20) {
      recorder.caller(at >= 2000 && at < 2100 ? tone[(at - 2000) / 20]! : SILENCE, at);
    }
    // The file's head, and each frame with its own: a file that grows shows parts of a block.
    const whole = 64 + 500 * (12 + FRAME_BYTES);
    await expect.poll(() => statSync(raw).size, { interval: 2, timeout: 240_000 }).toBe(whole);
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
    const recorder = createRecorder({ path, format: PCMU_8K, clock, disk });
    recorder.caller(SILENCE, 0);
    clock.advance(1000);
    await expect.poll(() => statSync(path).size, { interval: 2 }).toBe(64 + 12 + FRAME_BYTES);
    await recorder.finish();
    expect(clock.pending).toBe(0);
  });

  it('is on disk within a second of the hearing, though that was known half a second later', async () => {
    const clock = new ScriptedClock();
    const path = join(folder, 'heard-late.recording');
    const recorder = createRecorder({ path, format: PCMU_8K, clock, disk });
    clock.advance(500);
    recorder.agent(SILENCE, 0);
    clock.advance(450);
    await expect.poll(() => statSync(path).size, { interval: 2 }).toBe(64 + 12 + FRAME_BYTES);
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

  it('says how far its MP3 has come while the thread still encodes it', async () => {
    const { raw, mp3, recorder } = phoneRecorder('long');
    for (let atMs = 0; atMs < 25_000; atMs += 20) recorder.caller(SILENCE, atMs);
    await recorder.finish();
    const seconds: number[] = [];
    await new EncoderClient().encode(raw, mp3, (ms) => seconds.push(Math.floor(ms / 1000)));
    expect(seconds).toEqual([10, 20]);
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
      disk,
      onStopped: ({ code }) => stopped.push(code),
    });
    for (let at = 0; at < 5000; at += 20) recorder.caller(SILENCE, at);
    await expect.poll(() => stopped, { interval: 2 }).toEqual(['recording_failed']);
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
      disk,
      onStopped: ({ message }) => stopped.push(message),
    });
    recorder.caller(SILENCE, 0);
    await expect.poll(() => stopped, { interval: 2 }).toHaveLength(1);
    expect(stopped[0]).toMatch(/ENOSPC/);
    await expect(recorder.finish()).rejects.toMatchObject({ code: 'recording_failed' });
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
    const recorder = createRecorder({ path: raw, format, clock: systemClock, disk });
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
