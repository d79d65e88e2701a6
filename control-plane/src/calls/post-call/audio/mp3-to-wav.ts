import { createReadStream } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MPEGDecoder } from 'mpg123-decoder';
import { Mp3Scan } from './mp3-scan.js';
import { audioBytes, type Channels, interleaved, WAV_HEADER_BYTES, type WavShape, wavHeader } from './wav.js';

/**
 * How much is decoded before the event loop has its turn, in bytes: half a second of audio at 64 kbit/s, which
 * takes some milliseconds.
 */
const SLICE_BYTES = 4096;
const SCAN_BYTES = 64 * 1024;

export interface WavFile {
  /** With its header. */
  readonly sizeBytes: number;
  /** The file as it is decoded; a reader that stops reading stops the decoding. */
  readonly content: AsyncIterable<Buffer>;
}

/** Decodes an MP3 file to WAV; null where it holds no audio. */
export async function mp3AsWav(path: string, channels: Channels): Promise<WavFile | null> {
  const scan = new Mp3Scan();
  for await (const chunk of createReadStream(path, { highWaterMark: SCAN_BYTES })) scan.push(chunk as Buffer);
  if (!scan.shape) return null;
  const shape: WavShape = { ...scan.shape, channels: channels === 'mono' ? 1 : scan.shape.channels };
  return { sizeBytes: WAV_HEADER_BYTES + audioBytes(shape), content: decoded(path, shape) };
}

/** Exactly as long as the header says: what a damaged frame lacks is silence. */
async function* decoded(path: string, shape: WavShape): AsyncGenerator<Buffer> {
  yield wavHeader(shape);
  let left = audioBytes(shape);
  const decoder = new MPEGDecoder({ enableGapless: false });
  try {
    await decoder.ready;
    for await (const slice of createReadStream(path, { highWaterMark: SLICE_BYTES })) {
      const audio = interleaved(decoder.decode(slice as Buffer).channelData, shape.channels);
      const kept = audio.subarray(0, left);
      left -= kept.length;
      if (kept.length > 0) yield kept;
      if (left === 0) return;
      await nextTurn();
    }
    for (; left > 0; left -= Math.min(left, SCAN_BYTES)) yield Buffer.alloc(Math.min(left, SCAN_BYTES));
  } finally {
    decoder.free();
  }
}
