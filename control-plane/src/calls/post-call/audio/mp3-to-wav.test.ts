import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Mp3Scan } from './mp3-scan.js';
import { mp3AsWav } from './mp3-to-wav.js';
import { tonesAsMp3 } from './testing/tones.js';
import { strengthOf, wavOf } from './testing/wav-reader.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'wav-test-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function stored(mp3: Uint8Array): Promise<string> {
  const path = join(directory, `${mp3.length}.mp3`);
  await writeFile(path, mp3);
  return path;
}

async function whole(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('the scan of an MP3 file', () => {
  it.each([1, 3, 100, 100_000])('finds rate, channels and length, in chunks of %i bytes', async (size) => {
    const mp3 = await tonesAsMp3({ sampleRate: 16_000, seconds: 2 });
    const scan = new Mp3Scan();
    for (let at = 0; at < mp3.length; at += size) scan.push(mp3.subarray(at, at + size));
    expect(scan.shape).toMatchObject({ sampleRate: 16_000, channels: 2 });
    // Whole frames, and what the encoder adds before and after.
    expect(scan.shape!.samples / 16_000).toBeGreaterThanOrEqual(2);
    expect(scan.shape!.samples / 16_000).toBeLessThan(2.2);
  });

  it('passes over a tag at the beginning, and finds nothing in what is no MP3', () => {
    const scan = new Mp3Scan();
    scan.push(Buffer.from('certainly not an MP3 file, however long it may be; and so on and on and on'));
    expect(scan.shape).toBeNull();
  });
});

describe('a recording as WAV', () => {
  it.each([8000, 16_000] as const)(
    'of %i Hz, stereo: the caller left, the agent right, as long as it says',
    async (rate) => {
      const path = await stored(await tonesAsMp3({ sampleRate: rate, seconds: 3 }));
      const file = (await mp3AsWav(path, 'stereo'))!;
      const bytes = await whole(file.content);
      expect(bytes).toHaveLength(file.sizeBytes);
      const wav = wavOf(bytes);
      expect(wav).toMatchObject({ sampleRate: rate, channels: 2, bits: 16 });
      const [left, right] = wav.samples;
      expect(strengthOf(left!, 440, rate)).toBeGreaterThan(20 * strengthOf(left!, 1000, rate));
      expect(strengthOf(right!, 1000, rate)).toBeGreaterThan(20 * strengthOf(right!, 440, rate));
    },
  );

  it('as mono holds both in one channel', async () => {
    const path = await stored(await tonesAsMp3({ sampleRate: 8000, seconds: 2 }));
    const file = (await mp3AsWav(path, 'mono'))!;
    const wav = wavOf(await whole(file.content));
    expect(wav.channels).toBe(1);
    const [both] = wav.samples;
    const [a, b] = [strengthOf(both!, 440, 8000), strengthOf(both!, 1000, 8000)];
    expect(Math.max(a, b) / Math.min(a, b)).toBeLessThan(1.5);
    expect(a).toBeGreaterThan(20 * strengthOf(both!, 2000, 8000));
  });

  it('that is cut in the middle is as long as its frames say, the rest in silence', async () => {
    const mp3 = await tonesAsMp3({ sampleRate: 8000, seconds: 2 });
    const file = (await mp3AsWav(await stored(mp3.subarray(0, mp3.length - 50)), 'stereo'))!;
    expect(await whole(file.content)).toHaveLength(file.sizeBytes);
  });

  it('of no audio is none', async () => {
    expect(await mp3AsWav(await stored(Buffer.alloc(100)), 'stereo')).toBeNull();
  });

  it('lets the event loop have its turn while it is decoded', async () => {
    const path = await stored(await tonesAsMp3({ sampleRate: 8000, seconds: 20 }));
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const file = (await mp3AsWav(path, 'stereo'))!;
    await whole(file.content);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(5);
  });
});
