import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createEncoder } from 'wasm-media-encoders';

/** A stereo MP3 as workers make them, 64 kbit/s: 440 Hz on the left, 1 kHz on the right. */
export async function tonesAsMp3(options: { sampleRate: 8000 | 16_000; seconds: number }): Promise<Buffer> {
  const { sampleRate, seconds } = options;
  const wasm = createRequire(import.meta.url).resolve('wasm-media-encoders/wasm/mp3');
  const encoder = await createEncoder(
    'audio/mpeg',
    (await readFile(wasm)) as unknown as Uint8Array<ArrayBuffer>,
  );
  encoder.configure({ sampleRate, channels: 2, bitrate: 64 });
  const tone = (hertz: number) =>
    Float32Array.from(
      { length: sampleRate * seconds },
      (_, i) => 0.4 * Math.sin((2 * Math.PI * hertz * i) / sampleRate),
    );
  // The encoder's memory is used again by the next call.
  const body = Buffer.from(encoder.encode([tone(440), tone(1000)]));
  return Buffer.concat([body, Buffer.from(encoder.finalize())]);
}
