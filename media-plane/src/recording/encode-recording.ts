import { writeFileSync } from 'node:fs';
import { Mp3File } from './mp3-file.js';
import { RawReader } from './raw-recording.js';
import { StereoTimeline } from './timeline.js';
import { WaveformLatency } from './waveform-latency.js';

/** Frames are of 20 ms, on some lines of a few times that. */
const LONGEST_FRAME_MS = 200;
/** Progress is reported each time that so much more is encoded, in ms of the recording. */
const PROGRESS_MS = 10_000;

export interface EncodedRecording {
  readonly durationMs: number;
  /** Length of the MP3. */
  readonly bytes: number;
}

/**
 * Makes the stereo MP3 of a raw recording, caller left and agent right, at the line's own rate, and measures the call's
 * latency in it (`waveformPath`). The MP3 is
 * made anew whenever this is called, and is whole only when it resolves; the raw recording is left alone.
 * Holds its thread until it is done (about a hundredth of the call's length).
 * @param onProgress receives how much of the recording is encoded, in ms
 * @throws ServiceError `recording_unreadable` for a file that is no recording
 */
export async function encodeRecording(
  rawPath: string,
  mp3Path: string,
  onProgress: (encodedMs: number) => void = () => {},
): Promise<EncodedRecording> {
  const reader = new RawReader(rawPath);
  try {
    const { format } = reader;
    const file = await Mp3File.create(mp3Path, format.sampleRate);
    try {
      const waveform = new WaveformLatency(format.sampleRate);
      let encodedMs = 0;
      let reportedMs = 0;
      const timeline = new StereoTimeline((caller, agent) => {
        waveform.push(caller, agent);
        file.write(caller, agent);
        encodedMs += (caller.length * 1000) / format.sampleRate;
        if (encodedMs - reportedMs < PROGRESS_MS) return;
        reportedMs = encodedMs;
        onProgress(encodedMs);
      }, format);
      readInto(timeline, reader, (atMs) => waveform.gap(atMs));
      writeFileSync(waveformPath(mp3Path), JSON.stringify(waveform.figures()), { mode: 0o600 });
      const { samples, bytes } = file.finish();
      return { durationMs: (samples * 1000) / format.sampleRate, bytes };
    } catch (error) {
      file.close();
      throw error;
    }
  } finally {
    reader.close();
  }
}

/** Returns where the figures lie that were measured while an MP3 was made (`contracts/waveform.ts`). */
export function waveformPath(mp3Path: string): string {
  return `${mp3Path}.waveform.json`;
}

/**
 * Puts a whole raw recording into the timeline, and ends it.
 * @param onGap receives moments of which nothing was recorded, ms
 */
export function readInto(timeline: StereoTimeline, reader: RawReader, onGap?: (atMs: number) => void): void {
  let latestMs = 0;
  for (const { lane, atMs, bytes } of reader.records()) {
    if (lane === 'time') {
      timeline.advance(atMs);
      // The last note of all is the end of the last frame.
      if (atMs - latestMs > LONGEST_FRAME_MS) onGap?.(atMs);
    } else {
      timeline.place(lane, bytes, atMs);
      latestMs = Math.max(latestMs, atMs);
    }
  }
  timeline.finish();
}
